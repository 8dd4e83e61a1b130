import { expect, test } from 'vitest';
import { grantOn } from '../support/grants.ts';
import { describeOnBoth } from '../support/server.ts';

// A filter by an unknown name was refused, so its status code disclosed which names exist.
describeOnBoth('filters by other objects', (server) => {
  test('do not tell delegates who there is besides the members whom they see', async () => {
    const { admin, user } = server();
    const member = await user();
    const { body: group } = await admin.post('/core/groups/', { name: 'theirs', users: [member.pk] });
    const delegate = await user();
    await grantOn(server(), delegate.pk, 'svc_core.view_group', group.pk);
    const { body: found } = await delegate.api.get(`/core/groups/?members_by_pk=${member.pk}`);
    expect(found.pagination.count).toBe(1);
    for (const name of ['admin', 'nobody-there']) {
      const { status, body } = await delegate.api.get(`/core/groups/?members_by_username=${name}`);
      expect([name, status, body.results]).toEqual([name, 200, []]);
    }
    expect((await admin.get('/core/groups/?members_by_username=nobody-there')).status).toBe(400);
  });

  test('do not tell delegates which groups a role belongs to', async () => {
    const { admin, user } = server();
    const { body: role } = await admin.post('/rbac/roles/', { name: 'auditors' });
    const { body: group } = await admin.post('/core/groups/', { name: 'a secret project', roles: [role.pk] });
    const found = async (reader: Awaited<ReturnType<typeof user>>) =>
      (await reader.api.get(`/rbac/roles/?group__name=${encodeURIComponent(group.name)}`)).body.pagination.count;
    const delegate = await user(['svc_rbac.view_role']);
    expect(await found(delegate)).toBe(0);
    await grantOn(server(), delegate.pk, 'svc_core.view_group', group.pk);
    expect(await found(delegate)).toBe(1);
    expect(await found(await user(['svc_rbac.view_role', 'svc_core.view_group']))).toBe(1);
  });
});
