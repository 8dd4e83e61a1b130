import { sql } from 'kysely';
import { afterAll, afterEach, expect, test } from 'vitest';
import type { Answer } from '../../support/api.ts';
import { eventsDuring } from '../../support/events.ts';
import { findPlan } from '../../support/find-plan.ts';
import { describeOnBoth, type TestServer } from '../../support/server.ts';
import { signIn } from '../../support/session.ts';
import { makeFlow, makeSource, unique } from './fixtures.ts';
import { startMediaServer } from './media-server.ts';

const media = await startMediaServer();
afterEach(() => media.reset());
afterAll(() => media.close());
const env = { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.0/8', GATEHOUSE_MEDIASRC_API_URL: media.url };

let lastId = 1000;
/** A new user with an account there; their token. */
function person(values: Record<string, unknown> = {}): { token: string; id: number; username: string; email: string } {
  lastId += 1;
  const username = unique('person');
  const known = { id: lastId, username, email: `${username}@example.com`, title: `Person ${lastId}`, ...values };
  const token = unique('token');
  media.know(token, known);
  return { token, ...known };
}

async function world(server: TestServer, values: Record<string, unknown> = {}) {
  const owner = person();
  const signIn = await makeFlow(server, 'authentication', { authentication: 'require_unauthenticated' });
  const enrol = await makeFlow(server, 'enrollment');
  const source = await makeSource(server, 'mediasrc', {
    plex_token: owner.token,
    authentication_flow: signIn.pk,
    enrollment_flow: enrol.pk,
    ...values,
  });
  const redeem = (token: unknown, api = server.nobody) =>
    api.post(`/sources/mediasrc/redeem_token/?slug=${source.slug}`, { plex_token: token });
  return { owner, signIn, enrol, source, redeem };
}

/** The slug of the flow that an answer sends people to. */
const flowOf = ({ body }: Pick<Answer, 'body'>) => /^\/if\/flow\/([^/]+)\//.exec(body?.to ?? '')?.[1] ?? '';

/** The plan that the answer's cookie stands for. */
async function planOf({ world: { db, key, clock } }: TestServer, answer: Pick<Answer, 'headers' | 'body'>) {
  const token = /^gatehouse_flow_plan=([^;]+);/.exec(answer.headers.get('set-cookie') ?? '')?.[1];
  return token ? findPlan(db.read, key, token, flowOf(answer), clock.now()) : null;
}

const connect = (server: TestServer, source: { pk: string }, user: number, identifier: unknown) =>
  server.admin.post('/sources/user_connections/mediasrc/', {
    user,
    source: source.pk,
    identifier: String(identifier),
    plex_token: 'old',
  });

describeOnBoth(
  'redeeming a token of the media server',
  (server, kind) => {
    const browserOf = async ({ pk }: { pk: number }) => (await signIn(server(), pk)).browser;

    test('a new account is sent to enrolment with its properties', async () => {
      const { source, enrol, redeem } = await world(server());
      const newcomer = person();
      const events = await eventsDuring(server(), async () => {
        const answer = await redeem(newcomer.token);
        expect(answer.status).toBe(200);
        expect(answer.body).toEqual({
          component: 'xak-flow-redirect',
          to: `/if/flow/${enrol.slug}/?slug=${source.slug}`,
        });
        const cookie = answer.headers.get('set-cookie') ?? '';
        expect(cookie).toMatch(/^gatehouse_flow_plan=[A-Za-z0-9]{43}; Max-Age=1800; Path=\/; HttpOnly; SameSite=Lax$/);
        expect(await planOf(server(), answer)).toEqual({
          flow: { pk: enrol.pk, slug: enrol.slug },
          sso: true,
          source: { pk: source.pk, slug: source.slug, name: source.name, model: 'svc_sources_mediasrc.mediasrcsource' },
          pending_user: null,
          prompt_data: {
            username: newcomer.username,
            email: newcomer.email,
            name: `Person ${newcomer.id}`,
            path: `gatehouse/sources/${source.slug}`,
          },
          context: {
            auth_method: 'source',
            auth_method_args: { source: { pk: source.pk, slug: source.slug, name: source.name } },
            proven_email: { email: newcomer.email, by: 'source' },
          },
          append: [
            {
              kind: 'svc_sources_mediasrc.mediasrcsource',
              step: 'save_connection',
              content: {
                model: 'svc_sources_mediasrc.usermediasrcsourceconnection',
                identifier: String(newcomer.id),
                values: { plex_token: newcomer.token },
                email: newcomer.email,
              },
            },
            { kind: 'svc_sources_mediasrc.mediasrcsource', step: 'sync_groups', content: [] },
          ],
        });
      });
      expect(events).toEqual([]);
      const connections = await server().admin.get(`/sources/user_connections/mediasrc/?source__slug=${source.slug}`);
      expect(connections.body.results).toEqual([]);
    });

    test('a connected account is sent to sign in', async () => {
      const { source, signIn, redeem } = await world(server());
      const user = await server().user();
      const { token, id } = person();
      expect((await connect(server(), source, user.pk, id)).status).toBe(201);
      const answer = await redeem(token);
      expect(answer.body.to).toBe(`/if/flow/${signIn.slug}/?slug=${source.slug}`);
      const plan = await planOf(server(), answer);
      expect(plan).toMatchObject({ pending_user: user.pk, flow: { slug: signIn.slug } });
      expect(plan?.append[0]).toMatchObject({ content: { identifier: String(id), values: { plex_token: token } } });
    });

    test('a signed-in user connects their account, with one event', async () => {
      const { source, redeem } = await world(server(), { authentication_flow: null, enrollment_flow: null });
      const user = await server().user();
      const browser = await browserOf(user);
      const mine = person();
      const events = await eventsDuring(server(), async () => {
        const answer = await redeem(mine.token, browser);
        expect([answer.status, answer.body]).toEqual([
          200,
          { component: 'xak-flow-redirect', to: '/if/user/#/settings;page-sources' },
        ]);
        expect(answer.headers.get('set-cookie')).toBeNull();
      });
      expect(events).toHaveLength(1);
      expect(events[0]).toMatchObject({
        action: 'source_linked',
        username: user.username,
        context: { message: 'Linked Source', source: { model_name: 'mediasrcsource', name: source.name } },
      });
      expect(JSON.stringify(events)).not.toContain(mine.token);
      const { body } = await user.api.get('/sources/user_connections/mediasrc/');
      expect(body.results).toMatchObject([{ user: user.pk, identifier: String(mine.id), source: { pk: source.pk } }]);

      const again = await redeem(mine.token, browser);
      expect([again.status, again.body]).toEqual([
        400,
        { non_field_errors: [`You are already linked to ${source.name}.`] },
      ]);
      expect((await redeem(person().token, browser)).status).toBe(400);
      const other = await server().user();
      const taken = await redeem(mine.token, await browserOf(other));
      expect([taken.status, taken.body]).toEqual([
        400,
        { non_field_errors: [`This account of ${source.name} is linked to another user.`] },
      ]);
      expect((await other.api.get('/sources/user_connections/mediasrc/')).body.results).toEqual([]);
    });

    test('redeem_token_authenticated links, and links again with a newer token', async () => {
      const { source } = await world(server());
      const path = `/sources/mediasrc/redeem_token_authenticated/?slug=${source.slug}`;
      const user = await server().user();
      const browser = await browserOf(user);
      const mine = person();
      expect((await server().nobody.post(path, { plex_token: mine.token })).status).toBe(403);
      const first = await eventsDuring(server(), async () => {
        const answer = await browser.post(path, { plex_token: mine.token });
        expect([answer.status, answer.text]).toEqual([204, '']);
      });
      expect(first.map(({ action }) => action)).toEqual(['source_linked']);
      const newer = unique('token');
      media.know(newer, { id: mine.id });
      const second = await eventsDuring(server(), async () => {
        expect((await browser.post(path, { plex_token: newer })).status).toBe(204);
      });
      expect(second.map(({ action }) => action)).toEqual(['model_updated']);
      expect((await browser.post(path, { plex_token: person().token })).status).toBe(400);
      expect((await (await browserOf(await server().user())).post(path, { plex_token: newer })).status).toBe(400);
      expect((await browser.post('/sources/mediasrc/redeem_token_authenticated/', { plex_token: newer })).status).toBe(
        404,
      );
      const { body } = await user.api.get('/sources/user_connections/mediasrc/');
      expect(body.results).toMatchObject([{ identifier: String(mine.id) }]);
    });

    test('two links of one account at the same time: one comes through', async () => {
      const { redeem } = await world(server());
      const mine = person();
      const users = [await server().user(), await server().user(), await server().user()];
      const answers = await Promise.all(users.map(async (user) => redeem(mine.token, await browserOf(user))));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
    });

    // What follows does not depend on the database.
    if (kind === 'postgres') return;

    test('the media server is asked with the headers it knows', async () => {
      const { source, redeem } = await world(server());
      const { token } = person();
      await redeem(token);
      expect(media.asked.map(({ path }) => path).sort()).toEqual(['/resources', '/user']);
      for (const { headers } of media.asked) {
        expect(headers).toMatchObject({
          accept: 'application/json',
          'x-plex-token': token,
          'x-plex-client-identifier': source.client_id,
        });
      }
    });

    test('neither the token of the plan nor that of the media server can be read in the database', async () => {
      const { redeem } = await world(server());
      const { token, username } = person();
      const answer = await redeem(token);
      const plan = /gatehouse_flow_plan=([^;]+)/.exec(answer.headers.get('set-cookie') ?? '')?.[1] as string;
      const { rows } = await sql`select * from flow_plans`.execute(server().world.db.read);
      const stored = JSON.stringify(rows);
      for (const secret of [plan, token, username]) expect(stored).not.toContain(secret);
    });

    test('a plan ends with its time', async () => {
      const { redeem } = await world(server());
      const answer = await redeem(person().token);
      const token = /gatehouse_flow_plan=([^;]+)/.exec(answer.headers.get('set-cookie') ?? '')?.[1] as string;
      const { db, key, clock } = server().world;
      const flow = flowOf(answer);
      expect(await findPlan(db.read, key, token, flow, clock.now())).not.toBeNull();
      const later = new Date(Date.now() + 31 * 60_000).toISOString().replace('Z', '000Z');
      expect(await findPlan(db.read, key, token, flow, later)).toBeNull();
      expect(await findPlan(db.read, key, `${token.slice(0, -1)}!`, flow, clock.now())).toBeNull();
    });

    test('a dry run answers the same and keeps nothing', async () => {
      const { source, enrol } = await world(server());
      const count = async () => (await sql`select pk from flow_plans`.execute(server().world.db.read)).rows.length;
      const before = await count();
      const path = `/sources/mediasrc/redeem_token/?slug=${source.slug}&dry_run=true`;
      const answer = await server().nobody.post(path, { plex_token: person().token });
      expect(answer.body.to).toBe(`/if/flow/${enrol.slug}/?slug=${source.slug}`);
      expect(answer.headers.get('set-cookie')).toBeNull();
      expect(await count()).toBe(before);
    });

    test('a linked user who is not active is refused', async () => {
      const { source, redeem } = await world(server());
      const user = await server().user();
      const { token, id } = person();
      await connect(server(), source, user.pk, id);
      await server().admin.patch(`/core/users/${user.pk}/`, { is_active: false });
      const answer = await redeem(token);
      expect([answer.status, answer.body.detail]).toEqual([403, 'Access denied.']);
      expect(answer.headers.get('set-cookie')).toBeNull();
    });

    const refusal = (name: string) =>
      `Request to authenticate with ${name} has been denied. Please authenticate with the source you've previously signed up with.`;

    test.each([
      ['email_link', 'email'],
      ['username_link', 'username'],
    ] as const)('%s signs in as the user with the same %s', async (mode, member) => {
      const { signIn, enrol, redeem } = await world(server(), { user_matching_mode: mode });
      const known = person();
      const user = await server().user([], { [member]: known[member] });
      const answer = await redeem(known.token);
      expect(answer.body.to).toContain(`/if/flow/${signIn.slug}/`);
      expect(await planOf(server(), answer)).toMatchObject({ pending_user: user.pk });
      const stranger = await redeem(person().token);
      expect(stranger.body.to).toContain(`/if/flow/${enrol.slug}/`);
      await server().admin.patch(`/core/users/${user.pk}/`, { is_active: false });
      expect((await redeem(known.token)).status).toBe(403);
    });

    test.each([
      ['email_deny', 'email'],
      ['username_deny', 'username'],
    ] as const)('%s refuses where there is a user with the same %s', async (mode, member) => {
      const { source, enrol, redeem } = await world(server(), { user_matching_mode: mode });
      const known = person();
      await server().user([], { [member]: known[member] });
      const answer = await redeem(known.token);
      expect([answer.status, answer.body.detail]).toEqual([403, refusal(source.name)]);
      const stranger = await redeem(person().token);
      expect(stranger.body.to).toContain(`/if/flow/${enrol.slug}/`);
    });

    test.each([
      ['email_link', { email: '' }],
      ['email_link', { email: null }],
      ['email_deny', { email: '' }],
      ['username_link', { username: '' }],
      ['username_deny', { username: null }],
    ])('%s refuses an account with %j', async (mode, values) => {
      const { source, redeem } = await world(server(), { user_matching_mode: mode });
      const answer = await redeem(person(values).token);
      expect([answer.status, answer.body.detail]).toEqual([403, refusal(source.name)]);
    });

    test('a user connected to another account is not matched', async () => {
      const { source, redeem } = await world(server(), { user_matching_mode: 'username_link' });
      const known = person();
      const user = await server().user([], { username: known.username });
      await connect(server(), source, user.pk, 1);
      expect((await redeem(known.token)).status).toBe(403);
    });

    test('without the flow that is needed there is nowhere to go', async () => {
      const { source, redeem } = await world(server(), { authentication_flow: null, enrollment_flow: null });
      const newcomer = await redeem(person().token);
      expect([newcomer.status, newcomer.body]).toEqual([
        400,
        { non_field_errors: ['Source is not configured for enrollment.'] },
      ]);
      const known = person();
      await connect(server(), source, (await server().user()).pk, known.id);
      const answer = await redeem(known.token);
      expect([answer.status, answer.body]).toEqual([400, { non_field_errors: ['Configured flow does not exist.'] }]);
    });

    test('a flow that is not for this caller, by itself or by its policies, is refused', async () => {
      const { admin } = server();
      const closed = await makeFlow(server(), 'enrollment', { authentication: 'require_authenticated' });
      const { redeem } = await world(server(), { enrollment_flow: closed.pk });
      const answer = await redeem(person().token);
      expect([answer.status, answer.body.detail]).toEqual([403, 'Access denied.']);

      const { enrol, redeem: again } = await world(server());
      const expression = 'message("Not on my watch."); return context.prompt_data.username === "nobody"';
      const { body: policy } = await admin.post('/policies/expression/', { name: unique('p'), expression });
      await admin.post('/policies/bindings/', { target: enrol.pk, policy: policy.pk, order: 0 });
      const refused = await again(person().token);
      expect([refused.status, refused.body.detail]).toEqual([403, 'Not on my watch.']);
      expect((await again(person({ username: 'nobody' }).token)).status).toBe(200);
    });

    test('policies of the source decide about whoever comes through it', async () => {
      const { admin } = server();
      const { source, redeem } = await world(server());
      const user = await server().user();
      const known = person();
      await connect(server(), source, user.pk, known.id);
      const bound = await admin.post('/policies/bindings/', { target: source.pk, user: user.pk, order: 0 });
      expect(bound.status).toBe(201);
      expect((await redeem(known.token)).status).toBe(200);
      const newcomer = await redeem(person().token);
      expect([newcomer.status, newcomer.body.detail]).toEqual([403, 'Access denied.']);
      const stranger = await server().user();
      expect((await redeem(person().token, await browserOf(stranger))).status).toBe(403);

      const { body: policy } = await admin.post('/policies/expression/', { name: unique('p'), expression: 'throw 1' });
      await admin.patch(`/policies/bindings/${bound.body.pk}/`, { user: null, policy: policy.pk });
      expect((await redeem(known.token)).status).toBe(403);
    });

    test('only members of allowed servers, friends of the owner and the owner may sign in', async () => {
      const friend = person();
      const owner = person({ friends: [friend.id] });
      const { redeem } = await world(server(), { plex_token: owner.token, allowed_servers: ['mine', 'ours'] });
      expect((await redeem(person({ servers: ['theirs', 'ours'] }).token)).status).toBe(200);
      expect((await redeem(friend.token)).status).toBe(200);
      expect((await redeem(owner.token)).status).toBe(200);
      const stranger = await redeem(person({ servers: ['theirs', 'a-telephone'] }).token);
      expect([stranger.status, stranger.body.detail]).toEqual([403, 'Access denied.']);

      const strict = await world(server(), {
        plex_token: owner.token,
        allowed_servers: ['mine'],
        allow_friends: false,
      });
      expect((await strict.redeem(friend.token)).status).toBe(403);
      expect((await strict.redeem(owner.token)).status).toBe(403);
      const device = await world(server(), { allowed_servers: ['a-telephone'], allow_friends: false });
      expect((await device.redeem(person().token)).status).toBe(403);
    });

    test('an empty list of servers lets every account in', async () => {
      const { redeem } = await world(server(), { allowed_servers: [], allow_friends: false });
      expect((await redeem(person().token)).status).toBe(200);
    });

    test('mappings say who a user is, and which groups are theirs', async () => {
      const { admin } = server();
      const mapping = async (kind: string, name: string, expression: string) =>
        (await admin.post(`/propertymappings/source/${kind}/`, { name: unique(name), expression })).body.pk;
      const { redeem } = await world(server(), {
        user_property_mappings: [
          await mapping('mediasrc', 'b', 'return { name: "B", attributes: { b: info.id, ours: source.slug } }'),
          await mapping('mediasrc', 'a', 'return { name: "A", attributes: { a: info.uuid }, groups: ["x", "y"] }'),
          await mapping('mediasrc', 'c', 'return { token: info.authToken, email: None, groups: ["y", "z"] }'),
          await mapping('mediasrc', 'd', 'return None'),
          await mapping('oauth', 'z', 'return { name: "of another kind" }'),
        ],
        group_property_mappings: [await mapping('mediasrc', 'g', 'return { attributes: { from: group_id } }')],
      });
      const newcomer = person();
      const plan = await planOf(server(), await redeem(newcomer.token));
      expect(plan?.prompt_data).toEqual({
        username: newcomer.username,
        name: 'B',
        path: expect.any(String),
        attributes: { a: `uuid-${newcomer.id}`, b: newcomer.id, ours: expect.any(String) },
      });
      expect(plan?.append[1]).toEqual({
        kind: 'svc_sources_mediasrc.mediasrcsource',
        step: 'sync_groups',
        content: ['x', 'y', 'z'].map((identifier) => ({
          identifier,
          properties: { attributes: { from: identifier } },
        })),
      });
    });

    test('mappings see nothing that gives access to the account elsewhere', async () => {
      const { body: mapping } = await server().admin.post('/propertymappings/source/mediasrc/', {
        name: unique('all'),
        expression: 'return { attributes: { seen: info } }',
      });
      const { redeem } = await world(server(), { user_property_mappings: [mapping.pk] });
      const secrets = { pin: 's-1', accessToken: 's-2', services: [{ name: 'shown', secret: 's-3', token: 's-4' }] };
      const plan = await planOf(server(), await redeem(person(secrets).token));
      expect(JSON.stringify(plan?.prompt_data)).toContain('"services":[{"name":"shown"}]');
      expect(JSON.stringify(plan?.prompt_data)).not.toMatch(/s-\d|token-/);
    });

    test.each([
      'return info.nothing.at.all',
      'return "text"',
      'return { groups: {} }',
      'return { username: 5 }',
      'for (;;) {}',
    ])('a mapping that fails (%s) is refused and told to the administrator', async (expression) => {
      const { admin } = server();
      const { body: mapping } = await admin.post('/propertymappings/source/mediasrc/', {
        name: unique('m'),
        expression,
      });
      const { source, redeem } = await world(server(), { user_property_mappings: [mapping.pk] });
      const events = await eventsDuring(server(), async () => {
        const answer = await redeem(person().token);
        expect([answer.status, answer.body]).toEqual([
          400,
          { non_field_errors: ['The property mappings of the source could not be evaluated.'] },
        ]);
      });
      expect(events).toHaveLength(1);
      expect(events[0]).toMatchObject({
        action: 'configuration_error',
        context: { message: expect.stringContaining('property mappings'), source: { name: source.name } },
      });
    });

    test('groups without a name are skipped and told to the administrator', async () => {
      const { body: mapping } = await server().admin.post('/propertymappings/source/mediasrc/', {
        name: unique('m'),
        expression: "return { groups: [{}, 'staff', null, 7, ''] }",
      });
      const { redeem } = await world(server(), { user_property_mappings: [mapping.pk] });
      const events = await eventsDuring(server(), async () => {
        const plan = await planOf(server(), await redeem(person().token));
        const step = plan?.append.find(({ step: name }) => name === 'sync_groups');
        expect(step?.content).toMatchObject([{ identifier: 'staff' }, { identifier: '7' }]);
      });
      expect(events).toMatchObject([
        { action: 'configuration_error', context: { message: 'Skipped 3 groups of a user that have no name.' } },
      ]);
    });

    test('a client with a bearer token gets the same answers, and links no user', async () => {
      const { admin } = server();
      const { source, signIn, enrol, redeem } = await world(server());
      const known = person();
      const user = await server().user();
      await connect(server(), source, user.pk, known.id);
      const events = await eventsDuring(server(), async () => {
        const answer = await redeem(person().token, admin);
        expect(flowOf(answer)).toBe(enrol.slug);
        expect((await planOf(server(), answer))?.pending_user).toBeNull();
        const back = await redeem(known.token, admin);
        expect(flowOf(back)).toBe(signIn.slug);
        expect((await planOf(server(), back))?.pending_user).toBe(user.pk);
      });
      expect(events).toEqual([]);
      expect((await redeem('', admin)).body).toEqual({ plex_token: ['This field may not be blank.'] });
      const nowhere = await admin.post('/sources/mediasrc/redeem_token/?slug=nowhere', { plex_token: known.token });
      expect(nowhere.status).toBe(404);
      const { body } = await admin.get(`/sources/user_connections/mediasrc/?source__slug=${source.slug}`);
      expect(body.results.map((one: { user: number }) => one.user)).toEqual([user.pk]);
    });

    test('the token must be given, and a token', async () => {
      const { redeem, source } = await world(server());
      const complaints = async (body: unknown) =>
        (await server().nobody.post(`/sources/mediasrc/redeem_token/?slug=${source.slug}`, body)).body;
      expect(await complaints({})).toEqual({ plex_token: ['This field is required.'] });
      expect(await complaints({ plex_token: ' ' })).toEqual({ plex_token: ['This field may not be blank.'] });
      expect(await complaints({ plex_token: null })).toEqual({ plex_token: ['This field may not be null.'] });
      expect(await complaints({ plex_token: ['a'] })).toEqual({ plex_token: ['Not a valid string.'] });
      expect(await complaints([])).toEqual({
        non_field_errors: ['Invalid data. Expected a dictionary, but got list.'],
      });
      for (const token of ['with\r\nX-Other: header', 'with space', 'ünïcode', 'x'.repeat(2000)]) {
        expect((await redeem(token)).status).toBe(400);
      }
      expect(media.asked).toEqual([]);
    });

    test('a source that is not there is not found', async () => {
      const oauth = await makeSource(server(), 'oauth', {
        provider_type: 'github',
        consumer_key: 'k',
        consumer_secret: 's',
      });
      for (const query of ['', '?slug=', '?slug=nowhere', `?slug=${oauth.slug}`, '?slug=%00']) {
        const answer = await server().nobody.post(`/sources/mediasrc/redeem_token/${query}`, { plex_token: 'x' });
        expect([query, answer.status, answer.body.detail]).toEqual([query, 404, 'Not found.']);
      }
    });

    test('a wrong bearer token is refused, though none is needed', async () => {
      const { source } = await world(server());
      const path = `/sources/mediasrc/redeem_token/?slug=${source.slug}`;
      const answer = await server().as('wrong').post(path, { plex_token: person().token });
      expect([answer.status, answer.body.detail]).toEqual([403, 'Token invalid/expired']);
    });
  },
  { env },
);
