import { expect, test } from 'vitest';
import { lastEvents } from '../../support/events.ts';
import { describeOnBoth } from '../../support/server.ts';
import { makeGroup } from '../../support/sync.ts';
import { unique } from '../sources/fixtures.ts';

describeOnBoth('the id of a global grant', (server) => {
  const makeRole = async () => (await server().admin.post('/rbac/roles/', { name: unique('role') })).body.pk;
  const assignTo = (path: string) => async (body: object) => {
    const { status, body: ids } = await server().admin.post(`/rbac/permissions/${path}/assign/`, body);
    expect(status).toBe(200);
    return ids.map(({ id }: { id: string }) => id);
  };

  test('is not the id of a grant on an object', async () => {
    const { admin } = server();
    const role = await makeRole();
    const group = await makeGroup(admin);
    const assign = assignTo(`assigned_by_roles/${role}`);
    const onObject: string[] = [];
    for (const name of ['view_group', 'change_group', 'delete_group'])
      onObject.push(...(await assign({ permissions: [name], model: 'svc_core.group', object_pk: group.pk })));
    const all = (await admin.get('/rbac/permissions/?page_size=1000')).body.results;
    const names = all.map(({ app_label, codename }: Record<string, string>) => `${app_label}.${codename}`).slice(0, 50);
    const everywhere = await assign({ permissions: names });
    expect(new Set(everywhere).size).toBe(50);
    expect(new Set(everywhere).isDisjointFrom(new Set(onObject))).toBe(true);
    expect(await assign({ permissions: names })).toEqual(everywhere);
    const other = await assignTo(`assigned_by_roles/${await makeRole()}`)({ permissions: names });
    expect(new Set(other).isDisjointFrom(new Set(everywhere))).toBe(true);
    for (const id of everywhere)
      expect([id, (await admin.delete(`/rbac/permissions/roles/${id}/`)).status]).toEqual([id, 204]);
    const { body } = await admin.get(`/rbac/permissions/roles/?uuid=${role}`);
    expect(body.pagination.count).toBe(3);
  });

  // As a configuration tool makes a grant, reads it at each plan, and destroys it.
  test.each(['roles', 'users'])('of %s reads and deletes it', async (holders) => {
    const { admin } = server();
    const person = await server().user();
    const holder = holders === 'roles' ? await makeRole() : person.pk;
    const [id] = await assignTo(`assigned_by_${holders}/${holder}`)({ permissions: ['svc_core.view_group'] });
    const path = `/rbac/permissions/${holders}/${id}/`;
    expect(await admin.get(path)).toMatchObject({
      status: 200,
      body: { id: Number(id), codename: 'view_group', model: 'group', app_label: 'svc_core', object_pk: '' },
    });
    const filter = holders === 'roles' ? 'role' : 'user';
    const held = async () =>
      (await admin.get(`/rbac/permissions/?codename=view_group&${filter}=${holder}`)).body.results.length;
    expect(await held()).toBe(1);
    const stranger = await server().user();
    const reader = await server().user([`svc_rbac.view_${filter}objectpermission`]);
    expect((await stranger.api.get(path)).status).toBe(404);
    expect((await stranger.api.delete(path)).status).toBe(404);
    expect((await reader.api.get(path)).status).toBe(200);
    expect((await reader.api.delete(path)).status).toBe(403);
    expect((await admin.delete(`${path}?dry_run=true`)).status).toBe(204);
    expect(await held()).toBe(1);
    expect((await admin.delete(path)).status).toBe(204);
    const [event] = await lastEvents(server(), 1);
    expect(event?.context.diff).toEqual({ permissions: { remove: ['svc_core.view_group'] } });
    expect(await held()).toBe(0);
    expect([(await admin.get(path)).status, (await admin.delete(path)).status]).toEqual([404, 404]);
  });

  test('of a superuser is deleted by superusers only', async () => {
    const { admin } = server();
    const me = (await admin.get('/core/users/me/')).body.user.pk;
    const [id] = await assignTo(`assigned_by_users/${me}`)({ permissions: ['svc_core.view_group'] });
    const delegate = await server().user([
      'svc_rbac.view_userobjectpermission',
      'svc_rbac.delete_userobjectpermission',
      'svc_core.unassign_user_permissions',
      'svc_core.change_user',
    ]);
    expect((await delegate.api.delete(`/rbac/permissions/users/${id}/`)).status).toBe(403);
  });
});
