import { sql } from 'kysely';
import { afterAll, afterEach, expect, test } from 'vitest';
import { makeSource } from '../api/sources/fixtures.ts';
import { startMediaServer } from '../api/sources/media-server.ts';
import { eventsDuring } from '../support/events.ts';

import { type Browser, openBrowser } from '../support/flow-client.ts';
import { flowKey, made, unique } from '../support/make-walk.ts';
import { isSignedIn } from '../support/second-factor.ts';
import { describeOnBoth, type TestServer } from '../support/server.ts';

const media = await startMediaServer();
afterEach(() => media.reset());
afterAll(() => media.close());
const env = { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.0/8', GATEHOUSE_MEDIASRC_API_URL: media.url };

let lastId = 5_000;
function person(values: Record<string, unknown> = {}) {
  lastId += 1;
  const username = unique('media');
  const known = { id: lastId, username, email: `${username}@example.com`, title: `Person ${lastId}`, ...values };
  const token = unique('token');
  media.know(token, known);
  return { token, ...known };
}

async function source(server: TestServer, values: Record<string, unknown> = {}) {
  return makeSource(server, 'mediasrc', {
    plex_token: person().token,
    authentication_flow: await flowKey(server, 'default-source-authentication'),
    enrollment_flow: await flowKey(server, 'default-source-enrollment'),
    ...values,
  });
}

/** Redeems a token and follows where it leads; the answer of the flow. */
async function arrive(browser: Browser, slug: string, token: string) {
  const answer = await browser.post(`/sources/mediasrc/redeem_token/?slug=${slug}`, { plex_token: token });
  const flow = /^\/if\/flow\/([^/]+)\//.exec(answer.body.to ?? '')?.[1] as string;
  return { flow, redeemed: answer, shown: flow ? await browser.show(flow, `slug=${slug}`) : answer };
}

describeOnBoth(
  'signing in from a source',
  (server) => {
    test('enrols, links and signs in a new user, and only signs in the second time', async () => {
      const { slug } = await source(server());
      const { token, username, email, id } = person();
      const first = openBrowser(server());
      const events = await eventsDuring(server(), async () => {
        const { shown, flow } = await arrive(first, slug, token);
        expect(flow).toBe('default-source-enrollment');
        expect(shown.body).toEqual({ component: 'xak-flow-redirect', to: '/if/user/' });
      });
      expect(events.map(({ action }) => action)).toEqual(['user_write', 'login', 'source_linked']);
      const me = (await first.get('/core/users/me/')).body.user;
      expect(me).toMatchObject({ username, email });
      const links = await server().admin.get(`/sources/user_connections/mediasrc/?user=${me.pk}`);
      expect(links.body.results.map(({ identifier }: { identifier: string }) => identifier)).toEqual([String(id)]);
      const again = openBrowser(server());
      const later = await eventsDuring(server(), async () => {
        expect((await arrive(again, slug, token)).flow).toBe('default-source-authentication');
      });
      expect(later.map(({ action }) => action)).toEqual(['login']);
      expect((await again.get('/core/users/me/')).body.user.pk).toBe(me.pk);
    });

    test('asks for another user name when the name is taken', async () => {
      const { slug } = await source(server());
      const taken = await server().user();
      const { token } = person({ username: taken.username });
      const browser = openBrowser(server());
      const { shown, flow } = await arrive(browser, slug, token);
      expect(shown.body).toMatchObject({
        component: 'xak-stage-prompt',
        response_errors: { username: [{ code: 'invalid' }] },
      });
      const username = unique('chosen');
      expect((await browser.answer(flow, { username })).body.component).toBe('xak-flow-redirect');
      expect((await browser.get('/core/users/me/')).body.user.username).toBe(username);
    });

    test('succeeds only once, and only in the browser that has the cookie of the plan', async () => {
      const { slug } = await source(server());
      const { token } = person();
      const browser = openBrowser(server());
      const answer = await browser.post(`/sources/mediasrc/redeem_token/?slug=${slug}`, { plex_token: token });
      expect(answer.status).toBe(200);
      const cookie = browser.cookies.get('gatehouse_flow_plan') as string;
      const other = openBrowser(server());
      expect((await other.show('default-source-enrollment')).body.component).toBe('xak-stage-access-denied');
      await browser.show('default-source-enrollment');
      const replay = openBrowser(server());
      replay.cookies.set('gatehouse_flow_plan', cookie);
      expect((await replay.show('default-source-enrollment')).body.component).toBe('xak-stage-access-denied');
    });

    test('does not begin with what a source said before the user got a new password', async () => {
      const { slug } = await source(server());
      const { token } = person();
      const owner = openBrowser(server());
      await arrive(owner, slug, token);
      const { pk } = (await owner.get('/core/users/me/')).body.user;
      const kept = openBrowser(server());
      await kept.post(`/sources/mediasrc/redeem_token/?slug=${slug}`, { plex_token: token });
      await server().admin.post(`/core/users/${pk}/set_password/`, { password: 'a new horse' });
      expect((await kept.show('default-source-authentication')).body.component).toBe('xak-stage-access-denied');
      expect(await isSignedIn(kept)).toBe(false);
      const again = openBrowser(server());
      await arrive(again, slug, token);
      expect(await isSignedIn(again)).toBe(true);
    });

    test('checks the source, the user and the owner of the account again at the end', async () => {
      const { slug, pk } = await source(server());
      const known = person();
      await arrive(openBrowser(server()), slug, known.token);
      const planned = async (token: string) => {
        const browser = openBrowser(server());
        const { body } = await browser.post(`/sources/mediasrc/redeem_token/?slug=${slug}`, { plex_token: token });
        return { browser, flow: /^\/if\/flow\/([^/]+)\//.exec(body.to)?.[1] as string };
      };
      const late = await planned(known.token);
      const fresh = person();
      const rival = await planned(fresh.token);
      await server().admin.patch(`/sources/mediasrc/${slug}/`, { enabled: false });
      expect((await late.browser.show(late.flow)).body.component).toBe('xak-stage-access-denied');
      expect((await late.browser.get('/core/users/me/')).status).toBe(403);
      await server().admin.patch(`/sources/mediasrc/${slug}/`, { enabled: true });
      const owner = await server().user();
      await made(server(), '/sources/user_connections/mediasrc/', {
        user: owner.pk,
        source: pk,
        identifier: String(fresh.id),
        plex_token: 'x',
      });
      expect((await rival.browser.show(rival.flow)).body.component).toBe('xak-stage-access-denied');
      expect((await rival.browser.get('/core/users/me/')).status).toBe(403);
      const { rows } = await sql<{ user: number }>`select "user" from user_source_connections
        where source = ${pk} and identifier = ${String(fresh.id)}`.execute(server().world.db.read);
      expect(rows).toEqual([{ user: owner.pk }]);
    });

    test('syncs groups of the source, but never by name into a group of administrators', async () => {
      const plain = (await made(server(), '/core/groups/', { name: unique('plain') })) as { pk: string; name: string };
      const high = (await made(server(), '/core/groups/', { name: unique('high'), is_superuser: true })) as {
        pk: string;
        name: string;
      };
      const below = (await made(server(), '/core/groups/', { name: unique('below'), parent: high.pk })) as {
        pk: string;
        name: string;
      };
      const fresh = unique('fresh');
      const mapping = await made(server(), '/propertymappings/source/mediasrc/', {
        name: unique('groups'),
        expression: `return { groups: ${JSON.stringify([plain.name, high.name, below.name, fresh])} }`,
      });
      const { slug } = await source(server(), {
        group_matching_mode: 'name_link',
        user_property_mappings: [mapping.pk],
      });
      const browser = openBrowser(server());
      const someone = person();
      await arrive(browser, slug, someone.token);
      const me = (await browser.get('/core/users/me/')).body.user;
      expect(me.is_superuser).toBe(false);
      const { body } = await server().admin.get(`/core/users/${me.pk}/`);
      expect(body.groups_obj.map(({ name }: { name: string }) => name).sort()).toEqual([fresh, plain.name].sort());
      await server().admin.patch(`/propertymappings/source/mediasrc/${mapping.pk}/`, {
        expression: `return { groups: ${JSON.stringify([fresh])} }`,
      });
      await arrive(openBrowser(server()), slug, someone.token);
      const later = await server().admin.get(`/core/users/${me.pk}/`);
      expect(later.body.groups_obj.map(({ name }: { name: string }) => name)).toEqual([fresh]);
    });

    test('keeps the last superuser in their group, whatever the source says, and records an event', async () => {
      const { slug, pk } = await source(server());
      const { admin, world } = server();
      const someone = person();
      const browser = openBrowser(server());
      await arrive(browser, slug, someone.token);
      const me = (await browser.get('/core/users/me/')).body.user;
      const group = (values: object) => made(server(), '/core/groups/', { name: unique('group'), ...values });
      const [high, plain] = [await group({ is_superuser: true }), await group({})];
      for (const one of [high, plain]) {
        await admin.post(`/core/groups/${one.pk}/add_user/`, { pk: me.pk });
        const linked = { group: one.pk, source: pk, identifier: unique('elsewhere') };
        await made(server(), '/sources/group_connections/mediasrc/', linked);
      }
      const others = sql<{ pk: number }>`update users set is_active = ${false} where is_active and pk <> ${me.pk}
        returning pk`;
      const { rows } = await world.db.write((tx) => others.execute(tx));
      const events = await eventsDuring(server(), async () => {
        expect((await arrive(openBrowser(server()), slug, someone.token)).shown.body.to).toBe('/if/user/');
      });
      const memberships = async () => {
        const found = await sql<{ group: string }>`select "group" from user_groups where "user" = ${me.pk}`.execute(
          world.db.read,
        );
        return found.rows.map((row) => row.group);
      };
      expect(await memberships()).toEqual([high.pk]);
      expect(events.map(({ action }) => action)).toContain('configuration_error');
      const others_again = sql`update users set is_active = ${true} where pk in (${sql.join(rows.map((row) => row.pk))})`;
      await world.db.write((tx) => others_again.execute(tx));
      await arrive(openBrowser(server()), slug, someone.token);
      expect(await memberships()).toEqual([]);
    });
  },
  { env },
);
