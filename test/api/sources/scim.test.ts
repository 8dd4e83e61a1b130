import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { eventsDuring } from '../../support/events.ts';
import { grantOn } from '../../support/grants.ts';
import { describeOnBoth } from '../../support/server.ts';
import { makeSource, unique } from './fixtures.ts';

describeOnBoth('SCIM sources', (server) => {
  test('come with an account and a token that does not expire', async () => {
    const { admin, world } = server();
    const slug = unique('scim');
    const events = await eventsDuring(server(), async () => {
      const made = await admin.post('/sources/scim/', { name: 'Pushed', slug });
      expect(made.status).toBe(201);
      expect(made.body).toEqual({
        pk: expect.any(String),
        name: 'Pushed',
        slug,
        enabled: true,
        user_property_mappings: [],
        group_property_mappings: [],
        component: 'xak-source-scim-form',
        verbose_name: 'SCIM Source',
        verbose_name_plural: 'SCIM Sources',
        meta_model_name: 'svc_sources_scim.scimsource',
        managed: null,
        user_path_template: 'gatehouse/sources/%(slug)s',
        root_url: `${world.config.publicUrl}/source/scim/${slug}/v2`,
        manages_privileged: false,
        trust_emails: false,
        token_obj: expect.objectContaining({
          identifier: `gatehouse-source-scim-${made.body.pk}`,
          intent: 'api',
          expiring: false,
          expires: null,
          user_obj: expect.objectContaining({ type: 'internal_service_account', is_active: true, is_superuser: false }),
        }),
      });
      expect((await admin.get(`/sources/scim/${slug}/`)).body).toEqual(made.body);
    });
    expect(events.map(({ action, context }) => [action, context.model.model_name])).toEqual([
      ['model_created', 'scimsource'],
    ]);
  });

  test('keep their account and token: neither can be deleted while the source is there', async () => {
    const { admin } = server();
    const { slug, token_obj: token } = await makeSource(server(), 'scim', {});
    const refusal = { non_field_errors: ['A SCIM Source depends on it: change or delete that first.'] };
    for (const at of [`/core/tokens/${token.identifier}/`, `/core/users/${token.user_obj.pk}/`]) {
      const answer = await admin.delete(at);
      expect([answer.status, answer.body]).toEqual([400, refusal]);
    }
    expect((await admin.delete(`/sources/scim/${slug}/`)).status).toBe(204);
    expect((await admin.get(`/core/users/${token.user_obj.pk}/`)).status).toBe(404);
    expect((await admin.get(`/core/tokens/${token.identifier}/`)).status).toBe(404);
  });

  test.each(['tokens', 'users'])('whose %s were lost get new ones when they are saved, with an event', async (lost) => {
    const { admin, world } = server();
    const source = await makeSource(server(), 'scim', {});
    const token = source.token_obj;
    const pk = lost === 'users' ? token.user_obj.pk : token.pk;
    await world.db.write((tx) => sql`delete from ${sql.table(lost)} where pk = ${pk}`.execute(tx));
    expect((await admin.get(`/sources/scim/${source.slug}/`)).body.token_obj).toBeNull();
    const events = await eventsDuring(server(), async () => {
      expect((await admin.patch(`/sources/scim/${source.slug}/`, { name: source.name })).status).toBe(200);
    });
    expect(events).toContainEqual(
      expect.objectContaining({
        action: 'configuration_error',
        context: expect.objectContaining({ message: expect.stringContaining(`of the SCIM source ${source.name} had`) }),
      }),
    );
    const saved = (await admin.get(`/sources/scim/${source.slug}/`)).body.token_obj;
    expect(saved).toMatchObject({ identifier: token.identifier, user_obj: { username: token.user_obj.username } });
    const { key } = (await admin.get(`/core/tokens/${saved.identifier}/view_key/`)).body;
    const answer = await fetch(`${server().url}/source/scim/${source.slug}/v2/Users`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(answer.status).toBe(200);
  });

  test('records are named by their id among the uses of a user, a group and a source', async () => {
    const { admin } = server();
    const source = await makeSource(server(), 'scim', {});
    const { body: person } = await admin.post('/core/users/', { username: unique('used'), name: '' });
    const { body: group } = await admin.post('/core/groups/', { name: unique('used') });
    const id = unique('record');
    await admin.post('/sources/scim_users/', { id, user: person.pk, source: source.pk, attributes: {} });
    await admin.post('/sources/scim_groups/', { id, group: group.pk, source: source.pk, attributes: {} });
    const uses = [
      [`/core/users/${person.pk}/`, 'scimsourceuser', '/sources/scim_users/'],
      [`/core/groups/${group.pk}/`, 'scimsourcegroup', '/sources/scim_groups/'],
      [`/sources/scim/${source.slug}/`, 'scimsourceuser', '/sources/scim_users/'],
    ] as const;
    for (const [at, model, records] of uses) {
      const { body } = await admin.get(`${at}used_by/`);
      const [use] = body.filter((one: { model_name: string }) => one.model_name === model);
      expect(use).toMatchObject({ pk: id });
      expect((await admin.get(`${records}${use.pk}/`)).status).toBe(200);
    }
  });

  test('the token is for its SCIM server alone: the API does not know it', async () => {
    const { admin } = server();
    const source = await makeSource(server(), 'scim', {});
    const { body } = await admin.get(`/core/tokens/${source.token_obj.identifier}/view_key/`);
    expect(body.key).toMatch(/^[A-Za-z0-9]{60}$/);
    const client = server().as(body.key);
    expect((await client.get(`/source/scim/${source.slug}/v2/Users`)).status).toBe(200);
    for (const path of ['/core/users/me/', '/core/users/', '/sources/scim/']) {
      expect((await client.get(path)).status).toBe(403);
    }
  });

  test('values of a caller for token and account are ignored', async () => {
    const { admin } = server();
    const source = await makeSource(server(), 'scim', { token: crypto.randomUUID(), account: 1 });
    const patched = await admin.patch(`/sources/scim/${source.slug}/`, {
      token: null,
      account: 1,
      enabled: false,
      user_matching_mode: 'email_link',
      authentication_flow: 'not even a key',
    });
    expect([patched.status, patched.body]).toEqual([200, { ...source, enabled: false }]);
  });

  test.each(['/sources/scim/', '/sources/all/'])(
    'deleting one through %s deletes its account and token',
    async (list) => {
      const { admin, world } = server();
      const source = await makeSource(server(), 'scim', {});
      const { body } = await admin.get(`/core/tokens/${source.token_obj.identifier}/view_key/`);
      const events = await eventsDuring(server(), async () => {
        expect((await admin.delete(`${list}${source.slug}/`)).status).toBe(204);
      });
      expect(events.map(({ action, context }) => [action, context.model.model_name])).toEqual([
        ['model_deleted', 'scimsource'],
      ]);
      const accounts = await sql`select 1 from users where username = ${source.token_obj.identifier}`.execute(
        world.db.read,
      );
      expect(accounts.rows).toEqual([]);
      expect((await server().as(body.key).get('/core/users/me/')).status).toBe(403);
    },
  );

  test('renaming keeps the account', async () => {
    const { admin } = server();
    const source = await makeSource(server(), 'scim', {});
    const slug = unique('renamed');
    const put = await admin.put(`/sources/scim/${source.slug}/`, { name: 'n', slug });
    expect(put.body.token_obj.pk).toBe(source.token_obj.pk);
    expect(put.body.root_url).toMatch(new RegExp(`/source/scim/${slug}/v2$`));
    expect((await admin.get(`/sources/scim/?slug=${slug}`)).body.results).toEqual([put.body]);
    expect((await admin.get('/sources/scim/?name=n')).body.results).toContainEqual(put.body);
  });
});

describeOnBoth('SCIM records', (server) => {
  const makeGroup = async (values = {}) =>
    (await server().admin.post('/core/groups/', { name: unique('group'), ...values })).body;
  const record = async (kind: 'users' | 'groups', values: Record<string, unknown> = {}) => {
    const source = await makeSource(server(), 'scim', {});
    const target = kind === 'users' ? { user: (await server().user()).pk } : { group: (await makeGroup()).pk };
    const body = { id: unique('external'), ...target, source: source.pk, ...values };
    const made = await server().admin.post(`/sources/scim_${kind}/`, body);
    if (made.status !== 201) throw new Error(made.text);
    return { source, body: made.body };
  };
  const path = (kind: string, id: string) => `/sources/scim_${kind}/${encodeURIComponent(id)}/`;

  test('a user record shows the user it stands for', async () => {
    const { admin } = server();
    const user = await server().user([], { email: 'ada@example.com', attributes: { a: 1 } });
    const { source, body } = await record('users', {
      user: user.pk,
      attributes: { userName: 'ada', nested: [1, null] },
    });
    const { body: shown } = await admin.get(path('users', body.id));
    expect(shown).toEqual({
      id: body.id,
      user: user.pk,
      user_obj: {
        pk: user.pk,
        username: user.username,
        name: user.username,
        is_active: true,
        last_login: null,
        email: 'ada@example.com',
        attributes: { a: 1 },
        uid: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
      source: source.pk,
      attributes: { userName: 'ada', nested: [1, null] },
    });
    expect((await admin.get(`${path('users', body.id)}used_by/`)).body).toEqual([]);
  });

  test.each([
    'with.dots.and-dashes',
    'with/slash//es',
    'with space',
    'ümlaut und 漢字',
    'per%cent%2Fsign',
    'q?u&e=r#y',
    '"quotes\'; drop table users; --',
    '12345',
    'x'.repeat(600),
  ])('an id may be any text: %s', async (id) => {
    const { admin } = server();
    const { body } = await record('users', { id: `${unique('i')}${id}` });
    const { body: group } = await record('groups', { id: `${unique('i')}${id}` });
    expect((await admin.get(path('users', body.id))).body).toEqual(body);
    expect((await admin.patch(path('groups', group.id), { attributes: [] })).body).toEqual({
      ...group,
      attributes: [],
    });
  });

  test('what is not there is not found, and what may not be seen is refused', async () => {
    const { body } = await record('users');
    const { admin, nobody } = server();
    const absent = await admin.get(path('users', 'nobody'));
    expect([absent.status, absent.body.detail]).toEqual([404, 'Not found.']);
    expect((await admin.get(path('groups', body.id))).status).toBe(404);
    expect((await admin.get('/sources/scim_users/%00/')).status).toBe(404);
    expect((await nobody.get(path('users', body.id))).status).toBe(403);
    expect((await (await server().user()).api.get(path('users', body.id))).status).toBe(403);
    const viewer = await server().user(['svc_sources_scim.view_scimsourceuser']);
    expect((await viewer.api.get(path('users', body.id))).body).toEqual(body);
  });

  test('a group record changes as a whole or in part', async () => {
    const { admin } = server();
    const { source, body } = await record('groups', { attributes: { old: true, kept: false } });
    const other = await makeGroup();
    const events = await eventsDuring(server(), async () => {
      const patched = await admin.patch(path('groups', body.id), { group: other.pk, attributes: { fresh: 1 } });
      expect(patched.status).toBe(200);
      expect(patched.body).toEqual({
        id: body.id,
        group: other.pk,
        group_obj: {
          pk: other.pk,
          num_pk: other.num_pk,
          name: other.name,
          is_superuser: false,
          parent: null,
          parent_name: null,
          attributes: {},
        },
        source: source.pk,
        attributes: { fresh: 1 },
      });
    });
    expect(events.map(({ action, context }) => [action, context.model.name])).toEqual([['model_updated', body.id]]);
    expect((await admin.get(`/core/groups/${other.pk}/`)).body.name).toBe(other.name);
    expect((await admin.patch(path('groups', body.id), {})).status).toBe(200);
  });

  test('attributes are any JSON but null', async () => {
    const { admin } = server();
    const { body } = await record('groups');
    expect(body.attributes).toEqual({});
    for (const attributes of ['text', 5, false, [1, { a: null }], { deep: { er: [] } }]) {
      expect((await admin.patch(path('groups', body.id), { attributes })).body.attributes).toEqual(attributes);
    }
    const none = await admin.patch(path('groups', body.id), { attributes: null });
    expect([none.status, none.body]).toEqual([400, { attributes: ['This field may not be null.'] }]);
  });

  test('a new id renames the record', async () => {
    const { admin } = server();
    const { body } = await record('groups');
    const id = unique('renamed/to.this');
    const renamed = await admin.patch(path('groups', body.id), { id });
    expect([renamed.status, renamed.body]).toEqual([200, { ...body, id }]);
    expect((await admin.get(path('groups', body.id))).status).toBe(404);
    expect((await admin.get(path('groups', id))).body).toEqual(renamed.body);
    const { body: other } = await record('groups');
    const taken = await admin.patch(path('groups', other.id), { id });
    expect([taken.status, taken.body]).toEqual([400, { id: ['scim source group with this id already exists.'] }]);
    expect((await admin.patch(path('groups', id), { id })).status).toBe(200);
    const { body: user } = await record('users');
    const same = await admin.post('/sources/scim_users/', { id: user.id, user: user.user, source: user.source });
    expect([same.status, same.body]).toEqual([400, { id: ['scim source user with this id already exists.'] }]);
    expect((await admin.patch(path('users', user.id), { id })).status).toBe(200);
  });

  test('every bad value is named', async () => {
    const { admin } = server();
    const { body } = await record('groups');
    const { pk: oauth } = await makeSource(server(), 'oauth', {
      provider_type: 'github',
      consumer_key: 'k',
      consumer_secret: 's',
    });
    const missing = '00000000-0000-4000-8000-000000000000';
    const bad = await admin.patch(path('groups', body.id), { id: ' ', group: missing, source: oauth });
    expect([bad.status, bad.body]).toEqual([
      400,
      {
        id: ['This field may not be blank.'],
        group: [`Invalid pk "${missing}" - object does not exist.`],
        source: [`Invalid pk "${oauth}" - object does not exist.`],
      },
    ]);
    const nulls = await admin.patch(path('groups', body.id), { id: null, group: null, source: null });
    const none = ['This field may not be null.'];
    expect(nulls.body).toEqual({ id: none, group: none, source: none });
    const types = await admin.patch(path('groups', body.id), { id: {}, group: 5, source: true });
    expect(types.body).toEqual({
      id: ['Not a valid string.'],
      group: ['“5” is not a valid UUID.'],
      source: ['Incorrect type. Expected pk value, received bool.'],
    });
    const put = await admin.put(path('groups', body.id), {});
    const required = ['This field is required.'];
    expect(put.body).toEqual({ id: required, group: required, source: required });
    expect((await admin.get(path('groups', body.id))).body).toEqual(body);
  });

  test('asks for the rights to view and change the record', async () => {
    const { body } = await record('groups');
    const one = path('groups', body.id);
    const view = 'svc_sources_scim.view_scimsourcegroup';
    const change = 'svc_sources_scim.change_scimsourcegroup';
    const patch = async (permissions: string[]) =>
      (await (await server().user(permissions)).api.patch(one, { attributes: {} })).status;
    expect((await server().nobody.patch(one, {})).status).toBe(403);
    expect(await patch([])).toBe(403);
    expect(await patch([change])).toBe(403);
    expect(await patch([view])).toBe(403);
    expect(await patch([view, change])).toBe(200);
  });

  test('lists filter by source and by whom a record stands for', async () => {
    const { admin } = server();
    const { body: first, source } = await record('users', { attributes: { note: 'findable-word' } });
    const { body: group, source: of } = await record('groups');
    const ids = async (kind: string, query: string) =>
      (await admin.get(`/sources/scim_${kind}/?${query}`)).body.results.map(({ id }: { id: string }) => id);
    for (const query of [
      `source__slug=${source.slug}`,
      `user__username=${first.user_obj.username}`,
      `user__id=${first.user}`,
      `search=${first.user_obj.username}`,
      'search=findable-word',
    ]) {
      expect([query, await ids('users', query)]).toEqual([query, [first.id]]);
    }
    for (const query of [
      `source__slug=${of.slug}`,
      `group__name=${group.group_obj.name}`,
      `group__group_uuid=${group.group}`,
      `search=${group.group_obj.name}`,
    ]) {
      expect([query, await ids('groups', query)]).toEqual([query, [group.id]]);
    }
    expect(await ids('users', 'user__id=99999999')).toEqual([]);
    expect((await admin.get('/sources/scim_users/?user__id=x')).body).toEqual({ user__id: ['Enter a number.'] });
    expect((await admin.get('/sources/scim_groups/?group__group_uuid=x')).body).toEqual({
      group__group_uuid: ['Enter a valid UUID.'],
    });
    const names = (await admin.get('/sources/scim_users/?page_size=1000')).body.results.map(
      ({ user_obj }: { user_obj: { username: string } }) => user_obj.username,
    );
    expect(names).toEqual([...names].sort());
  });

  test('records are deleted with their user or group and with their source', async () => {
    const { admin } = server();
    const { body: user } = await record('users');
    await admin.delete(`/core/users/${user.user}/`);
    expect((await admin.get(path('users', user.id))).status).toBe(404);
    const { body: group, source } = await record('groups');
    await admin.delete(`/sources/scim/${source.slug}/`);
    expect((await admin.get(path('groups', group.id))).status).toBe(404);
    expect((await admin.get(`/core/groups/${group.group}/`)).status).toBe(200);
    const { body: gone } = await record('groups');
    expect((await admin.delete(path('groups', gone.id))).status).toBe(204);
    expect((await admin.get(`/core/groups/${gone.group}/`)).status).toBe(200);
  });

  test('permission can be granted on one record', async () => {
    const { body } = await record('groups');
    const { rows } = await sql<{ pk: number }>`select pk from scim_source_groups where id = ${body.id}`.execute(
      server().world.db.read,
    );
    const viewer = await server().user();
    await grantOn(server(), viewer.pk, 'svc_sources_scim.view_scimsourcegroup', rows[0]?.pk as number);
    expect((await viewer.api.get('/sources/scim_groups/')).body.results).toEqual([body]);
  });
});
