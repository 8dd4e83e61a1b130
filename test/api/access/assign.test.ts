import { expect, test } from 'vitest';
import { eventsDuring } from '../../support/events.ts';

import { describeOnBoth } from '../../support/server.ts';

const byUsers = '/rbac/permissions/assigned_by_users/';
const byRoles = '/rbac/permissions/assigned_by_roles/';

describeOnBoth('assigning permissions', (server) => {
  const newRole = async (name: string) => (await server().admin.post('/rbac/roles/', { name })).body.pk as string;
  const newGroup = async (values: Record<string, unknown>) => (await server().admin.post('/core/groups/', values)).body;

  test('assigning a global permission to a user returns an id beyond those of grants on objects', async () => {
    const { user, admin } = server();
    const person = await user();
    expect((await person.api.get('/core/groups/')).status).toBe(403);
    const given = await admin.post(`${byUsers}${person.pk}/assign/`, { permissions: ['svc_core.view_group'] });
    expect([given.status, Number(given.body[0].id) > 1_000_000_000]).toEqual([200, true]);
    expect((await person.api.get('/core/groups/')).status).toBe(200);
    const again = await admin.post(`${byUsers}${person.pk}/assign/`, { permissions: ['svc_core.view_group'] });
    expect(again.body).toEqual(given.body);
  });

  test('assigning an object permission to a user returns the grants', async () => {
    const { user, admin } = server();
    const person = await user();
    const group = await newGroup({ name: 'the one' });
    const body = { permissions: ['view_group', 'change_group'], model: 'svc_core.group', object_pk: group.pk };
    const given = await admin.post(`${byUsers}${person.pk}/assign/`, body);
    expect(given.status).toBe(200);
    const listed = await admin.get(`/rbac/permissions/users/?user_id=${person.pk}`);
    expect(given.body.map(({ id }: { id: string }) => Number(id)).sort()).toEqual(
      listed.body.results.map(({ id }: { id: number }) => id).sort(),
    );
    expect((await person.api.get('/core/groups/')).body.results).toHaveLength(1);
    expect((await person.api.patch(`/core/groups/${group.pk}/`, { attributes: { a: 1 } })).status).toBe(200);
    expect((await admin.post(`${byUsers}${person.pk}/assign/`, body)).body).toEqual(given.body);
  });

  test('assigning to a role serves the members of its group and of the groups below', async () => {
    const { user, admin } = server();
    const role = await newRole('lookers');
    const top = await newGroup({ name: 'lookers', roles: [role] });
    const below = await newGroup({ name: 'lookers below', parent: top.pk });
    const member = await user([], { groups: [below.pk] });
    const target = await newGroup({ name: 'looked at' });
    const on = { model: 'svc_core.group', object_pk: target.pk };
    expect((await member.api.get('/rbac/roles/')).status).toBe(403);
    expect((await admin.post(`${byRoles}${role}/assign/`, { permissions: ['svc_rbac.view_role'] })).status).toBe(200);
    expect((await admin.post(`${byRoles}${role}/assign/`, { permissions: ['view_group'], ...on })).status).toBe(200);
    expect((await member.api.get('/rbac/roles/')).status).toBe(200);
    expect((await member.api.get(`/core/groups/${target.pk}/`)).status).toBe(200);
    expect((await member.api.get(`/core/groups/${top.pk}/`)).status).toBe(404);

    const taken = await admin.patch(`${byRoles}${role}/unassign/`, { permissions: ['view_group'], ...on });
    expect([taken.status, taken.text]).toEqual([204, '']);
    expect((await member.api.get(`/core/groups/${target.pk}/`)).status).toBe(403);
    expect((await admin.patch(`${byRoles}${role}/unassign/`, { permissions: ['svc_rbac.view_role'] })).status).toBe(
      204,
    );
    expect((await member.api.get('/rbac/roles/')).status).toBe(403);
  });

  test('refuses unknown permissions and objects, and then assigns nothing', async () => {
    const { user, admin } = server();
    const person = await user();
    const role = await newRole('given by halves');
    for (const path of [`${byUsers}${person.pk}/assign/`, `${byRoles}${role}/assign/`]) {
      const answer = await admin.post(path, { permissions: ['svc_core.view_group', 'svc_core.fly'] });
      expect([answer.status, answer.body]).toEqual([
        400,
        { permissions: ['Permission "svc_core.fly" does not exist.'] },
      ]);
      expect((await admin.post(path, {})).body).toEqual({ permissions: ['This field is required.'] });
    }
    expect((await person.api.get('/core/groups/')).status).toBe(403);
    expect((await admin.get(`/rbac/permissions/?role=${role}`)).body.results).toEqual([]);
    expect((await admin.post(`${byRoles}${crypto.randomUUID()}/assign/`, { permissions: [] })).status).toBe(404);
    expect((await admin.post(`${byRoles}x/assign/`, { permissions: [] })).status).toBe(404);
  });

  test('assigning to an internal service account is refused', async () => {
    const { admin, user, world } = server();
    const account = await user();
    await world.db.write((tx) =>
      tx.updateTable('users').set({ type: 'internal_service_account' }).where('pk', '=', account.pk).execute(),
    );
    expect(
      (await admin.post(`${byUsers}${account.pk}/assign/`, { permissions: ['svc_core.view_group'] })).body,
    ).toEqual({
      non_field_errors: ['Permissions cannot be assigned to an internal service account.'],
    });
  });

  test('requires permission to assign', async () => {
    const { user } = server();
    const target = await user();
    const role = await newRole('asked for');
    const own = 'svc_core.view_group';
    const cases: [string, string[], number][] = [
      [`${byUsers}${target.pk}/assign/`, [own], 403],
      [`${byUsers}${target.pk}/assign/`, [own, 'svc_core.assign_user_permissions'], 403],
      [`${byUsers}${target.pk}/assign/`, [own, 'svc_core.assign_user_permissions', 'svc_core.add_user'], 200],
      [`${byRoles}${role}/assign/`, [own], 403],
      [`${byRoles}${role}/assign/`, [own, 'svc_rbac.assign_role_permissions'], 403],
      [`${byRoles}${role}/assign/`, [own, 'svc_rbac.assign_role_permissions', 'svc_rbac.add_role'], 200],
    ];
    for (const [path, permissions, status] of cases) {
      const caller = await user(permissions);
      expect([path, permissions, (await caller.api.post(path, { permissions: [own] })).status]).toEqual([
        path,
        permissions,
        status,
      ]);
    }
    const taker = await user(['svc_rbac.unassign_role_permissions', 'svc_rbac.change_role']);
    expect((await taker.api.patch(`${byRoles}${role}/unassign/`, { permissions: [own] })).status).toBe(204);
  });

  test('records one event', async () => {
    const { admin, user } = server();
    const person = await user();
    const role = await newRole('recorded');
    const events = await eventsDuring(server(), async () => {
      await admin.post(`${byUsers}${person.pk}/assign/`, {
        permissions: ['svc_core.view_group', 'svc_core.view_user'],
      });
      await admin.post(`${byRoles}${role}/assign/`, { permissions: ['svc_core.view_group'] });
    });
    expect(events).toMatchObject([
      {
        action: 'model_updated',
        context: {
          model: { pk: person.pk },
          diff: { permissions: { add: ['svc_core.view_group', 'svc_core.view_user'] } },
        },
      },
      { action: 'model_updated', context: { model: { model_name: 'role', name: 'recorded' } } },
    ]);
  });
});

describeOnBoth('the list of who holds permissions', (server) => {
  test('shows users by model and by object', async () => {
    const { user, admin } = server();
    const group = (await admin.post('/core/groups/', { name: 'asked about' })).body;
    const everywhere = await user(['svc_core.view_group']);
    const here = await user([], { username: 'aa-here' });
    await user(['svc_core.view_user']);
    await admin.post(`${byUsers}${here.pk}/assign/`, {
      permissions: ['view_group', 'change_group'],
      model: 'svc_core.group',
      object_pk: group.pk,
    });
    const list = async (query: string) => (await admin.get(`${byUsers}?${query}`)).body;
    const names = (body: { results: { username: string }[] }) => body.results.map(({ username }) => username);

    const onObject = await list(`model=svc_core.group&object_pk=${group.pk}`);
    expect(names(onObject)).toEqual(['aa-here', 'admin']);
    expect(onObject.results[0]).toEqual({
      pk: here.pk,
      username: 'aa-here',
      name: 'aa-here',
      is_active: true,
      last_login: null,
      email: '',
      attributes: {},
      uid: expect.stringMatching(/^[0-9a-f]{64}$/),
      permissions: ['change_group', 'view_group'].map((codename) => ({
        id: expect.any(Number),
        codename,
        model: 'group',
        app_label: 'svc_core',
        object_pk: group.pk,
        name: `Can ${codename.split('_')[0]} Group`,
      })),
      is_superuser: false,
    });
    expect(onObject.results[1]).toMatchObject({ is_superuser: true, permissions: [] });
    expect(names(await list('model=svc_core.group'))).toEqual(['aa-here', 'admin', everywhere.username].sort());
    expect(names(await list('model=svc_core.group&ordering=-username'))[0]).toBe(
      ['aa-here', 'admin', everywhere.username].sort().at(-1),
    );
    expect(names(await list('model=svc_core.group&search=aa-'))).toEqual(['aa-here']);
    const paged = await list('model=svc_core.group&page_size=2&page=2');
    expect(paged.pagination).toMatchObject({ count: 3, current: 2, total_pages: 2, start_index: 3, end_index: 3 });
    expect((await admin.get(`${byUsers}?model=svc_core.group&page=9`)).status).toBe(404);
  });

  test('shows roles by model and by object', async () => {
    const { admin } = server();
    const { body: role } = await admin.post('/rbac/roles/', { name: 'asked about' });
    await admin.post(`${byRoles}${role.pk}/assign/`, {
      permissions: ['view_role'],
      model: 'svc_rbac.role',
      object_pk: role.pk,
    });
    const { body } = await admin.get(`${byRoles}?model=svc_rbac.role&object_pk=${role.pk}`);
    expect(body.results).toEqual([
      {
        role_pk: role.pk,
        name: 'asked about',
        permissions: [
          {
            id: expect.any(Number),
            codename: 'view_role',
            model: 'role',
            app_label: 'svc_rbac',
            object_pk: role.pk,
            name: 'Can view Role',
          },
        ],
      },
    ]);
    const all = (await admin.get(`${byRoles}?model=svc_rbac.role`)).body.results;
    expect(all.map(({ name }: { name: string }) => name)).toEqual(['Gatehouse Read-only', 'asked about']);
  });

  test.each([byUsers, byRoles])('%s needs a model of the list', async (path) => {
    const { admin } = server();
    const missing = await admin.get(path);
    expect([missing.status, missing.body]).toEqual([400, { model: ['This field is required.'] }]);
    expect((await admin.get(`${path}?model=svc_core.spoon`)).body).toEqual({
      model: ['Select a valid choice. svc_core.spoon is not one of the available choices.'],
    });
    expect((await admin.get(`${path}?model=svc_core.user&object_pk=%00`)).status).toBe(400);
    expect((await admin.get(`${path}?model=svc_core.user&object_pk=none`)).status).toBe(200);
  });

  test('shows only users and roles that the caller may see', async () => {
    const { user, nobody } = server();
    const plain = await user(['svc_core.view_group']);
    expect((await plain.api.get(`${byUsers}?model=svc_core.group`)).status).toBe(403);
    expect((await plain.api.get(`${byRoles}?model=svc_core.group`)).status).toBe(403);
    expect((await nobody.get(`${byUsers}?model=svc_core.group`)).status).toBe(403);
    const reader = await user(['svc_core.view_user', 'svc_rbac.view_role']);
    expect((await reader.api.get(`${byUsers}?model=svc_core.group`)).status).toBe(200);
    expect((await reader.api.get(`${byRoles}?model=svc_core.group`)).status).toBe(200);
  });
});
