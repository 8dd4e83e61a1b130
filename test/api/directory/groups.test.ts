import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { chunksOf } from '../../../src/lib/chunks.ts';
import { eventsDuring } from '../../support/events.ts';

import { describeOnBoth } from '../../support/server.ts';
import { statementsOf } from '../../support/statements.ts';

describeOnBoth('groups', (server) => {
  const create = (values: Record<string, unknown>) => server().admin.post('/core/groups/', values);
  const names = (body: { results: { name: string }[] }) => body.results.map(({ name }) => name);

  test('what uses a role is told without reading the members of groups', async () => {
    const { admin } = server();
    const role = (await admin.post('/rbac/roles/', { name: 'used by a group' })).body;
    const { pk } = (await admin.post('/core/groups/', { name: 'uses a role', roles: [role.pk] })).body;
    let uses: unknown;
    const statements = await statementsOf(server(), async () => {
      uses = (await admin.get(`/rbac/roles/${role.pk}/used_by/`)).body;
    });
    expect(uses).toEqual([{ app: 'svc_core', model_name: 'group', pk, name: 'uses a role', action: 'cascade_many' }]);
    const ofGroups = statements.filter((text) => text.includes('from "groups" as "t"'));
    expect(ofGroups).toHaveLength(1);
    expect(ofGroups[0]).not.toContain('from "users"');
  });

  test('a group is created with a name and shows the rest', async () => {
    const { user } = server();
    const person = await user([], { email: 'member@example.com', attributes: { a: 1 } });
    const { body: parent } = await create({ name: 'parent' });
    const { body: role } = await server().admin.post('/rbac/roles/', { name: 'role of a group' });
    const made = await create({
      name: 'staff',
      parent: parent.pk,
      users: [person.pk],
      roles: [role.pk],
      attributes: { b: 2 },
    });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      pk: expect.any(String),
      num_pk: Number(
        BigInt(`0x${made.body.pk.replaceAll('-', '')}`)
          .toString()
          .slice(0, 5),
      ),
      name: 'staff',
      is_superuser: false,
      parent: parent.pk,
      parent_name: 'parent',
      users: [person.pk],
      member_count: 1,
      users_obj: [
        {
          pk: person.pk,
          username: person.username,
          name: person.username,
          is_active: true,
          last_login: null,
          email: 'member@example.com',
          attributes: { a: 1 },
          uid: expect.stringMatching(/^[0-9a-f]{64}$/),
        },
      ],
      attributes: { b: 2 },
      roles: [role.pk],
      roles_obj: [{ pk: role.pk, name: 'role of a group' }],
    });
  });

  test('group names are unique and not empty', async () => {
    await create({ name: 'once' });
    expect((await create({ name: 'once' })).body).toEqual({ name: ['This field must be unique.'] });
    expect((await create({ name: ' ' })).body).toEqual({ name: ['This field may not be blank.'] });
    expect((await create({})).body).toEqual({ name: ['This field is required.'] });
  });

  test('a group cannot be its own ancestor', async () => {
    const { admin } = server();
    const { body: top } = await create({ name: 'cycle top' });
    const { body: middle } = await create({ name: 'cycle middle', parent: top.pk });
    const { body: bottom } = await create({ name: 'cycle bottom', parent: middle.pk });
    const itself = await admin.patch(`/core/groups/${top.pk}/`, { parent: top.pk });
    expect([itself.status, itself.body]).toEqual([400, { parent: ['Cannot set group as parent of itself.'] }]);
    for (const below of [middle, bottom]) {
      const answer = await admin.patch(`/core/groups/${top.pk}/`, { parent: below.pk });
      expect([answer.status, answer.body]).toEqual([
        400,
        { parent: ['Cannot set a group below this one as its parent.'] },
      ]);
    }
    expect((await admin.patch(`/core/groups/${bottom.pk}/`, { parent: top.pk })).status).toBe(200);
    expect((await admin.patch(`/core/groups/${bottom.pk}/`, { parent: null })).body.parent_name).toBeNull();
    expect((await create({ name: 'orphan', parent: crypto.randomUUID() })).body).toEqual({
      parent: [expect.stringMatching(/^Invalid pk ".+" - object does not exist\.$/)],
    });
  });

  test('a role belongs to one group', async () => {
    const { admin } = server();
    const { body: role } = await admin.post('/rbac/roles/', { name: 'only one group' });
    const { body: first } = await create({ name: 'has the role', roles: [role.pk] });
    const second = await create({ name: 'wants the role', roles: [role.pk] });
    const refusal = { non_field_errors: ['Roles can only be used with a single group.'] };
    expect([second.status, second.body]).toEqual([400, refusal]);
    const { body: third } = await create({ name: 'wants it later' });
    expect((await admin.patch(`/core/groups/${third.pk}/`, { roles: [role.pk] })).body).toEqual(refusal);
    expect((await admin.patch(`/core/groups/${first.pk}/`, { roles: [role.pk] })).status).toBe(200);
    await admin.patch(`/core/groups/${first.pk}/`, { roles: [] });
    expect((await admin.patch(`/core/groups/${third.pk}/`, { roles: [role.pk] })).status).toBe(200);
  });

  test('PUT without users empties the group', async () => {
    const { admin, user } = server();
    const person = await user();
    const { body: group } = await create({ name: 'emptied', users: [person.pk] });
    expect((await admin.patch(`/core/groups/${group.pk}/`, { name: 'emptied' })).body.users).toEqual([person.pk]);
    expect((await admin.put(`/core/groups/${group.pk}/`, { name: 'emptied' })).body.users).toEqual([]);
  });

  test('include_users=false leaves the members out, nested too', async () => {
    const { admin, user } = server();
    const person = await user();
    const { body: group } = await create({ name: 'without members', users: [person.pk] });
    const { body: rule } = await admin.post('/events/rules/', { name: 'of a large group', group: group.pk });
    const listed = await admin.get('/core/groups/?name=without+members&include_users=false');
    expect(listed.body.results[0]).toMatchObject({ users: [person.pk], users_obj: null, member_count: 1 });
    expect((await admin.get(`/core/groups/${group.pk}/?include_users=false`)).body.users_obj).toBeNull();
    expect((await admin.get(`/events/rules/${rule.pk}/?include_users=false`)).body.group_obj.users_obj).toBeNull();
    expect((await admin.get(`/events/rules/${rule.pk}/`)).body.group_obj.users_obj).toHaveLength(1);
  });

  test('a write reads the keys of the members, and their objects only to show them', async () => {
    const { admin, user } = server();
    const [person, other] = [await user(), await user()];
    const { body: group } = await create({ name: 'large', users: [person.pk] });
    const path = `/core/groups/${group.pk}/`;
    const reads = async (work: () => Promise<unknown>) =>
      (await statementsOf(server(), work)).filter((text) => /"username"/.test(text) && /user_groups/.test(text)).length;
    const rename = (name: string, headers = {}) => admin.patch(path, { name }, headers);
    expect(await reads(() => admin.post(`${path}add_user/`, { pk: other.pk }))).toBe(0);
    expect(await reads(() => rename('larger'))).toBe(1);
    const etag = (await admin.get(path)).headers.get('etag') ?? '';
    expect(await reads(() => rename('largest', { 'if-match': etag }))).toBe(2);
    expect((await rename('small', { 'if-match': etag })).status).toBe(412);
    expect((await rename('small')).body.users_obj).toHaveLength(2);
    expect(await reads(() => admin.delete(path))).toBe(0);
  });

  test('superusers are members of superuser groups and of the groups below', async () => {
    const { admin, user } = server();
    const { body: top } = await create({ name: 'super top', is_superuser: true });
    const { body: below } = await create({ name: 'super below', parent: top.pk });
    const person = await user([], { groups: [below.pk] });
    expect((await admin.get(`/core/users/${person.pk}/`)).body.is_superuser).toBe(true);
    expect((await person.api.get('/core/users/')).status).toBe(200);
    await admin.patch(`/core/groups/${below.pk}/`, { parent: null });
    expect((await person.api.get('/core/users/')).status).toBe(403);
  });

  test('deleting a group leaves its members and the groups below', async () => {
    const { admin, user } = server();
    const { body: group } = await create({ name: 'short-lived' });
    const { body: child } = await create({ name: 'child of short-lived', parent: group.pk });
    const person = await user([], { groups: [group.pk] });
    expect((await admin.delete(`/core/groups/${group.pk}/`)).status).toBe(204);
    expect((await admin.get(`/core/users/${person.pk}/`)).body.groups).toEqual([]);
    expect((await admin.get(`/core/groups/${child.pk}/`)).body.parent).toBeNull();
  });

  test.each([
    ['name=gf+one', ['gf one']],
    ['search=gf&is_superuser=true', ['gf two']],
    ['members_by_username=gf-member', ['gf one']],
    ['members_by_username=gf-member&members_by_username=admin', ['Gatehouse Admins', 'gf one']],
    ['attributes={"colour":"red"}', ['gf one']],
  ])('groups are filtered by %s', async (query, expected) => {
    const { admin, user } = server();
    if ((await admin.get('/core/groups/?name=gf+one')).body.pagination.count === 0) {
      const member = await user([], { username: 'gf-member' });
      await create({ name: 'gf one', users: [member.pk], attributes: { colour: 'red' } });
      await create({ name: 'gf two', is_superuser: true });
    }
    const answer = await admin.get(`/core/groups/?${query}`);
    expect([answer.status, names(answer.body)]).toEqual([200, expected]);
  });

  test('members_by_pk filters groups by the keys of members', async () => {
    const { admin, user } = server();
    const person = await user();
    await create({ name: 'by the key of a member', users: [person.pk] });
    const { body } = await admin.get(`/core/groups/?members_by_pk=${person.pk}`);
    expect(names(body)).toEqual(['by the key of a member']);
    for (const key of ['99999999', 'x']) {
      expect((await admin.get(`/core/groups/?members_by_pk=${key}`)).body).toEqual({
        members_by_pk: [`Select a valid choice. ${key} is not one of the available choices.`],
      });
    }
  });

  test('add_user and remove_user change the members', async () => {
    const { admin, user } = server();
    const person = await user();
    const { body: group } = await create({ name: 'joined' });
    const members = async () => (await admin.get(`/core/groups/${group.pk}/`)).body.users;
    const events = await eventsDuring(server(), async () => {
      const added = await admin.post(`/core/groups/${group.pk}/add_user/`, { pk: person.pk });
      expect([added.status, added.text]).toEqual([204, '']);
    });
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({
      action: 'model_updated',
      context: {
        model: { app: 'svc_core', model_name: 'group', pk: group.pk.replaceAll('-', ''), name: 'joined' },
        member: { app: 'svc_core', model_name: 'user', pk: person.pk, name: person.username },
        diff: { users: { add: [person.pk] } },
      },
    });
    expect(await members()).toEqual([person.pk]);
    expect((await admin.post(`/core/groups/${group.pk}/add_user/`, { pk: person.pk })).status).toBe(204);
    expect(await members()).toEqual([person.pk]);
    expect((await admin.post(`/core/groups/${group.pk}/remove_user/`, { pk: person.pk })).status).toBe(204);
    expect(await members()).toEqual([]);
    expect((await admin.post(`/core/groups/${group.pk}/add_user/`, { pk: 99999999 })).status).toBe(404);
    expect((await admin.post(`/core/groups/${group.pk}/remove_user/`, { pk: 99999999 })).status).toBe(404);
    expect((await admin.post(`/core/groups/${group.pk}/add_user/`, {})).body).toEqual({
      pk: ['This field is required.'],
    });
    expect((await admin.post(`/core/groups/${group.pk}/add_user/`, { pk: 'x' })).body).toEqual({
      pk: ['A valid integer is required.'],
    });
    expect((await admin.post(`/core/groups/${crypto.randomUUID()}/add_user/`, { pk: person.pk })).status).toBe(404);
  });

  test('add_user requires its own permission and those to view the group and the user', async () => {
    const { user } = server();
    const person = await user();
    const { body: group } = await create({ name: 'guarded' });
    const add = 'svc_core.add_user_to_group';
    const cases: [string[], number][] = [
      [[], 403],
      [[add], 403],
      [['svc_core.view_group', 'svc_core.view_user'], 403],
      [[add, 'svc_core.view_group'], 404],
      [[add, 'svc_core.view_group', 'svc_core.view_user'], 204],
    ];
    for (const [permissions, status] of cases) {
      const caller = await user(permissions);
      const answer = await caller.api.post(`/core/groups/${group.pk}/add_user/`, { pk: person.pk });
      expect([permissions, answer.status]).toEqual([permissions, status]);
    }
  });

  test('used_by names what uses a group', async () => {
    const { admin } = server();
    const { body: group } = await create({ name: 'used' });
    const { body: rule } = await admin.post('/events/rules/', { name: 'uses a group', group: group.pk });
    const { body } = await admin.get(`/core/groups/${group.pk}/used_by/`);
    expect(body).toEqual([
      { app: 'svc_events', model_name: 'notificationrule', pk: rule.pk, name: 'uses a group', action: 'set_null' },
    ]);
  });

  test('a very large list of members is stored and reduced', async () => {
    const { admin, world } = server();
    const { body: group } = await create({ name: 'large' });
    const missing = Array.from({ length: 40_000 }, (_, index) => 1_000_000 + index);
    const refused = await admin.patch(`/core/groups/${group.pk}/`, { users: missing });
    expect([refused.status, refused.body]).toEqual([400, { users: ['Invalid pk "1000000" - object does not exist.'] }]);
    const people = Array.from({ length: 6_000 }, (_, index) => index);
    const keys = await world.db.write(async (tx) => {
      const made: number[] = [];
      for (const some of chunksOf(people, 1_000)) {
        const rows = some.map(
          (index) =>
            sql`(${crypto.randomUUID()}, ${`crowd-${index}`}, '', '', ${world.clock.now()}, ${true}, ${world.clock.now()}, 'crowd', 'internal', '{}')`,
        );
        const result = await sql<{ pk: number }>`insert into users (uuid, username, name, email, password_change_date,
          is_active, date_joined, path, type, attributes) values ${sql.join(rows)} returning pk`.execute(tx);
        made.push(...result.rows.map(({ pk }) => pk));
      }
      return made;
    });
    const filled = await admin.patch(`/core/groups/${group.pk}/?include_users=false`, { users: keys });
    expect([filled.status, filled.body.users.length]).toEqual([200, 6_000]);
    const reduced = await admin.patch(`/core/groups/${group.pk}/`, { users: keys.slice(0, 2) });
    expect(reduced.body.users).toEqual(keys.slice(0, 2));
  });
});
