import { expect, test } from 'vitest';
import { makeSource, unique } from '../api/sources/fixtures.ts';
import { describeOnBoth } from '../support/server.ts';

// A right to view one object must not show the private data of users and groups that are nested in it.

describeOnBoth('users and groups nested in other objects', (server) => {
  const secret = { salary: 4711 };

  /** A group with one member, and objects of other kinds that nest them. */
  async function setUp() {
    const { admin } = server();
    const email = `${unique('boss')}@example.com`;
    const member = await server().user([], { name: 'The Boss', email, attributes: secret });
    const group = (
      await admin.post('/core/groups/', { name: unique('group'), users: [member.pk], attributes: { floor: 'seven' } })
    ).body;
    const rule = (await admin.post('/events/rules/', { name: unique('rule'), group: group.pk })).body;
    const source = await makeSource(server(), 'scim', {});
    const ids = { user: unique('user'), group: unique('group') };
    await admin.post('/sources/scim_users/', { id: ids.user, user: member.pk, source: source.pk });
    await admin.post('/sources/scim_groups/', { id: ids.group, group: group.pk, source: source.pk });
    const paths = {
      group: `/core/groups/${group.pk}/`,
      rule: `/events/rules/${rule.pk}/`,
      scimUser: `/sources/scim_users/${ids.user}/`,
      scimGroup: `/sources/scim_groups/${ids.group}/`,
    };
    return { member, email, group, paths, source };
  }

  test('callers who may view a group see keys and names of members they may not view', async () => {
    const { member, email, paths, group } = await setUp();
    const { api } = await server().user(['svc_core.view_group']);
    const { status, body, text } = await api.get(paths.group);
    expect(status).toBe(200);
    expect(body.users).toEqual([member.pk]);
    const { uid } = (await server().admin.get(`/core/users/${member.pk}/`)).body;
    const shown = { pk: member.pk, username: member.username, name: 'The Boss', uid, is_active: true };
    expect(body.users_obj).toEqual([{ ...shown, last_login: null, email: '', attributes: {} }]);
    expect(body.attributes).toEqual({ floor: 'seven' });
    expect(text).not.toContain(email);
    const list = await api.get(`/core/groups/?name=${group.name}`);
    expect(list.body.results[0].users_obj).toEqual(body.users_obj);
  });

  test('callers who may view users, all or this one, see the members whole', async () => {
    const { member, email, paths } = await setUp();
    const viewer = await server().user(['svc_core.view_group', 'svc_core.view_user']);
    expect((await viewer.api.get(paths.group)).body.users_obj[0]).toMatchObject({ email, attributes: secret });
    const ofOne = await server().user(['svc_core.view_group']);
    const role = (await server().admin.post('/rbac/roles/', { name: unique('role') })).body;
    const join = { name: unique('viewers'), roles: [role.pk], users: [ofOne.pk] };
    expect((await server().admin.post('/core/groups/', join)).status).toBe(201);
    const granted = await server().admin.post(`/rbac/permissions/assigned_by_roles/${role.pk}/assign/`, {
      permissions: ['svc_core.view_user'],
      model: 'svc_core.user',
      object_pk: String(member.pk),
    });
    expect(granted.status).toBe(200);
    expect((await ofOne.api.get(paths.group)).body.users_obj[0]).toMatchObject({ email, attributes: secret });
  });

  test('callers see their own record whole', async () => {
    const { group } = await setUp();
    const email = `${unique('self')}@example.com`;
    const self = await server().user(['svc_core.view_group'], { email });
    await server().admin.post(`/core/groups/${group.pk}/add_user/`, { pk: self.pk });
    const { users_obj } = (await self.api.get(`/core/groups/${group.pk}/`)).body;
    const shown = Object.fromEntries(
      users_obj.map((one: { username: string; email: string }) => [one.username, one.email]),
    );
    expect(shown[self.username]).toBe(email);
    expect(Object.values(shown).filter((address) => address !== '')).toEqual([email]);
  });

  test('notification rules show the group without its members to callers who may view rules alone', async () => {
    const { email, paths, group } = await setUp();
    const { api } = await server().user(['svc_events.view_notificationrule']);
    const { status, body, text } = await api.get(paths.rule);
    expect(status).toBe(200);
    expect(body.group_obj).toMatchObject({
      ...{ pk: group.pk, num_pk: group.num_pk, name: group.name, parent_name: null, is_superuser: false },
      ...{ attributes: {}, users: [], users_obj: [], roles: [], roles_obj: [], member_count: 0 },
    });
    expect(text).not.toContain(email);
    const ofGroups = await server().user(['svc_events.view_notificationrule', 'svc_core.view_group']);
    const more = await ofGroups.api.get(paths.rule);
    expect(more.body.group_obj).toMatchObject({ attributes: { floor: 'seven' }, users_obj: [{ email: '' }] });
    expect((await server().admin.get(paths.rule)).body.group_obj.users_obj[0]).toMatchObject({ email });
  });

  test('SCIM records show keys and names of users and groups the caller may not view', async () => {
    const { email, paths, member, group } = await setUp();
    const names = ['svc_sources_scim.view_scimsourceuser', 'svc_sources_scim.view_scimsourcegroup'];
    const { api } = await server().user(names);
    const user = await api.get(paths.scimUser);
    expect(user.body.user_obj).toMatchObject({ pk: member.pk, username: member.username, email: '', attributes: {} });
    expect(user.text).not.toContain(email);
    expect((await api.get(paths.scimGroup)).body.group_obj).toMatchObject({ name: group.name, attributes: {} });
    expect((await server().admin.get(paths.scimUser)).body.user_obj).toMatchObject({ email, attributes: secret });
  });

  test('answers to writes show no more than reads', async () => {
    const { email, paths } = await setUp();
    const { api } = await server().user(['svc_core.view_group', 'svc_core.change_group']);
    const changed = await api.patch(paths.group, { attributes: { floor: 'eight' } });
    expect(changed.status).toBe(200);
    expect(changed.body.users_obj[0].email).toBe('');
    expect(changed.text).not.toContain(email);
    expect((await server().admin.get(paths.group)).body.users_obj[0].email).toBe(email);
  });
});
