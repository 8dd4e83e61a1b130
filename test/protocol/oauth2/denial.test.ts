import { sql } from 'kysely';
import { expect, test } from 'vitest';
import {
  asked,
  beginDevice,
  expectToldInEachMode,
  pollDevice,
  secretOf,
  sent,
  told,
} from '../../support/denied-request.ts';
import { eventsDuring } from '../../support/events.ts';

import { bindExpression, makeWalk, type Walk } from '../../support/make-walk.ts';
import type { Made } from '../../support/providers.ts';
import {
  callback,
  connectDevice,
  makeRelyingParty,
  type RelyingParty,
  stranger,
  type Visit,
  type Visitor,
  visitor,
} from '../../support/relying-party.ts';
import { describeOnSqlite, type TestServer } from '../../support/server.ts';
import { movableClock } from '../conformance/movable-clock.ts';

const why = 'Not on a Sunday.';
const deny = ['deny', { deny_message: why }] as const;
const actions = ['message', 'message_continue', 'continue'] as const;
type Action = (typeof actions)[number];
const designation = 'authorization';

/** A client whose flow shows a page, and then denies everybody. */
async function makeDenyingFlow(server: TestServer, denied_action: Action = 'message_continue') {
  const walk = await makeWalk(server, [['dummy'], deny], { designation, denied_action });
  return { walk, party: await makeRelyingParty(server, {}, walk.slug) };
}

/** A client whose flow denies everybody without having asked anything. */
async function denyingAtOnce(server: TestServer, denied_action: Action = 'message_continue') {
  const walk = await makeWalk(server, [deny], { designation, denied_action });
  return { walk, party: await makeRelyingParty(server, {}, walk.slug) };
}

/** What a user is told who answers the first question. */
async function denied(browser: Visitor, { slug }: Walk): Promise<Made> {
  await browser.answerStep(slug);
  return browser.answerStep(slug, { component: 'xak-stage-dummy' });
}

const linkOf = ({ text }: Visit) => /<a [^>]*href="([^"]*)">([^<]*)<\/a>/.exec(text)?.slice(1) ?? [];
const errorOf = ({ location }: Visit) => location?.searchParams.get('error');

async function waiting({ world }: TestServer, { provider }: RelyingParty): Promise<number> {
  const { rows } = await sql`select 1 from authorization_requests where provider = ${provider.pk}`.execute(
    world.db.read,
  );
  return rows.length;
}

const clock = movableClock();

describeOnSqlite(
  'RFC 6749 §4.1.2.1: a person whom the authorization flow denies',
  (server) => {
    test('reads why, and brings the client its answer in the requested response mode', async () => {
      const { walk, party } = await makeDenyingFlow(server());
      const browser = await visitor(server());
      const answered = async (response_mode: string) => {
        await browser.authorize(asked(party, { response_mode }));
        const { to, ...shown } = await denied(browser, walk);
        expect(shown).toMatchObject({
          component: 'xak-stage-access-denied',
          error_message: why,
          application_name: party.application.name,
        });
        expect(to).toMatch(/^\/application\/o\/authorize\/\?ticket=[\w-]{43,}$/);
        return browser.visit(to);
      };
      const events = await eventsDuring(server(), () => expectToldInEachMode(server(), party, answered));
      expect(events).toEqual([]);
      expect(await waiting(server(), party)).toBe(0);
    });

    test.each(actions)('is sent back with access_denied when denied midway, by a flow with %s', async (action) => {
      const { walk, party } = await makeDenyingFlow(server(), action);
      const browser = await visitor(server());
      await browser.authorize(asked(party));
      const { component, to } = await denied(browser, walk);
      expect(component).toBe(action === 'continue' ? 'xak-flow-redirect' : 'xak-stage-access-denied');
      expect(errorOf(await browser.visit(to))).toBe('access_denied');
    });

    test.each(actions)('is sent back with access_denied when denied at once, by a flow with %s', async (action) => {
      const { party } = await denyingAtOnce(server(), action);
      const browser = await visitor(server());
      const first = await browser.authorize(asked(party));
      if (action === 'continue') {
        expect(Object.fromEntries(first.location?.searchParams ?? [])).toEqual(told(server(), party));
        return;
      }
      expect([first.status, first.location, first.text.includes(why)]).toEqual([403, null, true]);
      const [to = '', text] = linkOf(first);
      expect(text).toBe(`Back to ${party.application.name}`);
      const { location } = await browser.visit(to);
      expect(Object.fromEntries(location?.searchParams ?? [])).toEqual(told(server(), party));
      expect(await waiting(server(), party)).toBe(0);
    });

    test.each(actions)(
      'OpenID Connect Core §3.1.2.6: sees nothing with prompt=none, by a flow with %s',
      async (action) => {
        const { party } = await denyingAtOnce(server(), action);
        const { location } = await (await visitor(server())).authorize(asked(party, { prompt: 'none' }));
        expect(Object.fromEntries(location?.searchParams ?? [])).toEqual(told(server(), party));
        const asks = await makeDenyingFlow(server(), action);
        expect(errorOf(await (await visitor(server())).authorize(asked(asks.party, { prompt: 'none' })))).toBe(
          'interaction_required',
        );
        expect([await waiting(server(), party), await waiting(server(), asks.party)]).toEqual([0, 0]);
      },
    );

    test('reads the messages of policies, and nothing of those that fail', async () => {
      const words = {
        'message("Come back tomorrow."); return false': 'Come back tomorrow.',
        'return false': 'not for you',
      };
      for (const [expression, expected] of Object.entries(words)) {
        const walk = await makeWalk(server(), [['dummy']], { designation });
        const { body } = await server().admin.get(`/flows/instances/${walk.slug}/`);
        await bindExpression(server(), body.policybindingmodel_ptr_id, expression);
        const party = await makeRelyingParty(server(), {}, walk.slug);
        const browser = await visitor(server());
        const shown = await browser.authorize(asked(party));
        expect([shown.status, shown.text.includes(expected)]).toEqual([403, true]);
        expect(errorOf(await browser.visit(linkOf(shown)[0] ?? ''))).toBe('access_denied');
      }
      for (const binding of [{ evaluate_on_plan: true }, { evaluate_on_plan: false, re_evaluate_policies: true }]) {
        const walk = await makeWalk(server(), [['dummy', {}, binding]], { designation });
        await bindExpression(server(), walk.bindings[0]?.target ?? '', 'throw new Error("secret")');
        const party = await makeRelyingParty(server(), {}, walk.slug);
        const browser = await visitor(server());
        const shown = await browser.authorize(asked(party));
        expect([shown.status, shown.text.includes('secret')]).toEqual([403, false]);
        expect(errorOf(await browser.visit(linkOf(shown)[0] ?? ''))).toBe('access_denied');
      }
    });

    test('goes back by their own session, once, and to nowhere but the client', async () => {
      const { walk, party } = await makeDenyingFlow(server());
      const [browser, other] = [await visitor(server()), await visitor(server())];
      await browser.authorize(asked(party));
      const { to } = await denied(browser, walk);
      expect([(await other.visit(to)).status, (await stranger(server()).visit(to)).status]).toEqual([400, 400]);
      const path = `/providers/oauth2/${party.provider.pk}/`;
      await server().admin.patch(path, {
        redirect_uris: [{ matching_mode: 'strict', url: 'https://app.example/other' }],
      });
      const elsewhere = await browser.visit(`${to}&redirect_uri=${encodeURIComponent('https://evil.example/')}`);
      expect([elsewhere.status, elsewhere.location]).toEqual([400, null]);
      await server().admin.patch(path, { redirect_uris: [{ matching_mode: 'strict', url: callback }] });
      expect(errorOf(await browser.visit(to))).toBe('access_denied');
      expect([(await browser.visit(to)).status, (await browser.visit(to)).location]).toEqual([400, null]);
    });

    test('is denied whatever name they gave, and once when they answer twice', async () => {
      const stages = [['identification', { user_fields: ['username'] }], deny] as const;
      const walk = await makeWalk(server(), stages, { designation });
      const party = await makeRelyingParty(server(), {}, walk.slug);
      const [browser, other] = [await visitor(server()), await server().user()];
      await browser.authorize(asked(party));
      await browser.answerStep(walk.slug);
      const answer = () => browser.answerStep(walk.slug, { uid_field: other.username });
      const both = await Promise.all([answer(), answer()]);
      expect(await waiting(server(), party)).toBe(1);
      const ways = new Set(both.flatMap(({ to, application_name }) => (application_name ? [to as string] : [])));
      expect(ways.size).toBe(1);
      expect(errorOf(await browser.visit([...ways][0] ?? ''))).toBe('access_denied');
    });

    test('a denied person has time to read; the pushed request is consumed', async () => {
      const { walk, party } = await makeDenyingFlow(server());
      const browser = await visitor(server());
      const push = async () => {
        const { request_uri } = await sent(server(), 'par', { ...asked(party), ...secretOf(party) });
        return { client_id: party.clientId, request_uri };
      };
      const pushed = await push();
      await browser.authorize(pushed);
      expect(errorOf(await browser.visit((await denied(browser, walk)).to))).toBe('access_denied');
      expect((await browser.authorize(pushed)).status).toBe(400);
      await browser.authorize(await push());
      const { to } = await denied(browser, walk);
      clock.pass(20 * 60);
      const { db } = server().world;
      await db.write((tx) => sql`delete from authorization_requests where expires <= ${clock.now()}`.execute(tx));
      expect(errorOf(await browser.visit(to))).toBe('access_denied');
      await browser.authorize(asked(party));
      const late = await denied(browser, walk);
      clock.pass(31 * 60);
      expect((await browser.visit(late.to)).status).toBe(400);
    });

    test('a denied person is never sent to another client', async () => {
      const { walk } = await makeDenyingFlow(server());
      const shown = await denied(await visitor(server()), walk);
      expect(shown).toMatchObject({ component: 'xak-stage-access-denied', error_message: why });
      expect([shown.to, shown.application_name]).toEqual([undefined, undefined]);
    });
  },
  { clock },
);

describeOnSqlite('RFC 8628 §3.5: a device whose person the flow denies', (server) => {
  test.each(actions)('learns of it at once, by a flow with %s', async (action) => {
    const { walk, party } = await makeDenyingFlow(server(), action);
    const { user_code, device_code } = await beginDevice(server(), party);
    const browser = await visitor(server());
    await connectDevice(browser, user_code);
    const shown = await denied(browser, walk);
    expect([shown.error_message, shown.application_name]).toEqual([action === 'continue' ? undefined : why, undefined]);
    expect(await pollDevice(server(), party, device_code)).toBe('access_denied');
    expect((await browser.visit(shown.to)).text).toContain('Your device is not connected');
  });

  test.each(actions)('is refused when the flow denies at once, by a flow with %s', async (action) => {
    const { party } = await denyingAtOnce(server(), action);
    const { user_code, device_code } = await beginDevice(server(), party);
    const browser = await visitor(server());
    const { answer } = await connectDevice(browser, user_code);
    const page = answer.location ? await browser.visit(answer.location) : answer;
    expect(page.text).toContain('Your device is not connected');
    expect([answer.status, page.text.includes(why)]).toEqual(action === 'continue' ? [302, false] : [403, true]);
    expect(await pollDevice(server(), party, device_code)).toBe('access_denied');
  });

  test.each(actions)('is refused by people who may not approve devices, by a flow with %s', async (denied_action) => {
    const { admin } = server();
    const { body: brands } = await admin.get('/core/brands/');
    const brand = `/core/brands/${brands.results[0].brand_uuid}/`;
    const walk = await makeWalk(server(), [deny], { denied_action });
    await admin.patch(brand, { flow_device_code: walk.pk });
    try {
      const { status, text } = await (await visitor(server())).visit('/device');
      expect([status, text.includes(denied_action === 'continue' ? 'You may not' : why)]).toEqual([403, true]);
    } finally {
      await admin.patch(brand, { flow_device_code: null });
    }
  });
});
