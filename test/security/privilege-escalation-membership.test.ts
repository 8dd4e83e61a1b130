import { beforeAll, expect, test } from 'vitest';
import { made, unique } from '../support/make-walk.ts';
import { describeOnBoth, type TestUser } from '../support/server.ts';

// Groups decide who may use which application. Whoever could change users or add groups, and nothing of the group,
// became a member of any.
describeOnBoth('privilege escalation: membership takes a right on the group, from whichever side', (server) => {
  let group: string;
  let application: string;
  let member: TestUser;
  beforeAll(async () => {
    member = await server().user();
    group = (await made(server(), '/core/groups/', { name: unique('finance'), users: [member.pk] })).pk;
    application = unique('finance');
    const { pk: target } = await made(server(), '/core/applications/', { name: 'Finance', slug: application });
    await made(server(), '/policies/bindings/', { target, group, order: 0 });
  });

  const mayOpen = async ({ api }: TestUser) =>
    (await api.get(`/core/applications/${application}/check_access/`)).body.passing as boolean;
  const seeing = ['svc_core.view_user', 'svc_core.view_group'];
  const delegate = (...rights: string[]) => server().user([...seeing, ...rights]);

  test('joining as a user', async () => {
    const user = await delegate('svc_core.change_user');
    expect((await user.api.patch(`/core/users/${user.pk}/`, { groups: [group] })).status).toBe(403);
    expect(await mayOpen(user)).toBe(false);
    const allowed = await delegate('svc_core.change_user', 'svc_core.add_user_to_group');
    expect((await allowed.api.patch(`/core/users/${allowed.pk}/`, { groups: [group] })).status).toBe(200);
    expect(await mayOpen(allowed)).toBe(true);
  });

  test('making a user who is a member', async () => {
    const body = () => ({ username: unique('user'), name: '', groups: [group] });
    const { api } = await delegate('svc_core.add_user');
    expect((await api.post('/core/users/', body())).status).toBe(403);
    const allowed = await delegate('svc_core.add_user', 'svc_core.change_group');
    expect((await allowed.api.post('/core/users/', body())).status).toBe(201);
  });

  test('making a group below it', async () => {
    const body = (pk: number) => ({ name: unique('below'), parent: group, users: [pk] });
    const user = await delegate('svc_core.add_group');
    expect((await user.api.post('/core/groups/', body(user.pk))).status).toBe(403);
    expect(await mayOpen(user)).toBe(false);
    const allowed = await delegate('svc_core.add_group', 'svc_core.add_user_to_group');
    expect((await allowed.api.post('/core/groups/', body(allowed.pk))).status).toBe(201);
    expect(await mayOpen(allowed)).toBe(true);
  });

  test('moving a group that one may change below it, and away', async () => {
    const { api, pk } = await delegate();
    const { pk: own } = await made(server(), '/core/groups/', { name: unique('own') });
    const change = { permissions: ['change_group'], model: 'svc_core.group', object_pk: own };
    await server().admin.post(`/rbac/permissions/assigned_by_users/${pk}/assign/`, change);
    expect((await api.patch(`/core/groups/${own}/`, { parent: group })).status).toBe(403);
    await server().admin.patch(`/core/groups/${own}/`, { parent: group });
    expect((await api.patch(`/core/groups/${own}/`, { parent: null })).status).toBe(403);
    expect((await api.patch(`/core/groups/${own}/`, { name: unique('own') })).status).toBe(200);
  });

  test('leaving as a user', async () => {
    const path = `/core/users/${member.pk}/`;
    const { api } = await delegate('svc_core.change_user');
    expect((await api.patch(path, { groups: [] })).status).toBe(403);
    expect((await api.patch(path, { name: 'Renamed', groups: [group] })).status).toBe(200);
    const allowed = await delegate('svc_core.change_user', 'svc_core.remove_user_from_group');
    expect((await allowed.api.patch(path, { groups: [] })).status).toBe(200);
  });
});
