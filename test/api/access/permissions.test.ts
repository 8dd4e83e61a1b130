import { expect, test } from 'vitest';
import { eventsDuring } from '../../support/events.ts';

import { describeOnBoth } from '../../support/server.ts';

const path = '/rbac/permissions/';

describeOnBoth('permissions', (server) => {
  test('have a readable name', async () => {
    const { admin } = server();
    const { body } = await admin.get(`${path}?codename=view_eventmatcherpolicy`);
    expect(body.results).toEqual([
      {
        id: expect.any(Number),
        name: 'Can view Event Matcher Policy',
        codename: 'view_eventmatcherpolicy',
        model: 'eventmatcherpolicy',
        app_label: 'svc_policies_event_matcher',
        app_label_verbose: 'Gatehouse Policies.Event Matcher',
        model_verbose: 'Event Matcher Policy',
        is_held: true,
      },
    ]);
    expect((await admin.get(`${path}${body.results[0].id}/`)).body).toEqual(body.results[0]);
    expect((await admin.get(`${path}999999/`)).status).toBe(404);
  });

  test('permissions are filtered by app, model and holder, and searched', async () => {
    const { admin, user } = server();
    const person = await user(['svc_core.view_group']);
    const { body: role } = await admin.post('/rbac/roles/', { name: 'with one' });
    await admin.post(`${path}assigned_by_roles/${role.pk}/assign/`, { permissions: ['svc_core.view_user'] });
    const find = async (query: string) =>
      (await admin.get(`${path}?${query}`)).body.results.map(({ codename }: { codename: string }) => codename);
    expect(await find('content_type__app_label=svc_core&content_type__model=application')).toEqual([
      'add_application',
      'change_application',
      'delete_application',
      'view_application',
    ]);
    expect(await find(`user=${person.pk}`)).toEqual(['view_group']);
    expect(await find(`role=${role.pk}`)).toEqual(['view_user']);
    expect(await find('search=view+webauthndevice&content_type__model=webauthndevice')).toEqual([
      'view_webauthndevice',
    ]);
    const refusal = 'Select a valid choice. That choice is not one of the available choices.';
    expect((await admin.get(`${path}?user=99999999`)).body).toEqual({ user: [refusal] });
    expect((await admin.get(`${path}?role=x`)).body).toEqual({ role: [refusal] });
  });

  test('are listed by permission, and by holder for callers who may see the holder', async () => {
    const { user, nobody } = server();
    const plain = await user();
    const reader = await user(['svc_rbac.view_permission']);
    expect((await nobody.get(path)).status).toBe(403);
    expect((await plain.api.get(path)).status).toBe(403);
    expect((await reader.api.get(path)).status).toBe(200);
    expect((await reader.api.get(`${path}?user=${plain.pk}`)).status).toBe(400);
    expect((await reader.api.post(path, {})).status).toBe(405);
  });
});

describeOnBoth('permissions on single objects', (server) => {
  const group = async (name: string) => (await server().admin.post('/core/groups/', { name })).body.pk as string;
  const give = async (pk: number, object_pk: string, permissions = ['view_group']) => {
    const body = { permissions, model: 'svc_core.group', object_pk };
    const { body: ids } = await server().admin.post(`${path}assigned_by_users/${pk}/assign/`, body);
    return ids[0].id as string;
  };

  test('object permissions are listed with their objects, ten per page', async () => {
    const { admin, user } = server();
    const person = await user();
    const key = await group('described');
    const id = await give(person.pk, key);
    const listed = await admin.get(`${path}users/?user_id=${person.pk}`);
    expect(listed.body.results).toEqual([
      {
        id: Number(id),
        codename: 'view_group',
        model: 'group',
        app_label: 'svc_core',
        object_pk: key,
        name: 'Can view Group',
        app_label_verbose: 'Gatehouse Core',
        model_verbose: 'Group',
        object_description: 'described',
      },
    ]);
    expect((await admin.get(`${path}users/${id}/`)).body).toEqual(listed.body.results[0]);
    for (let index = 0; index < 11; index += 1) await give(person.pk, await group(`one of many ${index}`));
    const page = (await admin.get(`${path}users/?user_id=${person.pk}&page_size=100`)).body;
    expect([page.results.length, page.pagination.total_pages]).toEqual([10, 2]);
  });

  test('object permissions of roles are listed, filtered by role and searched', async () => {
    const { admin } = server();
    const { body: role } = await admin.post('/rbac/roles/', { name: 'with an object' });
    const key = await group('for a role');
    await admin.post(`${path}assigned_by_roles/${role.pk}/assign/`, {
      permissions: ['change_group'],
      model: 'svc_core.group',
      object_pk: key,
    });
    const { body } = await admin.get(`${path}roles/?uuid=${role.pk}&search=change`);
    expect(body.results).toMatchObject([
      { codename: 'change_group', object_pk: key, object_description: 'for a role' },
    ]);
    expect((await admin.get(`${path}roles/?uuid=${role.pk}&search=delete`)).body.results).toEqual([]);
    expect((await admin.get(`${path}roles/?uuid=x`)).status).toBe(400);
    expect((await admin.get(`${path}users/?user_id=x`)).status).toBe(400);
  });

  test('describe only objects that the caller may view, and go with them', async () => {
    const { admin, user } = server();
    const person = await user();
    const key = await group('hidden');
    const id = await give(person.pk, key);
    const reader = await user(['svc_rbac.view_userobjectpermission']);
    expect((await reader.api.get(`${path}users/${id}/`)).body).toMatchObject({
      object_pk: key,
      object_description: null,
    });
    await admin.delete(`/core/groups/${key}/`);
    expect((await admin.get(`${path}users/${id}/`)).status).toBe(404);
  });

  test('object permissions are moved to another existing object, and deleted', async () => {
    const { admin, user } = server();
    const person = await user();
    const [from, to] = [await group('from'), await group('to')];
    const id = await give(person.pk, from);
    const events = await eventsDuring(server(), async () => {
      const moved = await admin.patch(`${path}users/${id}/`, { object_pk: to.toUpperCase() });
      expect([moved.status, moved.body.object_pk, moved.body.object_description]).toEqual([200, to, 'to']);
    });
    expect(events.map(({ action }) => action)).toEqual(['model_updated']);
    expect((await person.api.get(`/core/groups/${to}/`)).status).toBe(200);
    expect((await person.api.get(`/core/groups/${from}/`)).status).toBe(404);
    expect((await admin.put(`${path}users/${id}/`, {})).body).toEqual({ object_pk: ['This field is required.'] });
    const missing = crypto.randomUUID();
    expect((await admin.patch(`${path}users/${id}/`, { object_pk: missing })).body).toEqual({
      object_pk: [`Invalid pk "${missing}" - object does not exist.`],
    });
    expect((await admin.patch(`${path}users/${id}/`, { object_pk: 'x' })).status).toBe(400);
    await give(person.pk, from);
    const twice = await admin.patch(`${path}users/${id}/`, { object_pk: from });
    expect(twice.status).toBe(400);
    expect((await admin.delete(`${path}users/${id}/`)).status).toBe(204);
    expect((await person.api.get(`/core/groups/${to}/`)).status).toBe(404);
  });

  test('require permission to read and to write', async () => {
    const { user, nobody } = server();
    const person = await user();
    const id = await give(person.pk, await group('guarded'));
    for (const api of [nobody, person.api]) {
      expect((await api.get(`${path}users/`)).status).toBe(403);
      expect((await api.get(`${path}roles/`)).status).toBe(403);
      expect((await api.delete(`${path}users/${id}/`)).status).toBe(403);
    }
    const reader = await user(['svc_rbac.view_userobjectpermission']);
    expect((await reader.api.delete(`${path}users/${id}/`)).status).toBe(403);
  });
});

describeOnBoth('roles', (server) => {
  test('have a name, and are found by it and by their group', async () => {
    const { admin } = server();
    const made = await admin.post('/rbac/roles/', { name: 'keepers' });
    expect([made.status, made.body]).toEqual([201, { pk: expect.any(String), name: 'keepers' }]);
    await admin.post('/core/groups/', { name: 'of keepers', roles: [made.body.pk] });
    const found = await admin.get('/rbac/roles/?group__name=of+keepers');
    expect(found.body.results).toEqual([made.body]);
    expect((await admin.get('/rbac/roles/?group__name=none')).body.results).toEqual([]);
    expect((await admin.get('/rbac/roles/?search=KEEP')).body.results).toEqual([made.body]);
    expect((await admin.post('/rbac/roles/', { name: 'keepers' })).body).toEqual({
      name: ['Role with this name already exists.'],
    });
    expect((await admin.post('/rbac/roles/', { name: 'x'.repeat(151) })).body).toEqual({
      name: ['Ensure this field has no more than 150 characters.'],
    });
    expect((await admin.get(`/rbac/roles/${made.body.pk}/used_by/`)).body).toMatchObject([
      { model_name: 'group', name: 'of keepers', action: 'cascade_many' },
    ]);
    expect((await admin.patch(`/rbac/roles/${made.body.pk}/`, { name: 'finders' })).body.name).toBe('finders');
    expect((await admin.delete(`/rbac/roles/${made.body.pk}/`)).status).toBe(204);
    expect((await admin.get('/core/groups/?name=of+keepers')).body.results[0].roles).toEqual([]);
  });

  test('permissions of the readers group allow reading, not writing', async () => {
    const { admin, user } = server();
    const { body } = await admin.get('/core/groups/?name=Gatehouse+Read-only');
    const reader = await user([], { groups: [body.results[0].pk] });
    expect((await reader.api.get('/core/users/')).status).toBe(200);
    expect((await reader.api.get('/events/rules/')).status).toBe(200);
    expect((await reader.api.get('/admin/settings/')).status).toBe(200);
    expect((await reader.api.post('/core/groups/', { name: 'no' })).status).toBe(403);
    expect((await reader.api.patch(`/core/users/${reader.pk}/`, { name: 'no' })).status).toBe(403);
    expect((await reader.api.get('/core/tokens/gatehouse-bootstrap-token/view_key/')).status).toBe(404);
  });
});
