import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import type { Api } from '../../support/api.ts';
import { eventsDuring } from '../../support/events.ts';

import { describeOnBoth, type TestUser } from '../../support/server.ts';

const users = '/rbac/permissions/assigned_by_users/';
const view = 'svc_core.view_group';
const change = 'svc_core.change_group';

describeOnBoth('unassigning permissions of a user', (server) => {
  const unassign = (pk: number | string, body: unknown, api: Api = server().admin) =>
    api.patch(`${users}${pk}/unassign/`, body);
  const assign = async (pk: number, permissions: string[], object_pk?: string) => {
    const on = object_pk && { model: 'svc_core.group', object_pk };
    const answer = await server().admin.post(`${users}${pk}/assign/`, { permissions, ...on });
    expect(answer.status).toBe(200);
  };
  /** What a user holds, as `app.codename` everywhere and `app.codename object` on one. */
  const held = async (pk: number) => {
    const { rows } = await sql<{ grant: string }>`
      select p.app_label || '.' || p.codename as "grant" from user_permissions g join permissions p on p.pk = g.permission
        where g."user" = ${pk}
      union all select p.app_label || '.' || p.codename || ' ' || g.object_pk as "grant" from user_object_permissions g
        join permissions p on p.pk = g.permission where g."user" = ${pk} order by 1`.execute(server().world.db.read);
    return rows.map(({ grant }) => grant);
  };
  const newGroup = async () =>
    (await server().admin.post('/core/groups/', { name: `g-${crypto.randomUUID()}` })).body.pk as string;
  /** A user who holds both permissions everywhere and on one group. */
  const holder = async (): Promise<TestUser & { group: string }> => {
    const person = await server().user([view, change]);
    const group = await newGroup();
    await assign(person.pk, ['view_group', 'change_group'], group);
    return { ...person, group };
  };
  const everything = (group: string) => [change, `${change} ${group}`, view, `${view} ${group}`];

  test('answers 204 for a global permission, and keeps those on single objects', async () => {
    const { pk, group } = await holder();
    const answer = await unassign(pk, { permissions: [view] });
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(await held(pk)).toEqual([change, `${change} ${group}`, `${view} ${group}`]);
  });

  test.each(['view_group', 'svc_core.view_group', 'wrong_app.view_group'])(
    'on an object, %s, removes only the permission on that object',
    async (name) => {
      const { pk, group } = await holder();
      const other = await newGroup();
      await assign(pk, ['view_group'], other);
      const answer = await unassign(pk, { permissions: [name], model: 'svc_core.group', object_pk: group });
      expect(answer.status).toBe(204);
      expect(await held(pk)).toEqual([change, `${change} ${group}`, view, `${view} ${other}`]);
    },
  );

  test('removes several permissions at once', async () => {
    const { pk, group } = await holder();
    await unassign(pk, { permissions: [view, change] });
    expect(await held(pk)).toEqual([`${change} ${group}`, `${view} ${group}`]);
    await unassign(pk, { permissions: ['view_group', 'change_group'], model: 'svc_core.group', object_pk: group });
    expect(await held(pk)).toEqual([]);
  });

  test('ignores permissions that are not assigned, and matches keys exactly', async () => {
    const { pk, group } = await holder();
    expect((await unassign(pk, { permissions: ['svc_core.delete_group'] })).status).toBe(204);
    const shouted = { permissions: ['view_group'], model: 'svc_core.group', object_pk: group.toUpperCase() };
    expect((await unassign(pk, shouted)).status).toBe(204);
    expect(await held(pk)).toEqual([change, `${change} ${group}`, view]);
  });

  test('accepts a number as a key', async () => {
    const { admin, user } = server();
    const target = await user();
    const { pk } = await user();
    await admin.post(`${users}${pk}/assign/`, {
      permissions: ['view_user'],
      model: 'svc_core.user',
      object_pk: target.pk,
    });
    expect(await held(pk)).toEqual([`svc_core.view_user ${target.pk}`]);
    await unassign(pk, { permissions: ['view_user'], model: 'svc_core.user', object_pk: target.pk });
    expect(await held(pk)).toEqual([]);
  });

  test.each([[{}], [{ permissions: [] }]])('removes nothing for the body %j', async (body) => {
    const { pk, group } = await holder();
    const answer = await unassign(pk, body);
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(await held(pk)).toEqual(everything(group));
  });

  describe('refuses, and changes nothing', () => {
    const missing = crypto.randomUUID();
    const together = { non_field_errors: ['The fields model, object_pk must be used together.'] };
    test.each([
      [{ permissions: [view], model: 'svc_core.group' }, together],
      [{ permissions: [view], object_pk: missing }, together],
      [
        { permissions: [view, 'svc_core.fly_group'] },
        { permissions: ['Permission "svc_core.fly_group" does not exist.'] },
      ],
      [
        { permissions: [view, 'nothing.view_group'] },
        { permissions: ['Permission "nothing.view_group" does not exist.'] },
      ],
      [
        { permissions: ['view_group'] },
        { permissions: ['When assigning global permissions, codename must be given as app_label.codename'] },
      ],
      [
        { permissions: [view], model: 'svc_core.group', object_pk: missing },
        { object_pk: [`Invalid pk "${missing}" - object does not exist.`] },
      ],
      [
        { permissions: ['view_group'], model: 'svc_core.group', object_pk: 'abc' },
        { non_field_errors: ['“abc” is not a valid UUID.'] },
      ],
      [
        { permissions: ['view_user'], model: 'svc_core.user', object_pk: 'abc' },
        { object_pk: ['Invalid pk "abc" - object does not exist.'] },
      ],
      [
        { permissions: ['view_user'], model: 'svc_core.user', object_pk: '99999999999999999999' },
        { object_pk: ['Invalid pk "99999999999999999999" - object does not exist.'] },
      ],
      [
        { permissions: ['view_license'], model: 'svc_enterprise.license', object_pk: missing },
        { object_pk: [`Invalid pk "${missing}" - object does not exist.`] },
      ],
      [
        { permissions: [view], model: 'svc_core.grupp', object_pk: missing },
        { model: [expect.stringContaining('"svc_core.grupp" is not a valid choice.')] },
      ],
      [
        { permissions: [view, '', ' '] },
        { permissions: { 1: ['This field may not be blank.'], 2: ['This field may not be blank.'] } },
      ],
      [
        { permissions: [view, null, {}] },
        { permissions: { 1: ['This field may not be null.'], 2: ['Not a valid string.'] } },
      ],
      [{ permissions: 'view' }, { permissions: ['Expected a list of items but got type "str".'] }],
      [{ permissions: null }, { permissions: ['This field may not be null.'] }],
      [
        { object_pk: '', model: null },
        { object_pk: ['This field may not be blank.'], model: ['This field may not be null.'] },
      ],
      [{ permissions: ['svc_core.a\u0000b'] }, { permissions: { 0: ['Null characters are not allowed.'] } }],
      [[], { non_field_errors: ['Invalid data. Expected a dictionary, but got list.'] }],
      [{ permissions: Array(1001).fill(view) }, { permissions: ['Ensure this field has no more than 1000 elements.'] }],
    ])('%j', async (body, complaints) => {
      const { pk, group } = await holder();
      const events = await eventsDuring(server(), async () => {
        const answer = await unassign(pk, body);
        expect([answer.status, answer.body]).toEqual([400, complaints]);
      });
      expect(events).toEqual([]);
      expect(await held(pk)).toEqual(everything(group));
    });

    test('a permission of another model than the object’s', async () => {
      const { pk, group } = await holder();
      const answer = await unassign(pk, { permissions: ['view_user'], model: 'svc_core.group', object_pk: group });
      expect(answer.body).toEqual({ permissions: ['Permission "view_user" does not exist.'] });
    });

    test('an object that is gone: the permission on all objects stays', async () => {
      const { admin } = server();
      const { pk, group } = await holder();
      await admin.delete(`/core/groups/${group}/`);
      const answer = await unassign(pk, { permissions: [view], model: 'svc_core.group', object_pk: group });
      expect(answer.status).toBe(400);
      expect(await held(pk)).toEqual(expect.arrayContaining([view, change]));
    });

    test('an internal service account', async () => {
      const { user, world } = server();
      const account = await user([view]);
      await world.db.write((tx) =>
        sql`update users set type = 'internal_service_account' where pk = ${account.pk}`.execute(tx),
      );
      const answer = await unassign(account.pk, { permissions: [view] });
      expect([answer.status, answer.body]).toEqual([
        400,
        { non_field_errors: ['Permissions cannot be unassigned from an internal service account.'] },
      ]);
      expect(await held(account.pk)).toEqual([view]);
    });
  });

  test('keeps permissions from a role', async () => {
    const { admin, user } = server();
    const { body: role } = await admin.post('/rbac/roles/', { name: 'gives a view' });
    await admin.post(`/rbac/permissions/assigned_by_roles/${role.pk}/assign/`, { permissions: [view] });
    const { body: group } = await admin.post('/core/groups/', { name: 'with a view', roles: [role.pk] });
    const person = await user([view], { groups: [group.pk] });
    await unassign(person.pk, { permissions: [view] });
    expect(await held(person.pk)).toEqual([]);
    expect((await person.api.get('/core/groups/')).status).toBe(200);
  });

  test('a revocation takes effect with the next request', async () => {
    const { user } = server();
    const person = await user([view]);
    expect((await person.api.get('/core/groups/')).status).toBe(200);
    await unassign(person.pk, { permissions: [view] });
    expect((await person.api.get('/core/groups/')).status).toBe(403);
  });

  test.each(['99999999', 'abc', '4294967296'])('answers 404 for the user %s', async (id) => {
    expect((await unassign(id, { permissions: [view] })).status).toBe(404);
  });

  test('requires two permissions, on all users or on this one', async () => {
    const { user, admin, nobody } = server();
    const unassignRight = 'svc_core.unassign_user_permissions';
    const changeUser = 'svc_core.change_user';
    const cases: [string[], number][] = [
      [[], 403],
      [[unassignRight], 403],
      [[changeUser], 403],
      [['svc_core.assign_user_permissions', 'svc_core.add_user', 'svc_core.view_user'], 403],
      [[unassignRight, changeUser], 204],
    ];
    for (const [permissions, status] of cases) {
      const caller = await user(permissions);
      const { pk, group } = await holder();
      expect([permissions, (await unassign(pk, { permissions: [view] }, caller.api)).status]).toEqual([
        permissions,
        status,
      ]);
      expect((await unassign(pk, { permissions: 5 }, caller.api)).status).toBe(status === 204 ? 400 : 403);
      expect(await held(pk)).toEqual(everything(group).filter((grant) => status !== 204 || grant !== view));
    }
    const target = await holder();
    const one = await user();
    await admin.post(`${users}${one.pk}/assign/`, {
      permissions: ['unassign_user_permissions', 'change_user'],
      model: 'svc_core.user',
      object_pk: target.pk,
    });
    expect((await unassign(target.pk, { permissions: [view] }, one.api)).status).toBe(204);
    const other = await holder();
    expect((await unassign(other.pk, { permissions: [view] }, one.api)).status).toBe(403);
    expect((await unassign(99999999, { permissions: [view] }, one.api)).status).toBe(403);
    expect((await unassign(other.pk, { permissions: [view] }, nobody)).status).toBe(403);
  });

  test('records one event about the user', async () => {
    const { pk, username, group } = await holder();
    const events = await eventsDuring(server(), async () => {
      await unassign(pk, { permissions: [view, change] });
      await unassign(pk, { permissions: ['view_group'], model: 'svc_core.group', object_pk: group });
    });
    const model = { app: 'svc_core', model_name: 'user', pk, name: username };
    expect(events).toMatchObject([
      { action: 'model_updated', context: { model, diff: { permissions: { remove: [view, change] } } } },
      { action: 'model_updated', context: { model, diff: { permissions: { remove: [view], object_pk: group } } } },
    ]);
  });

  test('removes nothing in a dry run', async () => {
    const { admin } = server();
    const { pk, group } = await holder();
    expect((await admin.patch(`${users}${pk}/unassign/?dry_run=true`, { permissions: [view] })).status).toBe(204);
    expect(await held(pk)).toEqual(everything(group));
  });
});
