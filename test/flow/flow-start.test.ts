import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { addMilliseconds, systemClock } from '../../src/platform/clock.ts';
import { type Browser, openBrowser, signInFlow } from '../support/flow-client.ts';
import { bindExpression, makeWalk } from '../support/make-walk.ts';
import { describeOnBoth } from '../support/server.ts';
import { signIn } from '../support/session.ts';

const plan = 'gatehouse_flow_plan';
let ahead = 0;
const clock = { now: () => addMilliseconds(systemClock.now(), ahead) };

describeOnBoth(
  'the first question of a flow',
  (server) => {
    const countRows = async () => {
      const { rows } = await sql<{ n: number }>`select count(*) as n from flow_plans`.execute(server().world.db.read);
      return Number(rows[0]?.n);
    };
    const identification = ['identification', { user_fields: ['username'] }] as const;
    const dummies = () => makeWalk(server(), [['dummy'], ['deny', { deny_message: 'passed' }]]);
    const passed = async (browser: Browser, slug: string) =>
      (await browser.answer(slug, { component: 'xak-stage-dummy' })).body.error_message === 'passed';

    test('stores nothing when anonymous visitors only open the page', async () => {
      const before = await countRows();
      for (let time = 0; time < 5; time++) {
        const browser = openBrowser(server());
        await browser.show(signInFlow);
        await browser.show(signInFlow);
        expect(browser.cookies.get(plan)).toMatch(/^[\w-]{43}\./);
      }
      expect(await countRows()).toBe(before);
    });

    test('can be answered by the browser it was shown to, and only then is the walk stored', async () => {
      const browser = openBrowser(server());
      const before = await countRows();
      await browser.show(signInFlow);
      const answer = await browser.answer(signInFlow, { uid_field: 'admin' });
      expect(answer.body.component).toBe('xak-stage-password');
      expect(await countRows()).toBe(before + 1);
      expect(browser.cookies.get(plan)).toMatch(/^[\w-]{43}$/);
    });

    test('keeps the destination in next, except another site', async () => {
      const walk = await makeWalk(server(), [['dummy']]);
      const browser = openBrowser(server());
      await browser.show(walk.slug, 'next=/somewhere/%3Fx%3D1');
      const { body } = await browser.answer(walk.slug, { component: 'xak-stage-dummy' });
      expect(body).toEqual({ component: 'xak-flow-redirect', to: '/somewhere/?x=1' });
      const away = openBrowser(server());
      await away.show(walk.slug, 'next=https%3A%2F%2Fevil.example%2F');
      expect((await away.answer(walk.slug, { component: 'xak-stage-dummy' })).body.to).toBe('/if/user/');
    });

    test('is stored when the query is too long for a cookie', async () => {
      const walk = await makeWalk(server(), [['dummy']]);
      const next = `/somewhere/?x=${'y'.repeat(3_500)}`;
      const browser = openBrowser(server());
      const before = await countRows();
      await browser.show(walk.slug, `next=${encodeURIComponent(next)}`);
      expect(await countRows()).toBe(before + 1);
      expect((await browser.answer(walk.slug, { component: 'xak-stage-dummy' })).body.to).toBe(next);
    });

    test('cannot be answered without its cookie, or with one that is changed, from another browser or of another flow', async () => {
      const [one, other] = [await dummies(), await dummies()];
      expect(await passed(openBrowser(server()), one.slug)).toBe(false);
      const browser = openBrowser(server());
      await browser.show(one.slug);
      const real = browser.cookies.get(plan) as string;
      const [token, proof = ''] = real.split('.') as [string, string];
      const stranger = openBrowser(server());
      await stranger.show(other.slug);
      const [strangersToken] = (stranger.cookies.get(plan) as string).split('.');
      const [content = '', signature = ''] = proof.split('~');
      const forgedContent = Buffer.from(
        Buffer.from(content, 'base64url').toString().replace(one.pk, other.pk),
      ).toString('base64url');
      for (const forged of [
        token,
        `${token}.`,
        `${strangersToken}.${proof}`,
        `${token}.${content}`,
        `${token}.${content}~${'0'.repeat(signature.length)}`,
        `${token}.${content}~${signature.slice(0, -1)}`,
        `${token}.${forgedContent}~${signature}`,
        `${token}.%7B%7D~${signature}`,
      ]) {
        for (const { slug } of [one, other]) {
          const thief = openBrowser(server());
          thief.cookies.set(plan, forged);
          expect([forged, await passed(thief, slug)]).toEqual([forged, false]);
        }
      }
      const foreign = openBrowser(server());
      foreign.cookies.set(plan, real);
      expect(await passed(foreign, other.slug)).toBe(false);
      expect(await passed(browser, one.slug)).toBe(true);
    });

    test('expires after half an hour', async () => {
      const walk = await dummies();
      const browser = openBrowser(server());
      await browser.show(walk.slug);
      ahead = 30 * 60_000 + 1_000;
      expect(await passed(browser, walk.slug)).toBe(false);
      ahead = 0;
    });

    test('begins a walk in place of one that has expired', async () => {
      const [one, other] = [await makeWalk(server(), [identification, ['dummy']]), await dummies()];
      const browser = openBrowser(server());
      await browser.show(one.slug);
      await browser.answer(one.slug, { uid_field: 'admin' });
      ahead = 20 * 60_000;
      // Keeps the browser's token, which would be replaced with the walk.
      await browser.show(other.slug);
      ahead = 31 * 60_000;
      expect((await browser.show(one.slug)).body.component).toBe('xak-stage-identification');
      expect((await browser.answer(one.slug, { uid_field: 'admin' })).body.component).toBe('xak-stage-dummy');
      expect((await browser.show(one.slug)).body.component).toBe('xak-stage-dummy');
      ahead = 0;
    });

    test('is void for a user who has signed in since', async () => {
      const walk = await dummies();
      const browser = openBrowser(server());
      await browser.show(walk.slug);
      const user = await server().user();
      const { cookie, csrf } = await signIn(server(), user.pk);
      browser.cookies.set('gatehouse_session', cookie.split('=')[1] as string);
      browser.cookies.set('gatehouse_csrf', csrf);
      expect(await passed(browser, walk.slug)).toBe(false);
      expect(await passed(browser, walk.slug)).toBe(true);
    });

    test('is replaced by that of another flow, and can be answered once it is shown again', async () => {
      const [one, other] = [await dummies(), await dummies()];
      const browser = openBrowser(server());
      await browser.show(one.slug);
      await browser.show(other.slug);
      expect((await browser.answer(one.slug, { component: 'xak-stage-dummy' })).body.component).toBe('xak-stage-dummy');
      expect(await passed(browser, one.slug)).toBe(true);
    });

    test('has the policies of its flow evaluated again when it is answered', async () => {
      const walk = await dummies();
      const browser = openBrowser(server());
      await browser.show(walk.slug);
      await bindExpression(server(), walk.pk, 'message("Closed."); return false');
      const answer = await browser.answer(walk.slug, { component: 'xak-stage-dummy' });
      expect(answer.body).toMatchObject({ component: 'xak-stage-access-denied', error_message: 'Closed.' });
    });

    test('accepts an answer only once when it is sent many times at once', async () => {
      const walk = await makeWalk(server(), [identification, ['dummy'], ['deny', { deny_message: 'passed' }]]);
      const browser = openBrowser(server());
      await browser.show(walk.slug);
      const before = await countRows();
      const cookie = `${plan}=${browser.cookies.get(plan)}`;
      const answers = await Promise.all(
        Array.from({ length: 10 }, () =>
          server().nobody.post(`/flows/executor/${walk.slug}/?query=`, { uid_field: 'admin' }, { cookie }),
        ),
      );
      for (const { body } of answers) expect(body.component).toBe('xak-stage-dummy');
      expect(await countRows()).toBe(before + 1);
    });

    test('begins a bounded number of walks per network, where new walks replace the oldest', async () => {
      const { db, key } = server().world;
      const walk = await makeWalk(server(), [identification, ['dummy']]);
      const from = (ip: string) => openBrowser(server(), { 'x-forwarded-for': ip });
      const begin = async (browser: Browser) => {
        await browser.show(walk.slug);
        await browser.answer(walk.slug, { uid_field: 'admin' });
      };
      const [bystander, first, sister] = [from('203.0.113.8'), from('2001:db8:1:2::1'), from('2001:db8:1:2::ffff')];
      await begin(bystander);
      await begin(first);
      await db.write(async (tx) => {
        const now = clock.now();
        const network = key.hash('flow_plans:20010db800010002');
        for (let number = 0; number < 510; number++) {
          await sql`insert into flow_plans (pk, token_hash, flow, version, context, created, expires, network)
            values (${crypto.randomUUID()}, ${`flood-${number}`}, ${walk.pk}, 1, '', ${now}, ${addMilliseconds(now, 60_000)}, ${network})`.execute(
            tx,
          );
        }
      });
      await begin(sister);
      const { rows } = await sql<{ n: number }>`select count(*) as n from flow_plans
        where network = ${key.hash('flow_plans:20010db800010002')}`.execute(db.read);
      expect(Number(rows[0]?.n)).toBe(500);
      const stands = async (browser: Browser) => (await browser.show(walk.slug)).body.component;
      expect(await stands(sister)).toBe('xak-stage-dummy');
      expect(await stands(bystander)).toBe('xak-stage-dummy');
      expect(await stands(first)).toBe('xak-stage-identification');
    });
  },
  { clock, env: { GATEHOUSE_TRUSTED_PROXIES: '127.0.0.1' } },
);
