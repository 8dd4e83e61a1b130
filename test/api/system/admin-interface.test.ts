import { expect, test } from 'vitest';
import { unique } from '../../support/make-walk.ts';
import { describeOnBoth, type TestServer } from '../../support/server.ts';
import { statementsOf } from '../../support/statements.ts';

interface Entry {
  readonly path: string;
  readonly kinds: readonly string[];
  readonly may: Readonly<Record<'view' | 'add' | 'change' | 'delete', string>>;
}

const everything = { view: 'all', add: 'all', change: 'all', delete: 'all' };

describeOnBoth('admin_interface_retrieve', (server) => {
  const read = async (api: TestServer['admin']) => (await api.get('/admin/interface/')).body;
  const entry = (body: { resources: Entry[] }, path: string) => body.resources.find((one) => one.path === path);

  test('offers a superuser every resource with every verb that it has', async () => {
    const body = await read(server().admin);
    expect(body).toMatchObject({ has_rights: true, user: { username: 'admin', is_superuser: true }, acting: null });
    const { resources } = server().app.engine.registry;
    expect(body.resources.map(({ path }: Entry) => path)).toEqual(
      resources.filter(({ verbs }) => verbs.includes('list')).map(({ path }) => path),
    );
    expect(entry(body, '/core/groups/')?.may).toEqual(everything);
    expect(entry(body, '/rbac/permissions/')?.may).toEqual({
      ...{ view: 'all', add: 'none', change: 'none', delete: 'none' },
    });
    expect(entry(body, '/stages/all/')?.kinds).toContain('/stages/deny/');
  });

  test('offers a user without rights nothing', async () => {
    const { api } = await server().user();
    expect(await read(api)).toMatchObject({ has_rights: false, resources: [] });
  });

  test('offers others what they hold, and nothing of kinds whose objects are all in use where users sign in', async () => {
    const models = ['svc_core.group', 'svc_stages_deny.denystage', 'svc_brands.brand'];
    const verbs = ['view', 'change'];
    const { api } = await server().user(
      models.flatMap((model) => verbs.map((verb) => model.replace('.', `.${verb}_`))),
    );
    const body = await read(api);
    expect(body.has_rights).toBe(true);
    expect(entry(body, '/core/groups/')?.may).toEqual({ view: 'all', add: 'none', change: 'all', delete: 'none' });
    expect(entry(body, '/stages/deny/')?.may).toEqual({ view: 'all', add: 'none', change: 'all', delete: 'none' });
    expect(entry(body, '/core/brands/')?.may).toEqual({ view: 'all', add: 'none', change: 'none', delete: 'none' });
    expect(entry(body, '/stages/all/')).toMatchObject({ kinds: [], may: { view: 'some', add: 'none' } });
    expect(entry(body, '/core/users/')).toBeUndefined();
    expect(entry(body, '/core/tokens/')).toBeUndefined();
  });
});

describeOnBoth('admin_objects_list', (server) => {
  const find = (query: string, api = server().admin) => api.get(`/admin/objects/?${query}`);

  test('finds objects of several kinds by a word of their names', async () => {
    const mark = unique('beacon');
    const group = (await server().admin.post('/core/groups/', { name: `${mark} people` })).body;
    const stage = (await server().admin.post('/stages/deny/', { name: `${mark} stop` })).body;
    const user = (await server().admin.post('/core/users/', { username: mark, name: 'Somebody' })).body;
    const { status, body } = await find(`search=${mark}`);
    expect(status).toBe(200);
    const may = expect.arrayContaining(['change', 'delete']);
    expect(body).toMatchObject([
      { model: 'svc_core.user', pk: String(user.pk), name: mark, type: 'User', path: `/core/users/${user.pk}/`, may },
      {
        ...{ model: 'svc_core.group', pk: group.pk, name: `${mark} people`, type: 'Group', may },
        path: `/core/groups/${group.pk}/`,
      },
      {
        ...{ model: 'svc_stages_deny.denystage', pk: stage.pk, name: `${mark} stop`, type: 'Deny Stage', may },
        path: `/stages/deny/${stage.pk}/`,
      },
    ]);
  });

  test('finds for each caller what they may see, and says what they may do with it', async () => {
    const mark = unique('harbour');
    const group = (await server().admin.post('/core/groups/', { name: mark })).body;
    await server().admin.post('/stages/deny/', { name: mark });
    expect((await find(`search=${mark}`, (await server().user()).api)).body).toEqual([]);
    const viewer = await server().user(['svc_core.view_group']);
    expect((await find(`search=${mark}`, viewer.api)).body).toMatchObject([{ pk: group.pk, may: [] }]);
    const editor = await server().user(['svc_core.view_group']);
    await server().admin.post(`/rbac/permissions/assigned_by_users/${editor.pk}/assign/`, {
      permissions: ['svc_core.change_group'],
      model: 'svc_core.group',
      object_pk: group.pk,
    });
    expect((await find(`search=${mark}`, editor.api)).body).toMatchObject([{ pk: group.pk, may: ['change', 'give'] }]);
    // Of those who may see single objects, not even the names of others are found.
    const ofOne = await server().user();
    // Nor do these take the place of what they may see.
    const hidden: string[] = [];
    for (let at = 0; at < 5; at += 1)
      hidden.push((await server().admin.post('/core/groups/', { name: `0${at} ${mark}` })).body.pk);
    await server().admin.post(`/rbac/permissions/assigned_by_users/${ofOne.pk}/assign/`, {
      ...{ permissions: ['svc_core.view_group'], model: 'svc_core.group', object_pk: group.pk },
    });
    expect((await find(`search=${mark}`, ofOne.api)).body).toMatchObject([{ pk: group.pk }]);
    expect((await find(`model=svc_core.group`, ofOne.api)).body).toMatchObject([{ pk: group.pk }]);
    const byKeys = await find(`keys=svc_core.group:${[...hidden, group.pk]}`, ofOne.api);
    expect(byKeys.body).toMatchObject([{ pk: group.pk }]);
    const byKey = (api = viewer.api) => find(`keys=svc_core.group:${group.pk}`, api);
    expect((await byKey()).body).toHaveLength(1);
    expect((await byKey((await server().user()).api)).body).toEqual([]);
  });

  test('says of each user, group and application what the rules of delegation leave to do', async () => {
    const { admin, user } = server();
    const power = 'svc_events.delete_event';
    const group = async (body: object) => (await admin.post('/core/groups/', { name: unique('group'), ...body })).body;
    const role = (await admin.post('/rbac/roles/', { name: unique('role') })).body;
    await admin.post(`/rbac/permissions/assigned_by_roles/${role.pk}/assign/`, { permissions: [power] });
    const weak = await user();
    const stronger = await user([power], { email: `${unique('stronger')}@example.org` });
    const byRole = await user();
    const groups = [
      await group({}),
      await group({ roles: [role.pk], users: [byRole.pk] }),
      await group({ is_superuser: true }),
    ];
    const onOne = await user();
    await admin.post(`/rbac/permissions/assigned_by_users/${onOne.pk}/assign/`, {
      ...{ permissions: ['svc_rbac.change_role'], model: 'svc_rbac.role', object_pk: role.pk },
    });
    const root = (await admin.get('/core/users/me/')).body.user;
    const named = ['view', 'change', 'delete'].flatMap((verb) => [`svc_core.${verb}_user`, `svc_core.${verb}_group`]);
    const members = ['svc_core.add_user_to_group', 'svc_core.remove_user_from_group'];
    const account = ['svc_core.reset_user_password', 'svc_core.impersonate'];
    const desk = await user([
      ...named,
      ...members,
      ...account,
      'svc_core.view_application',
      'svc_core.add_application',
    ]);
    const application = async () =>
      (await admin.post('/core/applications/', { name: 'App', slug: unique('app') })).body.pk;
    const [open, bound] = [await application(), await application()];
    await admin.post('/policies/bindings/', { target: bound, group: groups[0].pk, order: 0 });
    const mayOn = async (model: string, keys: readonly (string | number)[]) => {
      const { body } = await find(`keys=${model}:${keys}`, desk.api);
      return keys.map((key) => body.find(({ pk }: { pk: string }) => pk === String(key))?.may.toSorted());
    };
    const everything = ['change', 'delete', ...account].toSorted();
    expect(
      await mayOn(
        'svc_core.user',
        [weak, desk, stronger, byRole, onOne, root].map(({ pk }) => pk),
      ),
    ).toEqual([everything, everything.filter((one) => one !== 'delete'), ['change'], ['change'], ['change'], []]);
    expect(
      await mayOn(
        'svc_core.group',
        groups.map(({ pk }) => pk),
      ),
    ).toEqual([['change', 'delete', 'give', ...members].toSorted(), ['change', 'delete', members[1]], []]);
    const { body: fixed } = await find(
      `keys=svc_core.user:${[weak.pk, stronger.pk]}&keys=svc_core.group:${groups[1].pk}`,
      desk.api,
    );
    expect(fixed.map((one: { fixed?: string[] }) => one.fixed?.toSorted())).toEqual([
      undefined,
      ['attributes', 'email', 'email_verified', 'is_active', 'type', 'username'],
      ['users'],
    ]);
    // Administrators vouched for the address, so that false is a change.
    expect((await admin.get(`/core/users/${stronger.pk}/`)).body.email_verified).toBe(true);
    for (const [member, value] of Object.entries({
      email: 'x@y.example',
      email_verified: false,
      attributes: { a: 1 },
      is_active: false,
    }))
      expect((await desk.api.patch(`/core/users/${stronger.pk}/`, { [member]: value })).status).toBe(403);
    expect((await desk.api.patch(`/core/users/${stronger.pk}/`, { name: 'Another' })).status).toBe(200);
    expect((await desk.api.patch(`/core/groups/${groups[1].pk}/`, { users: [weak.pk, byRole.pk] })).status).toBe(403);
    expect(await mayOn('svc_core.application', [open, bound])).toEqual([['duplicate'], []]);
    // As many statements for all as for one.
    const asking = async (...users: { pk: number }[]) => {
      const keys = users.map(({ pk }) => pk);
      const statements = await statementsOf(server(), () => mayOn('svc_core.user', keys));
      return statements.filter((sql) => sql.includes('permission')).length;
    };
    expect(await asking(weak, stronger, byRole)).toBe(await asking(stronger));
  });

  test('says what rules leave to do with bindings, roles, scope mappings and internal accounts', async () => {
    const { admin, user } = server();
    const verbs = ['view', 'change', 'delete'];
    const rightsTo = (...models: string[]) =>
      models.flatMap((model) => verbs.map((verb) => model.replace('.', `.${verb}_`)));
    const models = ['svc_policies.policybinding', 'svc_rbac.role', 'svc_providers_oauth2.scopemapping'];
    const desk = await user([
      ...rightsTo(...models, 'svc_providers_oauth2.oauth2provider', 'svc_core.user', 'svc_rbac.userobjectpermission'),
      ...['svc_core.change_application', 'svc_rbac.assign_role_permissions', 'svc_rbac.add_role'],
    ]);
    const mayOn = async (model: string, ...keys: (string | number)[]) => {
      const { body } = await find(`keys=${model}:${keys}`, desk.api);
      return keys.map((key) => body.find(({ pk }: { pk: string }) => pk === String(key))?.may);
    };
    const app = (await admin.post('/core/applications/', { name: 'App', slug: unique('app') })).body;
    const flow = (await admin.get('/flows/instances/default-authentication-flow/')).body;
    const group = (await admin.post('/core/groups/', { name: unique('group') })).body;
    const bindings = [];
    for (const target of [app.pk, flow.policybindingmodel_ptr_id ?? flow.pk])
      bindings.push((await admin.post('/policies/bindings/', { target, group: group.pk, order: 900 })).body.pk);
    const change = (pk: string) => desk.api.patch(`/policies/bindings/${pk}/`, { order: 901 });
    expect(await mayOn('svc_policies.policybinding', ...bindings)).toEqual([['change', 'delete'], []]);
    expect((await change(bindings[0])).status).toBe(200);
    expect((await change(bindings[1])).status).toBe(403);
    expect((await desk.api.delete(`/policies/bindings/${bindings[1]}/`)).status).toBe(403);

    const roles = [];
    for (const permission of ['svc_rbac.view_role', 'svc_events.delete_event']) {
      const { pk } = (await admin.post('/rbac/roles/', { name: unique('role') })).body;
      await admin.post(`/rbac/permissions/assigned_by_roles/${pk}/assign/`, { permissions: [permission] });
      roles.push(pk);
    }
    expect(await mayOn('svc_rbac.role', ...roles)).toEqual([
      ['change', 'delete', 'assign', 'give'],
      ['change', 'delete', 'assign'],
    ]);

    const scope = async (scope_name: string) =>
      (
        await admin.post('/propertymappings/provider/scope/', {
          name: unique('m'),
          scope_name,
          expression: 'return {}',
        })
      ).body.pk;
    const scopes = [await scope('plain'), await scope('gatehouse/api')];
    expect(await mayOn('svc_providers_oauth2.scopemapping', ...scopes)).toEqual([
      ['change', 'delete', 'give'],
      ['delete'],
    ]);
    const using = { name: unique('p'), property_mappings: [scopes[1]] };
    expect((await desk.api.post('/providers/oauth2/', { ...using, redirect_uris: [] })).status).toBe(403);
    const providers = [];
    for (const mapping of scopes)
      providers.push(
        (
          await admin.post('/providers/oauth2/', {
            ...{ name: unique('p'), property_mappings: [mapping] },
            redirect_uris: [{ matching_mode: 'strict', url: 'https://app.example' }],
            ...{ authorization_flow: flow.pk, invalidation_flow: flow.pk },
          })
        ).body.pk,
      );
    const [plain, reaching] = await mayOn('svc_providers_oauth2.oauth2provider', ...providers);
    expect(plain).toContain('change');
    expect(reaching).not.toContain('change');
    expect((await desk.api.patch(`/providers/oauth2/${providers[1]}/`, { name: unique('p') })).status).toBe(403);

    const root = (await admin.get('/core/users/me/')).body.user;
    const grants = [];
    for (const holder of [desk.pk, root.pk])
      grants.push(
        (
          await admin.post(`/rbac/permissions/assigned_by_users/${holder}/assign/`, {
            ...{ permissions: ['svc_core.view_group'], model: 'svc_core.group', object_pk: group.pk },
          })
        ).body[0].id,
      );
    expect(await mayOn('svc_rbac.userobjectpermission', ...grants)).toEqual([['change', 'delete'], []]);
    expect((await desk.api.delete(`/rbac/permissions/users/${grants[1]}/`)).status).toBe(403);
  });

  test('names objects by their keys, several models at once, those of families by their kind', async () => {
    const stage = (await server().admin.post('/stages/deny/', { name: unique('stage') })).body;
    const flow = (await server().admin.get('/flows/instances/default-authentication-flow/')).body;
    const { body } = await find(`keys=svc_flows.stage:${stage.pk}&keys=svc_flows.flow:${flow.pk},no-key`);
    expect(body).toMatchObject([
      { base: 'svc_flows.stage', pk: stage.pk, name: stage.name, path: `/stages/deny/${stage.pk}/` },
      { pk: flow.pk, path: '/flows/instances/default-authentication-flow/' },
    ]);
    const target = await find(`keys=svc_policies.policybindingmodel:${flow.pk}`);
    expect(target.body).toMatchObject([{ model: 'svc_flows.flow', pk: flow.pk }]);
  });

  test.each([
    ['staff', 'Staff'],
    ['ärzte', 'ÄRZTE'],
    ['on call', 'On Call'],
  ])('finds first what is called %s, then what begins with it, however much sorts before it', async (name, typed) => {
    const mark = unique('');
    const post = async (path: string, body: object) => expect((await server().admin.post(path, body)).status).toBe(201);
    for (let at = 10; at < 32; at += 1) {
      await post('/core/groups/', { name: `Alpha ${at} ${name}${mark}` });
      await post('/core/users/', { username: `alpha${at}.${name}${mark}`, name: 'Somebody' });
    }
    await post('/core/groups/', { name: `${name}${mark} of the house` });
    await post('/core/groups/', { name: `${name}${mark}` });
    await post('/core/users/', { username: `${name}${mark}.second`, name: 'Somebody' });
    await post('/core/users/', { username: `${name}${mark}`, name: 'Somebody' });
    const search = encodeURIComponent(`${typed}${mark}`);
    const names = async (query = '') =>
      (await find(`search=${search}${query}`)).body.map((one: { name: string }) => one.name);
    const groups = [`${name}${mark}`, `${name}${mark} of the house`, `Alpha 10 ${name}${mark}`];
    const users = [`${name}${mark}`, `${name}${mark}.second`, `alpha10.${name}${mark}`];
    const [ofGroups, ofUsers] = [await names('&model=svc_core.group'), await names('&model=svc_core.user')];
    expect([ofGroups.length, ofUsers.length]).toEqual([20, 20]);
    expect([ofGroups.slice(0, 3), ofUsers.slice(0, 3)]).toEqual([groups, users]);
    const ofAll = await names();
    expect(ofAll).toHaveLength(10);
    expect(ofAll.slice(0, 4)).toEqual([users[0], groups[0], users[1], groups[1]]);
  });

  test('offers the first objects of a model without a search, and nothing of all models', async () => {
    const offered = (await find('model=svc_flows.flow')).body;
    expect(offered.length).toBeGreaterThan(2);
    expect(offered.length).toBeLessThanOrEqual(20);
    expect((await find('')).body).toEqual([]);
    expect((await find('search=%20')).body).toEqual([]);
  });

  test('refuses models that are not there, and more keys than it reads at once', async () => {
    expect(await find('model=svc_core.nothing')).toMatchObject({ status: 400 });
    expect(await find('keys=svc_core.nothing:1')).toMatchObject({ status: 400 });
    const many = Array.from({ length: 201 }, (_, at) => at).join(',');
    expect((await find(`keys=svc_core.user:${many}`)).body.keys).toEqual(['Ask for at most 200 objects at once.']);
    expect((await find('search=%00a')).status).toBe(200);
  });

  test('looks at all models in one statement, and reads names in one for each model found', async () => {
    const mark = unique('lantern');
    await server().admin.post('/core/groups/', { name: `${mark} one` });
    await server().admin.post('/core/groups/', { name: `${mark} two` });
    const ask = () => find(`search=${mark}`);
    await ask();
    const statements = await statementsOf(server(), ask);
    expect(statements.filter((sql) => sql.includes('union all'))).toHaveLength(1);
    expect(statements.filter((sql) => sql.includes('"groups"'))).toHaveLength(2);
    // Jobs may run beside it; one for each of the models would be many more.
    expect(statements.length).toBeLessThan(20);
  });
});

describeOnBoth('the OpenAPI document of one path', (server) => {
  test('has its operations, the schemas they refer to, and what pages are told', async () => {
    const { body } = await server().nobody.get('/schema/?under=/core/groups/');
    expect(Object.keys(body.paths)).toContain('/core/groups/{group_uuid}/add_user/');
    expect(Object.keys(body.paths).every((path) => path.startsWith('/core/groups/'))).toBe(true);
    expect(body.components.schemas.GroupRequest.properties.name['x-field'].label).toBe('Name');
    expect(body.components.schemas.DenyStage).toBeUndefined();
    expect(body['x-resources']['/core/groups/']).toMatchObject({
      ...{ model: 'svc_core.group', key: 'pk', title: 'name', isSearched: true, order: ['name'] },
      filters: expect.arrayContaining([{ name: 'is_superuser', kind: 'flag', label: 'Superuser' }]),
    });
    const other = (await server().nobody.get('/schema/?under=/policies/reputation/')).body;
    expect(Object.keys(other.paths).filter((path) => path.includes('scores'))).toEqual([]);
    expect((await server().nobody.get('/schema/?under=/nothing/')).status).toBe(400);
  });
});
