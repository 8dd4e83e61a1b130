import { beforeAll, expect, test } from 'vitest';
import type { Answer, Api } from '../support/api.ts';
import { made, unique } from '../support/make-walk.ts';
import { describeOnBoth, type TestUser } from '../support/server.ts';

const power = 'svc_events.delete_event';

// A help desk that may reset passwords reset that of a user who may more than they.
describeOnBoth('privilege escalation: accounts that hold more permissions cannot be taken over', (server) => {
  let stronger: TestUser;
  let byRole: TestUser;
  let onOne: TestUser;
  let weaker: TestUser;
  beforeAll(async () => {
    const { admin, user } = server();
    const mail = () => ({ email: `${unique('mail')}@example.com` });
    stronger = await user([power], mail());
    byRole = await user([], mail());
    onOne = await user([], mail());
    weaker = await user([], mail());
    const role = await made(server(), '/rbac/roles/', { name: unique('role') });
    await admin.post(`/rbac/permissions/assigned_by_roles/${role.pk}/assign/`, { permissions: [power] });
    await made(server(), '/core/groups/', { name: unique('group'), roles: [role.pk], users: [byRole.pk] });
    const object = await made(server(), '/core/groups/', { name: unique('object') });
    await admin.post(`/rbac/permissions/assigned_by_users/${onOne.pk}/assign/`, {
      permissions: ['change_group'],
      model: 'svc_core.group',
      object_pk: object.pk,
    });
    for (const { api, username } of [stronger, byRole, onOne, weaker])
      await api.post('/core/tokens/', { identifier: `of-${username}` });
  });

  const rights = [
    'view_user',
    'change_user',
    'delete_user',
    'reset_user_password',
    'reset_user_second_factors',
    'impersonate',
    'view_token_key',
  ].map((name) => `svc_core.${name}`);
  const at = ({ pk }: TestUser, below = '') => `/core/users/${pk}/${below}`;
  const reaching: Record<string, (api: Api, user: TestUser) => Promise<Answer>> = {
    'the password': (api, user) => api.post(at(user, 'set_password/'), { password: 'mine from now on' }),
    'their second factors': (api, user) => api.post(at(user, 'reset_second_factors/')),
    'their sessions': (api, user) => api.post(at(user, 'sign_out_everywhere/')),
    'the key of a token': (api, user) => api.get(`/core/tokens/of-${user.username}/view_key/`),
    'the e-mail address': (api, user) => api.patch(at(user), { email: `${unique('mine')}@example.com` }),
    'the user name': (api, user) => api.patch(at(user), { username: unique('renamed') }),
    'attributes that policies read': (api, user) => api.patch(at(user), { attributes: { vip: true } }),
    is_active: (api, user) => api.patch(at(user), { is_active: false }),
    'a recovery link': (api, user) => api.post(at(user, 'recovery/')),
    'its deletion': (api, user) => api.delete(at(user)),
  };

  test.each(Object.entries(reaching))('%s', async (_, reach) => {
    const desk = await server().user(rights);
    for (const user of [stronger, byRole, onOne]) expect((await reach(desk.api, user)).status).toBe(403);
    for (const { pk, username } of [stronger, byRole, onOne]) {
      const { body } = await server().admin.get(`/core/users/${pk}/`);
      expect(body).toMatchObject({ username, is_active: true, attributes: {} });
    }
    // Whoever holds as much may; and no user in the way of those who hold less.
    const peer = await server().user([...rights, power]);
    const strangerOfSameRank = await server().user([power], { email: `${unique('mail')}@example.com` });
    await strangerOfSameRank.api.post('/core/tokens/', { identifier: `of-${strangerOfSameRank.username}` });
    expect((await reach(peer.api, strangerOfSameRank)).status).not.toBe(403);
    const clerk = await server().user([], { email: `${unique('mail')}@example.com` });
    await clerk.api.post('/core/tokens/', { identifier: `of-${clerk.username}` });
    expect((await reach(desk.api, clerk)).status).not.toBe(403);
  });

  test('is refused for the right, before anything is said of the change', async () => {
    const desk = await server().user(rights);
    const nobody = await server().user([power], { email: '' });
    const taken = weaker.username;
    for (const [user, change] of [
      [nobody, { email_verified: true }],
      [stronger, { username: taken }],
      [stronger, { email: `${taken}@example.com`, email_verified: true, username: taken }],
    ] as const) {
      const answer = await desk.api.patch(at(user), change);
      expect([change, answer.status, answer.body.code]).toEqual([change, 403, 'permission_denied']);
    }
    expect((await server().admin.patch(at(nobody), { email_verified: true })).status).toBe(400);
  });

  test('members that give no access can be changed on such an account', async () => {
    const desk = await server().user(rights);
    expect((await desk.api.patch(at(stronger), { name: 'A Better Spelling' })).status).toBe(200);
    const { body } = await server().admin.get(at(weaker));
    expect((await desk.api.put(at(weaker), body)).status).toBe(200);
  });
});
