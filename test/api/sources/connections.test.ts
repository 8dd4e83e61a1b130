import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { eventsDuring } from '../../support/events.ts';
import { grantOn } from '../../support/grants.ts';
import { describeOnBoth, type TestServer } from '../../support/server.ts';
import { statementsOf } from '../../support/statements.ts';
import { makeFlow, makeSource, unique } from './fixtures.ts';

const github = { provider_type: 'github', consumer_key: 'k', consumer_secret: 's' };

/** A source of the kind, and what else a connection of it has to say. */
async function prepare(server: TestServer, kind: string) {
  if (kind === 'oauth')
    return { source: await makeSource(server, kind, github), extra: { access_token: 'a-secret-value' } };
  if (kind === 'mediasrc') {
    return { source: await makeSource(server, kind, { plex_token: 't' }), extra: { plex_token: 'a-secret-value' } };
  }
  const flow = await makeFlow(server, 'stage_configuration');
  const saml = { pre_authentication_flow: flow.pk, sso_url: 'https://idp.example.com/sso' };
  return { source: await makeSource(server, kind, saml), extra: {} };
}

const modelOf = (kind: string) => `svc_sources_${kind}.user${kind}sourceconnection`;
const permission = (kind: string, verb: string) => modelOf(kind).replace('.', `.${verb}_`);

describeOnBoth('connections of users to sources', (server) => {
  for (const kind of ['oauth', 'saml', 'mediasrc']) {
    const path = `/sources/user_connections/${kind}/`;
    const link = async (user: number, values: Record<string, unknown> = {}) => {
      const { source, extra } = await prepare(server(), kind);
      const body = { user, source: source.pk, identifier: unique('id'), ...extra, ...values };
      const made = await server().admin.post(path, body);
      return { source, extra, made, body };
    };

    test(`${kind}: an administrator links a user; the source shows as the base of all sources`, async () => {
      const user = await server().user();
      const events = await eventsDuring(server(), async () => {
        const { source, made, body } = await link(user.pk);
        expect(made.status).toBe(201);
        expect(made.body).toEqual({
          pk: expect.any(Number),
          user: user.pk,
          source: {
            pk: source.pk,
            name: source.name,
            slug: source.slug,
            enabled: source.enabled,
            authentication_flow: null,
            enrollment_flow: null,
            user_property_mappings: [],
            group_property_mappings: [],
            component: '',
            verbose_name: 'source',
            verbose_name_plural: 'sources',
            meta_model_name: 'svc_core.source',
            policy_engine_mode: 'any',
            user_matching_mode: 'identifier',
            managed: null,
            user_path_template: 'gatehouse/sources/%(slug)s',
            icon: kind === 'saml' ? '' : null,
          },
          created: expect.stringMatching(/^\d{4}-.*Z$/),
          identifier: body.identifier,
        });
        expect((await server().admin.get(`${path}${made.body.pk}/`)).body).toEqual(made.body);
      });
      const own = events.filter(({ context }) => context.model.model_name === modelOf(kind).split('.')[1]);
      expect(own.map(({ action }) => action)).toEqual(['model_created']);
      expect(JSON.stringify(events)).not.toContain('a-secret-value');
    });

    test(`${kind}: a list shows one's own, a superuser's all; filters, search and order`, async () => {
      const [ada, bob] = [await server().user(), await server().user()];
      const first = (await link(ada.pk)).made.body;
      const second = (await link(ada.pk)).made.body;
      const other = (await link(bob.pk)).made.body;
      const keys = async (query = '', api = ada.api) =>
        (await api.get(`${path}?page_size=1000&${query}`)).body.results.map(({ pk }: { pk: number }) => pk);
      const bySlug = [first, second].sort((a, b) => (a.source.slug < b.source.slug ? -1 : 1)).map(({ pk }) => pk);
      expect(await keys()).toEqual(bySlug);
      expect(await keys('ordering=-pk')).toEqual([second.pk, first.pk]);
      expect(await keys(`source__slug=${first.source.slug}`)).toEqual([first.pk]);
      expect(await keys('source__slug=nowhere')).toEqual([]);
      expect(await keys(`search=${second.source.slug.toUpperCase()}`)).toEqual([second.pk]);
      expect(await keys(`user=${bob.pk}`)).toEqual([]);
      expect(await keys(`user=${ada.pk}`)).toEqual(bySlug);
      expect(await keys('', server().admin)).toEqual(expect.arrayContaining([first.pk, second.pk, other.pk]));
      expect(await keys(`user=${bob.pk}`, server().admin)).toEqual([other.pk]);
      const unknown = await ada.api.get(`${path}?user=99999999`);
      expect([unknown.status, unknown.body]).toEqual([
        400,
        { user: ['Select a valid choice. That choice is not one of the available choices.'] },
      ]);
      const nothing = await (await server().user()).api.get(path);
      expect([nothing.status, nothing.body.results]).toEqual([200, []]);
      expect((await server().nobody.get(path)).status).toBe(403);
    });

    test(`${kind}: other people's connections are not there, whatever permissions one holds`, async () => {
      const owner = await server().user();
      const { made } = await link(owner.pk);
      const all = ['view', 'change', 'delete'].map((verb) => permission(kind, verb));
      const stranger = await server().user(all);
      const one = `${path}${made.body.pk}/`;
      expect((await stranger.api.get(one)).status).toBe(404);
      expect((await stranger.api.patch(one, { identifier: 'x' })).status).toBe(404);
      expect((await stranger.api.delete(one)).status).toBe(404);
      expect((await stranger.api.get(`${one}used_by/`)).status).toBe(404);
      expect((await owner.api.get(one)).status).toBe(200);
      expect((await owner.api.get(`${one}used_by/`)).body).toEqual([]);
      expect((await owner.api.get(`${path}abc/`)).status).toBe(404);
      const events = await eventsDuring(server(), async () => {
        expect((await owner.api.delete(one)).status).toBe(204);
      });
      expect(events.map(({ action }) => action)).toEqual(['model_deleted']);
      expect((await owner.api.get(one)).status).toBe(404);
    });

    test(`${kind}: the identifier changes, who is linked to what does not`, async () => {
      const [owner, other] = [await server().user(), await server().user()];
      const { made, extra } = await link(owner.pk);
      const elsewhere = await prepare(server(), kind);
      const body = {
        identifier: unique('new'),
        user: other.pk,
        source: elsewhere.source.pk,
        created: '2000-01-01T00:00:00Z',
        pk: 1,
      };
      for (const [api, method] of [
        [server().admin, 'patch'],
        [server().admin, 'put'],
      ] as const) {
        const changed = await api[method](`${path}${made.body.pk}/`, { ...extra, ...body });
        expect([changed.status, changed.body]).toEqual([200, { ...made.body, identifier: body.identifier }]);
      }
      const bad = await owner.api.put(`${path}${made.body.pk}/`, { identifier: '' });
      expect(bad.body.identifier).toEqual(['This field may not be blank.']);
      const long = await owner.api.patch(`${path}${made.body.pk}/`, { identifier: 'x'.repeat(256) });
      expect(long.body).toEqual({ identifier: ['Ensure this field has no more than 255 characters.'] });
    });

    test(`${kind}: an account belongs to one user, and a user has one account with a source`, async () => {
      const [ada, bob] = [await server().user(), await server().user()];
      const { source, extra, made, body } = await link(ada.pk);
      const again = await server().admin.post(path, { ...body, identifier: unique('other') });
      expect([again.status, again.body]).toEqual([
        400,
        { non_field_errors: ['The fields user, source must make a unique set.'] },
      ]);
      const taken = await server().admin.post(path, { ...body, user: bob.pk });
      expect([taken.status, taken.body]).toEqual([
        400,
        { non_field_errors: ['The fields source, identifier must make a unique set.'] },
      ]);
      const mine = { user: bob.pk, source: source.pk, identifier: unique('id'), ...extra };
      const own = await server().admin.post(path, mine);
      const stolen = await server().admin.patch(`${path}${own.body.pk}/`, { identifier: made.body.identifier });
      expect(stolen.status).toBe(400);
    });

    test(`${kind}: a link that cannot be completed is refused with every complaint`, async () => {
      const required = ['This field is required.'];
      const empty = await server().admin.post(path, {});
      expect(empty.status).toBe(400);
      expect(empty.body).toMatchObject({ user: required, source: required, identifier: required });
      const otherKind = kind === 'oauth' ? 'mediasrc' : 'oauth';
      const { source } = await prepare(server(), otherKind);
      const wrong = await server().admin.post(path, {
        user: 99999999,
        source: source.pk,
        identifier: 'x',
        ...(kind === 'mediasrc' && { plex_token: 't' }),
      });
      expect([wrong.status, wrong.body]).toEqual([
        400,
        {
          user: ['Invalid pk "99999999" - object does not exist.'],
          source: [`Invalid pk "${source.pk}" - object does not exist.`],
        },
      ]);
    });

    test(`${kind}: linking asks for the rights to add, and to change both ends`, async () => {
      const user = await server().user();
      const { source, extra } = await prepare(server(), kind);
      const body = { user: user.pk, source: source.pk, identifier: unique('id'), ...extra };
      const add = permission(kind, 'add');
      const sourcePermission = `svc_sources_${kind}.change_${kind}source`;
      expect((await server().nobody.post(path, body)).status).toBe(403);
      expect((await user.api.post(path, body)).status).toBe(403);
      const adder = await server().user([add]);
      expect((await adder.api.post(path, body)).status).toBe(403);
      await grantOn(server(), adder.pk, sourcePermission, source.pk);
      expect((await adder.api.post(path, body)).status).toBe(403);
      await grantOn(server(), adder.pk, 'svc_core.change_user', user.pk);
      expect((await adder.api.post(path, body)).status).toBe(201);
      const dry = await server().admin.post(`${path}?dry_run=true`, {
        ...body,
        user: adder.pk,
        identifier: unique('id'),
      });
      expect(dry.status).toBe(201);
      expect((await adder.api.get(path)).body.results).toEqual([]);
    });
  }

  test('tokens are kept sealed and never shown', async () => {
    for (const kind of ['oauth', 'mediasrc']) {
      const user = await server().user();
      const { source, extra } = await prepare(server(), kind);
      const body = { user: user.pk, source: source.pk, identifier: unique('id'), ...extra };
      const made = await server().admin.post(`/sources/user_connections/${kind}/`, body);
      const one = `/sources/user_connections/${kind}/${made.body.pk}/`;
      const changed = await user.api.patch(
        one,
        kind === 'oauth' ? { access_token: 'a-newer-value' } : { plex_token: 'a-newer-value' },
      );
      const { rows } =
        await sql`select * from ${sql.table(`user_connection_${kind}`)} where pk = ${made.body.pk}`.execute(
          server().world.db.read,
        );
      const shown = [made.text, changed.text, (await user.api.get(one)).text, JSON.stringify(rows)].join();
      expect(shown).not.toMatch(/a-secret-value|a-newer-value|plex_token":"a|access_token":"a/);
      expect(made.text).not.toContain('_token"');
    }
  });

  test('all/ shows connections of every kind, and changes nothing but by deleting', async () => {
    const user = await server().user();
    const made = [];
    for (const kind of ['oauth', 'saml', 'mediasrc']) {
      const { source, extra } = await prepare(server(), kind);
      const body = { user: user.pk, source: source.pk, identifier: unique('id'), ...extra };
      made.push((await server().admin.post(`/sources/user_connections/${kind}/`, body)).body);
    }
    const { body } = await user.api.get('/sources/user_connections/all/?ordering=pk');
    const base = made.map(({ identifier: _identifier, source, ...rest }) => ({
      ...rest,
      source: { ...source, icon: null },
    }));
    expect(body.results).toEqual(base);
    const one = `/sources/user_connections/all/${made[0].pk}/`;
    const other = await server().user();
    for (const method of ['put', 'patch'] as const) {
      const answer = await user.api[method](one, { user: other.pk, identifier: 'x' });
      expect([answer.status, answer.body]).toEqual([200, base[0]]);
    }
    expect((await user.api.get(`/sources/user_connections/oauth/${made[0].pk}/`)).body).toEqual(made[0]);
    expect((await other.api.delete(one)).status).toBe(404);
    const events = await eventsDuring(server(), async () => {
      expect((await user.api.delete(one)).status).toBe(204);
    });
    expect(events).toMatchObject([
      { action: 'model_deleted', context: { model: { model_name: 'useroauthsourceconnection' } } },
    ]);
    expect((await user.api.post('/sources/user_connections/all/', {})).status).toBe(405);
  });

  test('connections are deleted with their user and with their source', async () => {
    const user = await server().user();
    const { source, extra } = await prepare(server(), 'mediasrc');
    const { body } = await server().admin.post('/sources/user_connections/mediasrc/', {
      user: user.pk,
      source: source.pk,
      identifier: unique('id'),
      ...extra,
    });
    await server().admin.delete(`/sources/mediasrc/${source.slug}/`);
    expect((await server().admin.get(`/sources/user_connections/mediasrc/${body.pk}/`)).status).toBe(404);
    expect((await server().admin.get(`/sources/user_connections/all/${body.pk}/`)).status).toBe(404);
  });

  test('a list takes the same number of statements at any length', async () => {
    const user = await server().user();
    const count = async () =>
      (await statementsOf(server(), () => server().admin.get('/sources/user_connections/saml/'))).length;
    const before = await count();
    for (let at = 0; at < 5; at++) {
      const { source } = await prepare(server(), 'saml');
      await server().admin.post('/sources/user_connections/saml/', {
        user: user.pk,
        source: source.pk,
        identifier: unique('id'),
      });
    }
    expect(await count()).toBeLessThanOrEqual(before + 1);
  });
});

describeOnBoth('connections of groups to sources', (server) => {
  const makeGroup = async (values = {}) =>
    (await server().admin.post('/core/groups/', { name: unique('group'), ...values })).body;

  for (const kind of ['oauth', 'mediasrc']) {
    const path = `/sources/group_connections/${kind}/`;
    const app = `svc_sources_${kind}`;
    const name = `group${kind}sourceconnection`;

    test(`${kind}: are made, read and deleted, and never changed`, async () => {
      const { admin } = server();
      const { source } = await prepare(server(), kind);
      const [group, other] = [await makeGroup(), await makeGroup()];
      const body = { group: group.pk, source: source.pk, identifier: unique('id') };
      const made = await admin.post(path, body);
      expect(made.status).toBe(201);
      expect(made.body).toMatchObject({
        pk: expect.any(Number),
        ...body,
        source: { slug: source.slug, component: '' },
      });
      expect(Object.keys(made.body).sort()).toEqual(['created', 'group', 'identifier', 'pk', 'source']);
      const one = `${path}${made.body.pk}/`;
      for (const method of ['put', 'patch'] as const) {
        const answer = await admin[method](one, { group: other.pk, identifier: 'x' });
        expect([answer.status, answer.body]).toEqual([200, made.body]);
      }
      expect((await admin.get(`${path}?group=${group.pk}`)).body.results).toEqual([made.body]);
      expect((await admin.get(`${path}?source__slug=${source.slug}`)).body.results).toEqual([made.body]);
      expect((await admin.get(`${path}?search=${source.slug}`)).body.results).toEqual([made.body]);
      const sibling = kind === 'oauth' ? 'mediasrc' : 'oauth';
      expect((await admin.get(`/sources/group_connections/${sibling}/${made.body.pk}/`)).status).toBe(404);
      expect((await admin.get(`/sources/group_connections/saml/${made.body.pk}/`)).status).toBe(404);
      expect((await admin.post(path, body)).status).toBe(400);
      expect((await admin.get(`/core/groups/${group.pk}/used_by/`)).body).toContainEqual(
        expect.objectContaining({ model_name: name, action: 'cascade' }),
      );
      expect((await admin.delete(one)).status).toBe(204);
    });

    test(`${kind}: ask for permissions, and for the rights to change both ends`, async () => {
      const { source } = await prepare(server(), kind);
      const group = await makeGroup();
      const body = { group: group.pk, source: source.pk, identifier: unique('id') };
      expect((await (await server().user()).api.get(path)).status).toBe(403);
      const adder = await server().user([`${app}.add_${name}`]);
      expect((await adder.api.post(path, body)).status).toBe(403);
      const able = await server().user([`${app}.add_${name}`, `${app}.change_${kind}source`, 'svc_core.change_group']);
      const admins = await makeGroup({ is_superuser: true });
      expect((await able.api.post(path, { ...body, group: admins.pk })).status).toBe(403);
      const made = await able.api.post(path, body);
      expect(made.status).toBe(201);
      const viewer = await server().user();
      await grantOn(server(), viewer.pk, `${app}.view_${name}`, made.body.pk);
      expect((await viewer.api.get(path)).body.results.map(({ pk }: { pk: number }) => pk)).toEqual([made.body.pk]);
      expect((await viewer.api.delete(`${path}${made.body.pk}/`)).status).toBe(403);
    });
  }

  test('saml: come from sign-ins only', async () => {
    const { admin } = server();
    expect((await admin.get('/sources/group_connections/saml/')).status).toBe(200);
    expect((await admin.post('/sources/group_connections/saml/', {})).status).toBe(405);
  });
});
