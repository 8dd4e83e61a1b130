import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { eventsDuring } from '../../support/events.ts';

import { describeOnBoth } from '../../support/server.ts';
import { signIn } from '../../support/session.ts';

const view = 'svc_core.view_user';
const reset = 'svc_core.reset_user_password';

describeOnBoth('setting a password', (server) => {
  const stored = async (pk: number) => {
    const { rows } = await sql<{ password: string; changed: string; last_login: string | null }>`
      select password, password_change_date as changed, last_login from users where pk = ${pk}`.execute(
      server().world.db.read,
    );
    return rows[0] as { password: string; changed: string; last_login: string | null };
  };
  const set = (pk: number | string, password: unknown, api = server().admin) =>
    api.post(`/core/users/${pk}/set_password/`, { password });

  test('answers 204 without a body and stores an argon2id hash', async () => {
    const { user, world } = server();
    const person = await user();
    const before = await stored(person.pk);
    const answer = await set(person.pk, 'correct horse');
    expect([answer.status, answer.text]).toEqual([204, '']);
    const after = await stored(person.pk);
    expect(after.password).toMatch(/^\$argon2id\$/);
    expect(await world.passwords.verify(after.password, 'correct horse')).toBe(true);
    expect(after.changed > before.changed).toBe(true);
    expect(after.last_login).toBe(before.last_login);
  });

  test('takes the password as it is, spaces and all', async () => {
    const { user, world } = server();
    const person = await user();
    await set(person.pk, '  spaced  ');
    const { password } = await stored(person.pk);
    expect(await world.passwords.verify(password, '  spaced  ')).toBe(true);
    expect(await world.passwords.verify(password, 'spaced')).toBe(false);
  });

  test('refuses a body that is not UTF-8, which decoding would make equal to others', async () => {
    const { user, admin } = server();
    const person = await user();
    const before = await stored(person.pk);
    const body = Buffer.from('{"password": "mot de passe caché"}', 'latin1');
    const json = { 'content-type': 'application/json' };
    const answer = await admin.post(`/core/users/${person.pk}/set_password/`, body, json);
    expect([answer.status, answer.body.detail]).toEqual([400, 'JSON parse error - the text is not UTF-8']);
    expect(await stored(person.pk)).toEqual(before);
  });

  test.each([
    [{}, ['This field is required.']],
    [{ password: '' }, ['This field may not be blank.']],
    [{ password: null }, ['This field may not be null.']],
    [{ password: 12345 }, ['Not a valid string.']],
    [{ password: true }, ['Not a valid string.']],
    [{ password: ['a'] }, ['Not a valid string.']],
    [{ password: { a: 1 } }, ['Not a valid string.']],
    [{ password: 'x'.repeat(5000) }, ['Ensure this field has no more than 4096 characters.']],
    [{ password: 'a\u0000b' }, ['Null characters are not allowed.']],
  ])('refuses %j', async (body, password) => {
    const { user, admin } = server();
    const person = await user();
    const before = await stored(person.pk);
    const answer = await admin.post(`/core/users/${person.pk}/set_password/`, body);
    expect([answer.status, answer.body]).toEqual([400, { password }]);
    expect(await stored(person.pk)).toEqual(before);
  });

  test('is possible for inactive users and service accounts', async () => {
    const { user, world } = server();
    for (const values of [{ is_active: false }, { type: 'service_account' }]) {
      const person = await user([], values);
      expect((await set(person.pk, 'a new one')).status).toBe(204);
      expect(await world.passwords.verify((await stored(person.pk)).password, 'a new one')).toBe(true);
    }
  });

  test('ends the sessions of that user, not those of others, and leaves tokens alone', async () => {
    const { user } = server();
    const person = await user();
    const other = await user();
    const first = await signIn(server(), person.pk);
    const second = await signIn(server(), person.pk);
    const bystander = await signIn(server(), other.pk);
    await set(person.pk, 'a new one');
    expect((await first.browser.get('/core/users/me/')).status).toBe(403);
    expect((await second.browser.get('/core/users/me/')).status).toBe(403);
    expect((await bystander.browser.get('/core/users/me/')).status).toBe(200);
    expect((await person.api.get('/core/users/me/')).status).toBe(200);
  });

  test('keeps the session that changes its own password', async () => {
    const { user } = server();
    const person = await user([view, reset]);
    const mine = await signIn(server(), person.pk);
    const elsewhere = await signIn(server(), person.pk);
    expect((await set(person.pk, 'a new one', mine.browser)).status).toBe(204);
    expect((await mine.browser.get('/core/users/me/')).status).toBe(200);
    expect((await elsewhere.browser.get('/core/users/me/')).status).toBe(403);
  });

  test('records one event that names the user and never the password', async () => {
    const { user } = server();
    const person = await user();
    const events = await eventsDuring(server(), () => set(person.pk, 'hunter2-hunter2'));
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({
      action: 'password_set',
      username: 'admin',
      context: { model: { app: 'svc_core', model_name: 'user', pk: person.pk, name: person.username } },
    });
    expect(events[0]?.text).not.toContain('hunter2');
    expect(events[0]?.text).not.toContain('argon2');
  });

  test('needs both the right to reset and the right to see, on all users or on this one', async () => {
    const { user, admin } = server();
    const person = await user();
    const cases: [string[], number][] = [
      [[], 403],
      [[reset], 403],
      [[view], 403],
      [[view, reset], 204],
    ];
    for (const [permissions, status] of cases) {
      const caller = await user(permissions);
      expect([permissions, (await set(person.pk, 'a new one', caller.api)).status]).toEqual([permissions, status]);
    }
    const helper = await user();
    await admin.post(`/rbac/permissions/assigned_by_users/${helper.pk}/assign/`, {
      permissions: ['view_user', 'reset_user_password'],
      model: 'svc_core.user',
      object_pk: String(person.pk),
    });
    expect((await set(person.pk, 'a new one', helper.api)).status).toBe(204);
    const stranger = await user();
    expect((await set(stranger.pk, 'a new one', helper.api)).status).toBe(404);
  });

  test.each(['999999', 'abc', '99999999999', '-1'])('answers 404 for the user %s', async (id) => {
    expect((await set(id, 'a new one')).status).toBe(404);
  });

  test('is refused to anonymous callers', async () => {
    const { user, nobody } = server();
    const person = await user();
    const answer = await set(person.pk, 'a new one', nobody);
    expect(answer.status).toBe(403);
    expect((await stored(person.pk)).password).toBe('!');
  });

  test('changes nothing in a dry run', async () => {
    const { user, admin } = server();
    const person = await user();
    const session = await signIn(server(), person.pk);
    const events = await eventsDuring(server(), async () => {
      const answer = await admin.post(`/core/users/${person.pk}/set_password/?dry_run=true`, { password: 'a new one' });
      expect(answer.status).toBe(204);
    });
    expect(events).toEqual([]);
    expect((await stored(person.pk)).password).toBe('!');
    expect((await session.browser.get('/core/users/me/')).status).toBe(200);
  });
});
