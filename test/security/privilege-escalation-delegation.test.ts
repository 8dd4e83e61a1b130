import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Answer, Api } from '../support/api.ts';
import { eventsDuring } from '../support/events.ts';

import { describeOnBoth, type TestUser } from '../support/server.ts';

const byUsers = '/rbac/permissions/assigned_by_users/';
const byRoles = '/rbac/permissions/assigned_by_roles/';
const lacking = 'svc_flows.delete_flow';

// Delegated administrators who rose by what they may do (CVE-2026-9795, -9796, CVE-2024-3656).
describeOnBoth('privilege escalation: a delegated administrator', (server) => {
  /** May do everything in the directory, and is no superuser. */
  let deputy: TestUser;
  let root: number;
  const keys = {} as Record<
    | 'superusers'
    | 'belowSuperusers'
    | 'own'
    | 'strong'
    | 'strongHere'
    | 'plain'
    | 'strongRole'
    | 'strongRoleHere'
    | 'weakRole',
    string
  >;
  let member: TestUser;
  let hiddenSuperuser: TestUser;

  beforeAll(async () => {
    const { admin, user, world } = server();
    const { rows } = await sql<{ name: string }>`select app_label || '.' || codename as name from permissions
      where app_label in ('svc_core', 'svc_rbac')`.execute(world.db.read);
    deputy = await user(
      rows.map(({ name }) => name),
      { username: 'deputy' },
    );
    root = (await admin.get('/core/users/me/')).body.user.pk;
    const group = async (name: string, values = {}) =>
      (await admin.post('/core/groups/', { name, ...values })).body.pk as string;
    const role = async (name: string, body: object) => {
      const { pk } = (await admin.post('/rbac/roles/', { name })).body;
      expect((await admin.post(`${byRoles}${pk}/assign/`, body)).status).toBe(200);
      return pk as string;
    };
    const flow = { name: 'f', slug: 'f-46', title: 'f', designation: 'authentication' };
    const { pk: object_pk } = (await admin.post('/flows/instances/', flow)).body;
    keys.superusers = (await admin.get('/core/groups/?name=Gatehouse+Admins')).body.results[0].pk;
    keys.belowSuperusers = await group('below superusers', { parent: keys.superusers });
    keys.own = await group('own', { users: [deputy.pk] });
    keys.plain = await group('plain');
    keys.strong = await group('strong', { roles: [await role('strong', { permissions: [lacking] })] });
    const here = { permissions: ['delete_flow'], model: 'svc_flows.flow', object_pk };
    keys.strongHere = await group('strong here', { roles: [await role('strong here', here)] });
    keys.strongRole = await role('strong and free', { permissions: [lacking] });
    keys.strongRoleHere = await role('strong here and free', here);
    keys.weakRole = await role('weak', { permissions: ['svc_core.view_user'] });
    member = await user();
    hiddenSuperuser = await user([], { groups: [keys.belowSuperusers], is_active: false });
  });

  const groups = (key: keyof typeof keys, below = '') => `/core/groups/${keys[key]}/${below}`;
  const me = () => `/core/users/${deputy.pk}/`;

  describe('is refused, and nothing is written', () => {
    const attacks: Record<string, (api: Api) => Promise<Answer>> = {
      'making a group a superuser group': (api) => api.patch(groups('own'), { is_superuser: true }),
      'making a group a superuser group by PUT': (api) => api.put(groups('own'), { name: 'own', is_superuser: 'yes' }),
      'creating a superuser group': (api) => api.post('/core/groups/', { name: 'new', is_superuser: true, users: [] }),
      'moving a group below superusers': (api) => api.patch(groups('own'), { parent: keys.superusers }),
      'moving a group below a group below superusers': (api) =>
        api.patch(groups('own'), { parent: keys.belowSuperusers }),
      'creating a group below superusers': (api) => api.post('/core/groups/', { name: 'new', parent: keys.superusers }),
      'joining superusers from the side of the user': (api) => api.patch(me(), { groups: [keys.superusers] }),
      'joining a group below superusers': (api) => api.patch(me(), { groups: [keys.own, keys.belowSuperusers] }),
      'joining superusers from the side of the group': (api) =>
        api.patch(groups('superusers'), { users: [root, deputy.pk] }),
      'joining superusers by add_user': (api) => api.post(groups('superusers', 'add_user/'), { pk: deputy.pk }),
      'joining a group below superusers by add_user': (api) =>
        api.post(groups('belowSuperusers', 'add_user/'), { pk: deputy.pk }),
      'creating a user among superusers': (api) =>
        api.post('/core/users/', { username: 'sock-puppet', name: '', groups: [keys.superusers] }),
      'removing a superuser from their group': (api) => api.post(groups('superusers', 'remove_user/'), { pk: root }),
      'emptying the group of superusers': (api) => api.patch(groups('superusers'), { users: [] }),
      'taking is_superuser from the group of superusers': (api) =>
        api.patch(groups('superusers'), { is_superuser: false }),
      'renaming the group of superusers': (api) => api.patch(groups('superusers'), { name: 'x' }),
      'deleting the group of superusers': (api) => api.delete(groups('superusers')),
      'giving a group a role with more permissions than their own': (api) =>
        api.patch(groups('own'), { roles: [keys.strongRole] }),
      'giving a group a role with more permissions on one object than their own': (api) =>
        api.patch(groups('own'), { roles: [keys.strongRoleHere] }),
      'creating a group with a stronger role': (api) =>
        api.post('/core/groups/', { name: 'new', roles: [keys.strongRole] }),
      'joining a group with a stronger role': (api) => api.patch(me(), { groups: [keys.own, keys.strong] }),
      'joining a group with a stronger role on one object': (api) => api.patch(me(), { groups: [keys.strongHere] }),
      'joining a group with a stronger role from the side of the group': (api) =>
        api.patch(groups('strong'), { users: [deputy.pk] }),
      'joining a group with a stronger role by add_user': (api) =>
        api.post(groups('strong', 'add_user/'), { pk: deputy.pk }),
      'adding another user to a group with a stronger role': (api) =>
        api.post(groups('strongHere', 'add_user/'), { pk: member.pk }),
      'moving a group below one with a stronger role': (api) => api.patch(groups('own'), { parent: keys.strong }),
      'assigning to themselves a permission that they lack': (api) =>
        api.post(`${byUsers}${deputy.pk}/assign/`, { permissions: [lacking] }),
      'assigning to another user a permission that they lack': (api) =>
        api.post(`${byUsers}${member.pk}/assign/`, { permissions: ['svc_core.view_user', lacking] }),
      'assigning to a role a permission that they lack': (api) =>
        api.post(`${byRoles}${keys.weakRole}/assign/`, { permissions: [lacking] }),
      'setting the password of a superuser': (api) =>
        api.post(`/core/users/${root}/set_password/`, { password: 'mine now' }),
      'changing the address of a superuser': (api) => api.patch(`/core/users/${root}/`, { email: 'me@example.com' }),
      'deactivating a superuser': (api) => api.patch(`/core/users/${root}/`, { is_active: false }),
      'replacing a superuser': (api) => api.put(`/core/users/${root}/`, { username: 'x', name: 'x' }),
      'deleting a superuser': (api) => api.delete(`/core/users/${root}/`),
      'activating an inactive superuser': (api) => api.patch(`/core/users/${hiddenSuperuser.pk}/`, { is_active: true }),
      'setting the password of an inactive superuser': (api) =>
        api.post(`/core/users/${hiddenSuperuser.pk}/set_password/`, { password: 'mine now' }),
      'taking permissions from a superuser': (api) =>
        api.patch(`${byUsers}${root}/unassign/`, { permissions: ['svc_core.view_user'] }),
      'assigning permissions to a superuser': (api) =>
        api.post(`${byUsers}${root}/assign/`, { permissions: ['svc_core.view_user'] }),
      'viewing the key of a superuser’s token': (api) => api.get('/core/tokens/gatehouse-bootstrap-token/view_key/'),
    };

    test.each(Object.entries(attacks))('%s', async (_name, attack) => {
      const before = await everything();
      const events = await eventsDuring(server(), async () => {
        const answer = await attack(deputy.api);
        expect([answer.status, answer.body?.code]).toEqual([403, 'permission_denied']);
      });
      expect(events).toEqual([]);
      expect(await everything()).toEqual(before);
      const { body } = await deputy.api.get('/core/users/me/');
      expect(body.user.is_superuser).toBe(false);
      expect((await attack(server().nobody)).status).toBe(403);
    });

    test('when taking a token in a superuser’s name', async () => {
      const answer = await deputy.api.post('/core/tokens/', { identifier: 'borrowed', user: root });
      expect(answer.body.user).toBe(deputy.pk);
    });

    test('when moving a permission to an object without permission on it', async () => {
      const { admin, user } = server();
      const limited = await user([
        'svc_rbac.view_userobjectpermission',
        'svc_rbac.change_userobjectpermission',
        'svc_core.view_group',
      ]);
      const give = (pk: string) =>
        admin.post(`${byUsers}${limited.pk}/assign/`, {
          permissions: ['change_group'],
          model: 'svc_core.group',
          object_pk: pk,
        });
      const [grant] = (await give(keys.plain)).body;
      const moved = await limited.api.patch(`/rbac/permissions/users/${grant.id}/`, { object_pk: keys.strong });
      expect(moved.status).toBe(403);
      await give(keys.own);
      const held = await limited.api.patch(`/rbac/permissions/users/${grant.id}/`, { object_pk: keys.own });
      expect(held.status).toBe(400);
    });
  });

  describe('may still', () => {
    test('grant what they hold, everywhere and on one object', async () => {
      const { admin, user } = server();
      const given = await deputy.api.post(`${byUsers}${member.pk}/assign/`, { permissions: ['svc_core.view_group'] });
      expect(given.status).toBe(200);
      const limited = await user(['svc_core.assign_user_permissions', 'svc_core.add_user']);
      const on = { model: 'svc_core.group', object_pk: keys.plain };
      const pass = (permission: string) =>
        limited.api.post(`${byUsers}${member.pk}/assign/`, { permissions: [permission], ...on });
      await admin.post(`${byUsers}${limited.pk}/assign/`, { permissions: ['change_group'], ...on });
      expect((await pass('change_group')).status).toBe(200);
      expect((await pass('delete_group')).status).toBe(403);
    });

    test('manage groups and users that give no further permissions', async () => {
      const made = await deputy.api.post('/core/groups/', {
        name: 'harmless',
        roles: [keys.weakRole],
        parent: keys.plain,
      });
      expect(made.status).toBe(201);
      const joined = await deputy.api.patch(`/core/users/${member.pk}/`, {
        groups: [made.body.pk],
        email: 'm@example.com',
      });
      expect(joined.status).toBe(200);
      expect((await deputy.api.post(groups('plain', 'add_user/'), { pk: member.pk })).status).toBe(204);
      expect((await deputy.api.patch(groups('own'), { users: [deputy.pk, member.pk] })).status).toBe(200);
      const reset = await deputy.api.post(`/core/users/${member.pk}/set_password/`, { password: 'a new one' });
      expect(reset.status).toBe(204);
    });

    test('keep a group that gives more when changing something else', async () => {
      const { admin } = server();
      await admin.post(groups('strong', 'add_user/'), { pk: member.pk });
      const { body } = await admin.get(`/core/users/${member.pk}/`);
      const renamed = await deputy.api.patch(`/core/users/${member.pk}/`, { name: 'Renamed', groups: body.groups });
      expect([renamed.status, renamed.body.groups]).toEqual([200, body.groups]);
      const out = await deputy.api.post(groups('strong', 'remove_user/'), { pk: member.pk });
      expect(out.status).toBe(204);
    });
  });

  /** All that gives rights, and what superusers sign in with. */
  async function everything(): Promise<unknown> {
    const { db } = server().world;
    const tables = ['groups', 'user_groups', 'group_roles', 'user_permissions', 'role_permissions'];
    const rights = [...tables, 'user_object_permissions', 'role_object_permissions'].map(
      async (table) => (await sql`select * from ${sql.table(table)} order by 1, 2`.execute(db.read)).rows,
    );
    const users = sql`select pk, username, email, password, is_active from users order by pk`.execute(db.read);
    return Promise.all([...rights, users.then(({ rows }) => rows)]);
  }
});
