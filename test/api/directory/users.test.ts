import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { systemCall } from '../../../src/app/system-call.ts';
import { userTypes } from '../../../src/core/directory/user-rules.ts';
import { toTimestamp } from '../../../src/platform/clock.ts';
import type { Actor } from '../../../src/resource/access/actor.ts';
import { eventsDuring } from '../../support/events.ts';

import { describeOnBoth } from '../../support/server.ts';
import { signIn } from '../../support/session.ts';
import { statementsOf } from '../../support/statements.ts';

const range = (length: number) => Array.from({ length }, (_, index) => [`a${index}`, index]);

describeOnBoth('users', (server) => {
  const create = (values: Record<string, unknown>) => server().admin.post('/core/users/', values);
  const names = (body: { results: { username: string }[] }) => body.results.map(({ username }) => username);

  test('a user is created with two members and shows eighteen', async () => {
    const { world } = server();
    const made = await create({ username: 'ada', name: 'Ada Lovelace' });
    expect(made.status).toBe(201);
    const { pk } = made.body;
    expect(made.body).toEqual({
      pk: expect.any(Number),
      username: 'ada',
      name: 'Ada Lovelace',
      is_active: true,
      last_login: null,
      is_superuser: false,
      groups: [],
      groups_obj: [],
      email: '',
      email_verified: false,
      email_verified_at: null,
      email_verified_by: null,
      avatar: expect.stringMatching(/^data:image\/svg\+xml;base64,/),
      attributes: {},
      uid: hash('sha256', `${pk}-${world.installId}`),
      path: 'users',
      type: 'internal',
      uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect((await server().admin.get(`/core/users/${pk}/`)).body).toEqual(made.body);
  });

  test('all complaints about a user come at once', async () => {
    const wrong = await create({
      name: null,
      email: 'no address',
      is_active: 'perhaps',
      attributes: [],
      path: '/users',
      type: 'robot',
      groups: ['x'],
    });
    expect(wrong.status).toBe(400);
    expect(wrong.body).toEqual({
      username: ['This field is required.'],
      name: ['This field may not be null.'],
      email: ['Enter a valid email address.'],
      is_active: ['Must be a valid boolean.'],
      attributes: ['Value must be a dictionary, and not have any duplicate keys.'],
      path: ['No leading or trailing slashes allowed.'],
      type: [expect.stringContaining('"robot" is not a valid choice.')],
      groups: ['“x” is not a valid UUID.'],
    });
  });

  test('user names are unique', async () => {
    await create({ username: 'twice', name: '' });
    const again = await create({ username: 'twice', name: '' });
    expect([again.status, again.body]).toEqual([400, { username: ['This field must be unique.'] }]);
    expect((await create({ username: 'Twice', name: '' })).status).toBe(400);
    const long = await create({ username: 'x'.repeat(151), name: '' });
    expect(long.body).toEqual({ username: ['Ensure this field has no more than 150 characters.'] });
  });

  test.each([
    ['/a', 'No leading or trailing slashes allowed.'],
    ['a/', 'No leading or trailing slashes allowed.'],
    ['a//b', 'No empty segments in user path allowed.'],
  ])('the path %s of a user is refused', async (path, complaint) => {
    const made = await create({ username: `at ${path}`, name: '', path });
    expect(made.body).toEqual({ path: [complaint] });
  });

  test('a name too long for an index causes no server error', async () => {
    const name = Array.from({ length: 20_000 }, () => String.fromCodePoint(0x4e00 + Math.floor(Math.random() * 5000)));
    const made = await create({ username: 'long-name', name: name.join('') });
    expect([201, 400]).toContain(made.status);
  });

  test('an internal service account can be neither created nor changed, and no user becomes one', async () => {
    const { admin, user, world } = server();
    const refusal = { type: ['Setting a user to internal service account is not allowed.'] };
    expect((await create({ username: 'isa', name: '', type: 'internal_service_account' })).body).toEqual(refusal);
    const person = await user();
    const turned = await admin.patch(`/core/users/${person.pk}/`, { type: 'internal_service_account' });
    expect(turned.body).toEqual(refusal);
    await world.db.write((tx) =>
      sql`update users set type = 'internal_service_account' where pk = ${person.pk}`.execute(tx),
    );
    const changed = await admin.patch(`/core/users/${person.pk}/`, { name: 'new' });
    expect([changed.status, changed.body]).toEqual([
      400,
      { non_field_errors: ["Can't modify internal service account users"] },
    ]);
  });

  test('PUT without groups empties them, PATCH keeps them', async () => {
    const { admin } = server();
    const { body: group } = await admin.post('/core/groups/', { name: 'for put' });
    const { body: person } = await create({ username: 'grouped', name: 'x', groups: [group.pk] });
    expect(person.groups_obj).toEqual([
      {
        pk: group.pk,
        num_pk: group.num_pk,
        name: 'for put',
        is_superuser: false,
        parent: null,
        parent_name: null,
        attributes: {},
      },
    ]);
    expect((await admin.patch(`/core/users/${person.pk}/`, { name: 'y' })).body.groups).toEqual([group.pk]);
    expect((await admin.put(`/core/users/${person.pk}/`, { username: 'grouped', name: 'y' })).body.groups).toEqual([]);
  });

  test('include_groups=false leaves the groups out', async () => {
    const { admin } = server();
    const { body: group } = await admin.post('/core/groups/', { name: 'left out' });
    const { body: person } = await create({ username: 'with-a-group', name: 'x', groups: [group.pk] });
    const listed = await admin.get('/core/users/?username=with-a-group&include_groups=false');
    expect(listed.body.results[0]).toMatchObject({ groups: [group.pk], groups_obj: null });
    expect((await admin.get(`/core/users/${person.pk}/?include_groups=false`)).body.groups_obj).toBeNull();
    expect((await admin.get(`/core/users/${person.pk}/`)).body.groups_obj).toHaveLength(1);
  });

  test('switching a user off ends the sessions and stops the tokens at once', async () => {
    const { user, admin } = server();
    const person = await user();
    const { browser } = await signIn(server(), person.pk);
    expect((await browser.get('/core/users/me/')).status).toBe(200);
    await admin.patch(`/core/users/${person.pk}/`, { is_active: false });
    expect((await browser.get('/core/users/me/')).status).toBe(403);
    expect((await person.api.get('/core/users/me/')).body.detail).toBe('Token invalid/expired');
    await admin.patch(`/core/users/${person.pk}/`, { is_active: true });
    expect((await browser.get('/core/users/me/')).status).toBe(403);
    expect((await person.api.get('/core/users/me/')).status).toBe(200);
  });

  test('deleting a user takes sessions and tokens along, and the events of that user while the settings say so', async () => {
    const { user, admin, world } = server();
    const eventsOfUser = async (pk: number) =>
      (await sql`select 1 from events where user_pk = ${pk}`.execute(world.db.read)).rows.length;
    const person = await user();
    await person.api.post('/core/tokens/', { identifier: 'of-a-leaver' });
    expect(await eventsOfUser(person.pk)).toBe(1);
    const deleting = await eventsDuring(server(), async () => {
      expect((await admin.delete(`/core/users/${person.pk}/`)).status).toBe(204);
    });
    expect(deleting.map(({ action }) => action)).toEqual(['model_deleted']);
    expect(await eventsOfUser(person.pk)).toBe(0);
    expect((await person.api.get('/core/users/me/')).status).toBe(403);
    expect((await admin.get(`/core/users/${person.pk}/`)).status).toBe(404);

    await admin.patch('/admin/settings/', { gdpr_compliance: false });
    const kept = await user();
    await kept.api.post('/core/tokens/', { identifier: 'of-another-leaver' });
    await admin.delete(`/core/users/${kept.pk}/`);
    expect(await eventsOfUser(kept.pk)).toBe(1);
    await admin.patch('/admin/settings/', { gdpr_compliance: true });
  });

  test('callers cannot delete their own account', async () => {
    const { admin } = server();
    const { body: me } = await admin.get('/core/users/me/');
    const answer = await admin.delete(`/core/users/${me.user.pk}/`);
    expect(answer.status).toBe(400);
    expect((await admin.get('/core/users/me/')).status).toBe(200);
  });

  test('a user sees others only by permission, on all or on one', async () => {
    const { user, admin } = server();
    const stranger = await user();
    expect((await stranger.api.get('/core/users/')).status).toBe(403);
    expect((await stranger.api.get(`/core/users/${stranger.pk}/`)).status).toBe(403);
    const reader = await user(['svc_core.view_user']);
    expect((await reader.api.get(`/core/users/${stranger.pk}/`)).status).toBe(200);
    expect((await reader.api.patch(`/core/users/${stranger.pk}/`, { name: 'x' })).status).toBe(403);
    await admin.post(`/rbac/permissions/assigned_by_users/${stranger.pk}/assign/`, {
      permissions: ['view_user'],
      model: 'svc_core.user',
      object_pk: String(reader.pk),
    });
    const seen = await stranger.api.get('/core/users/');
    expect([seen.status, names(seen.body)]).toEqual([200, [reader.username]]);
    expect((await stranger.api.get(`/core/users/${stranger.pk}/`)).status).toBe(404);
  });

  test('writes leave one event each', async () => {
    const { admin } = server();
    const events = await eventsDuring(server(), async () => {
      const { body } = await create({ username: 'audited', name: 'x' });
      await admin.patch(`/core/users/${body.pk}/`, { name: 'y', attributes: { token: 'sesame' } });
      await admin.delete(`/core/users/${body.pk}/`);
    });
    expect(events.map(({ action }) => action)).toEqual(['model_created', 'model_updated', 'model_deleted']);
    expect(events[1]?.context.diff.name).toEqual({ previous_value: 'x', new_value: 'y' });
    expect(events[1]?.text).not.toContain('sesame');
  });

  describe('filters', () => {
    test.each([
      ['email=one%40filters.example', ['filter-one']],
      ['name=Filter+Two', ['filter-two']],
      ['path=filters%2Fdeep', ['filter-two']],
      ['path_startswith=filters', ['filter-one', 'filter-two']],
      ['path_startswith=Filters', []],
      ['folder=filters', ['filter-one', 'filter-two']],
      ['folder=filters%2Fdeep', ['filter-two']],
      ['folder=filter', []],
      ['folder=filters%2Fde', []],
      ['path_startswith=filters&type=external', ['filter-two']],
      ['path_startswith=filters&type=external&type=internal', ['filter-one', 'filter-two']],
      ['path_startswith=filters&is_active=false', ['filter-two']],
      ['path_startswith=filters&is_superuser=true', ['filter-one']],
      ['path_startswith=filters&is_superuser=false', ['filter-two']],
      ['groups_by_name=filter+group', ['filter-one']],
      ['attributes={"team":"blue"}', ['filter-one']],
      ['attributes={"level":2}', ['filter-one']],
      ['attributes={"level":"2"}', ['filter-two']],
      ['attributes={"home":{"city":"Bern"}}', ['filter-two']],
      ['attributes={"home__city":"Bern"}', ['filter-two']],
      ['attributes={"tags":["a","b"]}', ['filter-one']],
      ['attributes={"keen":true}', ['filter-one']],
      ['attributes={"":1}', []],
      ['search=filter+blue', []],
      ['search=FILTER.EXAMPLE', []],
      ['search=filters.example', ['filter-one', 'filter-two']],
    ])('%s', async (query, expected) => {
      const { admin } = server();
      if ((await admin.get('/core/users/?username=filter-one')).body.pagination.count === 0) {
        const { body: group } = await admin.post('/core/groups/', { name: 'filter group', is_superuser: true });
        await create({
          username: 'filter-one',
          name: 'Filter One',
          email: 'one@filters.example',
          path: 'filters',
          groups: [group.pk],
          attributes: { team: 'blue', level: 2, tags: ['a', 'b'], keen: true },
        });
        await create({
          username: 'filter-two',
          name: 'Filter Two',
          email: 'two@filters.example',
          path: 'filters/deep',
          type: 'external',
          is_active: false,
          attributes: { level: '2', home: { city: 'Bern', zip: 1 } },
        });
      }
      const answer = await admin.get(`/core/users/?${query}`);
      expect([answer.status, names(answer.body)]).toEqual([200, expected]);
    });

    test('by two letters of a name, whatever their case', async () => {
      const { admin } = server();
      await create({ username: 'short-one', name: 'Ada QJ', path: 'shorts' });
      await create({ username: 'short-two', name: 'Ördög 1_% qJ', path: 'shorts' });
      const found = async (word: string) =>
        names((await admin.get(`/core/users/?path=shorts&search=${encodeURIComponent(word)}`)).body);
      expect(await found('qj')).toEqual(['short-one', 'short-two']);
      expect(await found('Qj')).toEqual(['short-one', 'short-two']);
      for (const word of ['öR', 'ÖR', 'RD', '_%']) expect(await found(word)).toEqual(['short-two']);
      for (const word of ['q%', '_j', 'aq']) expect(await found(word)).toEqual([]);
    });

    test('by the key of a group and by uuid', async () => {
      const { admin } = server();
      const { body: group } = await admin.post('/core/groups/', { name: 'by key' });
      const { body: person } = await create({ username: 'by-key', name: '', groups: [group.pk] });
      expect(names((await admin.get(`/core/users/?groups_by_pk=${group.pk}`)).body)).toEqual(['by-key']);
      expect(names((await admin.get(`/core/users/?uuid=${person.uuid}`)).body)).toEqual(['by-key']);
    });

    test.each([
      [
        'type=robot',
        'type',
        `Select a valid choice. robot is not one of the available choices. Valid choices: ${userTypes.join(', ')}.`,
      ],
      ['groups_by_name=none', 'groups_by_name', 'Select a valid choice. none is not one of the available choices.'],
      ['groups_by_pk=x', 'groups_by_pk', '“x” is not a valid UUID.'],
      ['uuid=x', 'uuid', 'Enter a valid UUID.'],
      ['attributes=x', 'attributes', 'Failed to parse JSON.'],
      ['attributes=[1]', 'attributes', 'Value must be key:value mapping.'],
      ['attributes={"a%5Cu0000":1}', 'attributes', 'Null characters are not allowed.'],
      ['attributes={"a":"%5Cu0000"}', 'attributes', 'Null characters are not allowed.'],
      [`attributes=${JSON.stringify(Object.fromEntries(range(100)))}`, 'attributes', 'Value has too many members.'],
      [`attributes=${'{"a":'.repeat(99)}1${'}'.repeat(99)}`, 'attributes', 'Value has too many members.'],
    ])('%s is refused', async (query, name, complaint) => {
      const answer = await server().admin.get(`/core/users/?${query}`);
      expect([answer.status, answer.body]).toEqual([400, { [name]: [complaint] }]);
    });
  });

  test('users are ordered by user name, or as requested', async () => {
    const { admin } = server();
    for (const username of ['zz-b', 'zz-c', 'zz-a']) await create({ username, name: username, path: 'ordered' });
    const list = async (ordering: string) =>
      names((await admin.get(`/core/users/?path=ordered${ordering && `&ordering=${ordering}`}`)).body);
    expect(await list('')).toEqual(['zz-a', 'zz-b', 'zz-c']);
    expect(await list('-username')).toEqual(['zz-c', 'zz-b', 'zz-a']);
    expect(await list('-pk')).toEqual(['zz-a', 'zz-c', 'zz-b']);
    expect(await list('password')).toEqual(['zz-a', 'zz-b', 'zz-c']);
    expect(await list('avatars,uid')).toEqual(['zz-a', 'zz-b', 'zz-c']);
  });

  test.each([
    ['that fits on a page takes one statement', '', 1],
    ['with groups takes two statements', '?page_size=1', 2],
  ])('a list of users %s', async (_what, query, statements) => {
    // A commit, after which no count is remembered.
    await create({ username: `counted-${statements}`, name: 'counted' });
    const texts = await statementsOf(server(), () => server().admin.get(`/core/users/${query}`));
    // The job that fills the search index looks for new users by itself.
    const ofList = texts.filter((text) => /from "users"/.test(text) && !/tokens|users_search/.test(text));
    expect(ofList).toHaveLength(statements);
    expect(texts.join()).not.toContain('password"');
  });

  test('used_by names what is deleted with a user', async () => {
    const { user, admin } = server();
    const person = await user();
    const { body } = await admin.get(`/core/users/${person.pk}/used_by/`);
    expect(body).toContainEqual({
      app: 'svc_core',
      model_name: 'token',
      pk: expect.any(String),
      name: `token-${person.username}`,
      action: 'cascade',
    });
  });
});

describeOnBoth('operations of users about themselves', (server) => {
  test('me tells who is asking', async () => {
    const { admin, user } = server();
    const { body: top } = await admin.post('/core/groups/', {
      name: 'top',
      attributes: { settings: { theme: 'dark', a: 1 } },
    });
    const { body: team } = await admin.post('/core/groups/', { name: 'a team', parent: top.pk });
    const person = await user(['svc_rbac.access_admin_interface'], {
      name: 'Grace',
      email: 'grace@example.com',
      groups: [team.pk],
      attributes: { settings: { a: 2 } },
    });
    const { status, body } = await person.api.get('/core/users/me/');
    expect(status).toBe(200);
    expect(body).toEqual({
      user: {
        pk: person.pk,
        username: person.username,
        name: 'Grace',
        is_active: true,
        is_superuser: false,
        groups: [
          { name: 'a team', pk: team.pk },
          { name: 'top', pk: top.pk },
        ],
        email: 'grace@example.com',
        avatar: expect.stringMatching(/^data:image/),
        uid: expect.stringMatching(/^[0-9a-f]{64}$/),
        settings: { theme: 'dark', a: 2 },
        type: 'internal',
        system_permissions: ['access_admin_interface'],
      },
    });
    const { body: root } = await admin.get('/core/users/me/');
    expect(root.user).toMatchObject({ username: 'admin', is_superuser: true });
    expect(root.user.system_permissions).toContain('edit_system_settings');
    expect((await server().nobody.get('/core/users/me/')).status).toBe(403);
  });

  test('paths lists the paths of users whom the caller may view', async () => {
    const { admin, user } = server();
    const one = await user([], { path: 'paths/one' });
    await user([], { path: 'paths/two' });
    const { body } = await admin.get('/core/users/paths/');
    expect(body.paths).toEqual(expect.arrayContaining(['paths/one', 'paths/two', 'users']));
    expect(body.paths).toEqual([...new Set(body.paths)]);
    expect((await admin.get(`/core/users/paths/?search=${one.username}`)).body).toEqual({ paths: ['paths/one'] });
    expect((await one.api.get('/core/users/paths/')).status).toBe(403);
  });

  test('metrics counts in thirds of a day for a week', async () => {
    const { admin, user, world, app } = server();
    const person = await user();
    const now = Date.now();
    const event = (action: string, hoursAgo: number, actor: Actor | null, context: Record<string, unknown>) => {
      const call = systemCall(world.db, app.resourceWorld, toTimestamp(now - hoursAgo * 3_600_000));
      return world.db.write((tx) =>
        app.resourceWorld.record(tx, { ...call, actor }, { action, app: 'svc_core', context }),
      );
    };
    const themselves = { user: { pk: person.pk, username: person.username, email: '' } } as Actor;
    await event('login', 0, themselves, {});
    await event('login', 1, themselves, {});
    await event('login', 50, themselves, {});
    await event('login', 24 * 8, themselves, {});
    await event('login_failed', 2, null, { username: person.username });
    await event('login_failed', 2, null, { username: 'somebody else' });
    const { status, body } = await admin.get(`/core/users/${person.pk}/metrics/`);
    expect(status).toBe(200);
    const sum = (points: { y_cord: number }[]) => points.reduce((total, { y_cord }) => total + y_cord, 0);
    expect(body.logins).toHaveLength(21);
    expect([sum(body.logins), sum(body.logins_failed), sum(body.authorizations)]).toEqual([3, 1, 0]);
    expect(body.logins.at(-1)).toEqual({ x_cord: expect.any(Number), y_cord: 2 });
    expect(body.logins[1].x_cord - body.logins[0].x_cord).toBe(8 * 3_600_000);

    const viewer = await user(['svc_core.view_user']);
    expect((await viewer.api.get(`/core/users/${person.pk}/metrics/`)).status).toBe(403);
    const auditor = await user(['svc_core.view_user', 'svc_events.view_event']);
    expect((await auditor.api.get(`/core/users/${person.pk}/metrics/`)).status).toBe(200);
  });
});
