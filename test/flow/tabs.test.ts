import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { plansOf } from '../../src/flow/attempt.ts';
import { createPlan, savePlan } from '../../src/flow/plan.ts';
import { startOpenId } from '../protocol/oauth-source/openid-service.ts';
import { openIdWalk } from '../protocol/oauth-source/openid-walk.ts';
import { comeBack, depart } from '../protocol/oauth-source/visitor.ts';
import { asked } from '../support/denied-request.ts';
import { copyBrowser, openBrowser, signInFlow } from '../support/flow-client.ts';
import { made, makePrompt, makeWalk, unique } from '../support/make-walk.ts';
import { makeRelyingParty, type RelyingParty, type Visit, type Visitor, visitor } from '../support/relying-party.ts';
import { isSignedIn, password, personWithPassword } from '../support/second-factor.ts';
import { describeOnSqlite } from '../support/server.ts';
import { loopbackAllowed } from '../support/service.ts';

const peer = await startOpenId();
afterAll(() => peer.close());
const explicit = 'default-provider-authorization-explicit-consent';
const redirect = 'xak-flow-redirect';
const planCookies = (cookies: ReadonlyMap<string, string>) =>
  [...cookies].filter(([name, value]) => name.startsWith('gatehouse_flow_plan_') && value !== '').map(([name]) => name);

describeOnSqlite(
  'two tabs of one browser',
  (server) => {
    /** A tab at the consent page of an application; answers bring the query of its page along. */
    async function consentTab(browser: Visitor, party: RelyingParty) {
      const { location } = await browser.authorize(asked(party));
      const query = location?.search.slice(1) ?? '';
      const answer = (values?: Record<string, unknown>) => browser.answerStep(explicit, values, query);
      return { query, answer, show: () => answer() };
    }
    const twoParties = async () =>
      [await makeRelyingParty(server(), {}, explicit), await makeRelyingParty(server(), {}, explicit)] as const;
    const codeAt = ({ location }: Visit) => location?.searchParams.get('code');

    test('ask for the consent of two applications, each for its own', async () => {
      const [one, other] = await twoParties();
      const browser = await visitor(server());
      const first = await consentTab(browser, one);
      const second = await consentTab(browser, other);
      const header = async (tab: typeof first) => (await tab.show()).header_text;
      expect(await header(first)).toContain(one.application.name);
      expect(await header(second)).toContain(other.application.name);
      for (const [tab, party] of [
        [first, one],
        [second, other],
      ] as const) {
        const shown = await tab.show();
        const { component, to } = await tab.answer({ token: shown.token });
        expect(component).toBe(redirect);
        const back = await browser.visit(to);
        expect([codeAt(back), back.location?.searchParams.get('iss')]).toEqual([
          expect.any(String),
          expect.stringContaining(`/${party.slug}/`),
        ]);
      }
    });

    test('do not decide for each other', async () => {
      const [one, other] = await twoParties();
      const browser = await visitor(server());
      const first = await consentTab(browser, one);
      const second = await consentTab(browser, other);
      const { token } = await second.show();
      const wrong = await first.answer({ token });
      expect([wrong.component, wrong.header_text]).toEqual([
        'xak-stage-consent',
        expect.stringContaining(one.application.name),
      ]);
      const refused = await first.answer({ token: (await first.show()).token, refused: true });
      expect((await browser.visit(refused.to)).location?.searchParams.get('error')).toBe('access_denied');
      const agreed = await second.answer({ token });
      expect(codeAt(await browser.visit(agreed.to))).toEqual(expect.any(String));
    });

    test('may be cancelled alone', async () => {
      const [one, other] = await twoParties();
      const browser = await visitor(server());
      const first = await consentTab(browser, one);
      const second = await consentTab(browser, other);
      await browser.visit((await first.show()).flow_info.cancel_url);
      expect((await first.show()).header_text).not.toContain(one.application.name);
      expect((await second.show()).header_text).toContain(other.application.name);
    });

    test('are known by their cookies: the id of an attempt opens nothing', async () => {
      const party = await makeRelyingParty(server(), {}, explicit);
      const [owner, thief] = [await visitor(server()), await visitor(server())];
      const { query, show, answer } = await consentTab(owner, party);
      const { token } = await show();
      expect((await thief.answerStep(explicit, undefined, query)).header_text).not.toContain(party.application.name);
      expect((await thief.answerStep(explicit, { token }, query)).to ?? '').not.toContain('ticket');
      expect((await answer({ token })).to).toContain('ticket');
    });

    test('that begin attempt after attempt keep the cookies few, and those that were used last', async () => {
      const party = await makeRelyingParty(server(), {}, explicit);
      const browser = await visitor(server());
      const first = await consentTab(browser, party);
      const second = await consentTab(browser, party);
      for (let n = 0; n < 12; n++) {
        await consentTab(browser, party);
        await first.show();
      }
      expect(planCookies(browser.jar).length).toBe(8);
      expect((await first.show()).header_text).toContain(party.application.name);
      expect((await second.show()).header_text).not.toContain(party.application.name);
      const { token } = await first.show();
      await first.answer({ token });
      // One that is over leaves no cookie behind.
      expect(planCookies(browser.jar).length).toBe(7);
    });

    test('and sessions without cookies leave few plans behind', async () => {
      const party = await makeRelyingParty(server(), {}, explicit);
      const browser = await visitor(server());
      const { db, key } = server().world;
      const count = async (): Promise<number> => {
        const { rows } = await sql<{ n: number }>`select count(*) as n from flow_plans`.execute(db.read);
        return Number(rows[0]?.n);
      };
      const before = await count();
      const { rows } = await sql<{ pk: string }>`select pk from flows where slug = ${explicit}`.execute(db.read);
      const plan = createPlan({ pk: rows[0]?.pk as string, slug: explicit }, browser.person.pk);
      const call = { actor: { session: browser.session, user: browser.person }, request: {} } as never;
      await db.write(async (tx) => {
        for (let n = 0; n < 510; n++) await savePlan(tx, key, plan, server().world.clock.now(), plansOf(key, call));
      });
      await consentTab(browser, party);
      expect((await count()) - before).toBe(500);
    });

    test('lead on to where each of them leads, when one signs in for both', async () => {
      const query = (path: string) => `next=${encodeURIComponent(path)}`;
      const tabs = [
        ['', '/if/user/'],
        [query('/one/'), '/one/'],
        [query('/other/'), '/other/'],
      ] as const;
      for (const [own, to] of tabs) {
        const { username } = await personWithPassword(server());
        const browser = openBrowser(server());
        // Pages without a query say that they lead nowhere.
        const page = own || 'next=';
        await browser.show(signInFlow, page);
        for (const [others] of tabs) if (others !== own) await browser.show(signInFlow, others || 'next=');
        await browser.answer(signInFlow, { uid_field: username }, page);
        for (const [others] of tabs) if (others !== own) await browser.show(signInFlow, others || 'next=');
        expect((await browser.answer(signInFlow, { password }, page)).body).toEqual({ component: redirect, to });
      }
    });

    test('open two invitations, each with its own data', async () => {
      const fields = [
        await makePrompt(server(), 'username', 'username'),
        await makePrompt(server(), 'email', 'email', { order: 1 }),
      ];
      const walk = await makeWalk(
        server(),
        [['invitation/stages'], ['prompt/stages', { fields }], ['user_write'], ['user_login']],
        { designation: 'enrollment' },
      );
      const browser = openBrowser(server());
      const tabs: { name: string; email: string; pk: string; query: string }[] = [];
      for (const name of [unique('one'), unique('other')]) {
        const email = `${name}@example.org`;
        const { pk, token } = await made(server(), '/stages/invitation/invitations/', {
          ...{ name, flow: walk.pk, single_use: true, fixed_data: { email } },
        });
        tabs.push({ name, email, pk, query: `itoken=${token}` });
        const { body } = await browser.show(walk.slug, `itoken=${token}`);
        expect(body.fields[1].initial_value).toBe(email);
      }
      const left = async () => {
        const { body } = await server().admin.get('/stages/invitation/invitations/?page_size=100');
        const pks = body.results.map(({ pk }: { pk: string }) => pk);
        return tabs.filter(({ pk }) => pks.includes(pk)).map(({ name }) => name);
      };
      const [one, other] = tabs as [(typeof tabs)[0], (typeof tabs)[0]];
      expect((await browser.show(walk.slug, one.query)).body.fields[1].initial_value).toBe(one.email);
      expect((await browser.answer(walk.slug, { username: one.name }, one.query)).body.component).toBe(redirect);
      expect((await browser.get('/core/users/me/')).body.user).toMatchObject({ username: one.name, email: one.email });
      expect(await left()).toEqual([other.name]);
      expect((await browser.answer(walk.slug, { username: other.name }, other.query)).body.component).toBe(redirect);
      const { body } = await server().admin.get(`/core/users/?username=${other.name}`);
      expect(body.results[0].email).toBe(other.email);
      expect(await left()).toEqual([]);
    });

    test('never go on with a copy of the cookie that was taken before an invitation was followed', async () => {
      const fields = [await makePrompt(server(), 'username', 'username')];
      const walk = await makeWalk(
        server(),
        [['dummy'], ['invitation/stages'], ['prompt/stages', { fields }], ['user_write'], ['user_login']],
        { designation: 'enrollment' },
      );
      const name = unique('guest');
      const { token } = await made(server(), '/stages/invitation/invitations/', {
        name,
        flow: walk.pk,
        single_use: true,
      });
      const query = `itoken=${token}`;
      const victim = openBrowser(server());
      await victim.show(walk.slug, query);
      const thief = copyBrowser(server(), victim);
      await victim.answer(walk.slug, { component: 'xak-stage-dummy' }, query);
      await thief.answer(walk.slug, { username: unique('thief') }, query);
      expect(await isSignedIn(thief)).toBe(false);
      expect((await victim.answer(walk.slug, { username: name }, query)).body.component).toBe(redirect);
      expect(await isSignedIn(victim)).toBe(true);
    });

    const { source, arrive, linkedUser, me } = openIdWalk(server, peer);

    test('come back from two sources, and each signs in its own person', async () => {
      const browser = openBrowser(server());
      const tabs: { user: { pk: number }; next: string; flow: string; query: string }[] = [];
      for (const next of ['/one/', '/other/']) {
        const { slug, pk } = await source();
        peer.person = { sub: unique('sub'), preferred_username: unique('person'), name: 'Person' };
        const user = await linkedUser(pk, peer.person.sub as string);
        const { location } = await arrive(slug, browser, `?next=${next}`);
        const [, flow = '', query = ''] = /^\/if\/flow\/([^/]+)\/\?(.*)$/.exec(location) ?? [];
        tabs.push({ user, next, flow, query });
      }
      for (const { user, next, flow, query } of tabs) {
        expect((await browser.show(flow, query)).body).toEqual({ component: redirect, to: next });
        expect((await me(browser)).pk).toBe(user.pk);
      }
    });

    test('come back from two sources to the walks that sent them there, and each goes on by itself', async () => {
      const browser = openBrowser(server());
      const tabs: { user: { pk: number }; slug: string; flow: string; asked: URL; query: string }[] = [];
      for (const _ of ['one', 'other']) {
        const { slug, pk } = await source();
        const user = await linkedUser(pk, slug);
        const walk = await makeWalk(server(), [['source', { source: pk }], ['user_login']]);
        // A link of its own, as an invitation has.
        const { to } = (await browser.show(walk.slug, `itoken=${slug}`)).body;
        const asked = await depart(server(), browser, slug, new URL(to, 'https://gate.example').search);
        tabs.push({ user, slug, flow: walk.slug, asked, query: '' });
      }
      for (const tab of tabs) {
        peer.person = { sub: tab.slug };
        await peer.prepare(tab.asked.searchParams.get('nonce') ?? '');
        const answer = { code: 'a-code', state: tab.asked.searchParams.get('state') ?? '' };
        const { location } = await comeBack(server(), browser, tab.slug, answer);
        expect(location).toContain(`/if/flow/${tab.flow}/?attempt=`);
        tab.query = location.split('?')[1] ?? '';
      }
      for (const { user, flow, query } of tabs) {
        expect((await browser.show(flow, query)).body).toEqual({ component: redirect, to: '/if/user/' });
        expect((await me(browser)).pk).toBe(user.pk);
      }
    });
  },
  { env: loopbackAllowed },
);
