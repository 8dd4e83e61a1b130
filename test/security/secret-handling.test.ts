import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { eventsDuring } from '../support/events.ts';

import { adminPassword, adminToken, describeOnBoth } from '../support/server.ts';
import { signIn } from '../support/session.ts';

// Secrets compared in variable time, stored in plain text or disclosed to readers (such as CVE-2024-52307,
// CVE-2023-46249).
describeOnBoth('secrets', (server) => {
  test('no table contains a token, a session or a password in plain text', async () => {
    const { admin, user, world } = server();
    const person = await user();
    await admin.post(`/core/users/${person.pk}/set_password/`, { password: 'a-password-to-look-for' });
    await admin.post('/core/tokens/', { identifier: 'looked-for' });
    const { body } = await admin.get('/core/tokens/looked-for/view_key/');
    const account = await admin.post('/core/users/service_account/', { name: 'looked-for' });
    const session = await signIn(server(), person.pk);
    const secrets = [
      'a-password-to-look-for',
      body.key,
      account.body.token,
      session.cookie.split('=')[1],
      session.csrf,
      adminToken,
      adminPassword,
    ];
    expect(secrets.filter((secret) => typeof secret !== 'string' || secret.length < 8)).toEqual([]);
    const tables = ['users', 'tokens', 'authenticated_sessions', 'events', 'settings'];
    for (const table of tables) {
      const { rows } = await sql`select * from ${sql.table(table)}`.execute(world.db.read);
      const text = JSON.stringify(rows);
      for (const secret of secrets) expect([table, text.includes(secret)]).toEqual([table, false]);
    }
  });

  test('no list, object or event shows a password hash, a key or its hash', async () => {
    const { admin, user, world } = server();
    const person = await user();
    await admin.post(`/core/users/${person.pk}/set_password/`, { password: 'a-password' });
    const { rows } = await sql<{ secret: string }>`select password as secret from users where password <> '!'
      union all select key_hash as secret from tokens union all select token_hash as secret from authenticated_sessions
      union all select key as secret from tokens where key <> ''`.execute(world.db.read);
    const answers = await Promise.all(
      [
        '/core/users/',
        `/core/users/${person.pk}/`,
        `/core/users/${person.pk}/used_by/`,
        '/core/users/me/',
        '/core/groups/',
        '/core/tokens/',
        '/core/authenticated_sessions/',
        '/rbac/permissions/assigned_by_users/?model=svc_core.user',
        '/events/events/',
      ].map((path) => admin.get(path)),
    );
    expect(rows.length).toBeGreaterThan(2);
    for (const { status, text } of answers) {
      expect(status).toBe(200);
      expect(text).not.toContain('argon2id');
      for (const { secret } of rows) expect(text).not.toContain(secret);
    }
  });

  test('a password in a query string is neither read nor stored', async () => {
    const { admin, user } = server();
    const person = await user();
    const events = await eventsDuring(server(), async () => {
      const answer = await admin.post(`/core/users/${person.pk}/set_password/?password=in-the-open`, {});
      expect(answer.status).toBe(400);
      await admin.patch(`/core/users/${person.pk}/?password=in-the-open`, { name: 'x' });
    });
    expect(events).toHaveLength(1);
    expect(events[0]?.text).not.toContain('in-the-open');
  });

  test('the refusal of a token does not reveal the reason', async () => {
    const { admin, as, user } = server();
    await admin.post('/core/tokens/', { identifier: 'for-an-app', intent: 'app_password' });
    const { body: app } = await admin.get('/core/tokens/for-an-app/view_key/');
    const inactive = await user([], { is_active: false });
    const answers = [
      await as('unknown').get('/core/users/me/'),
      await as(app.key).get('/core/users/me/'),
      await as(inactive.token).get('/core/users/me/'),
    ];
    for (const { status, body } of answers) {
      expect([status, body]).toEqual([403, { detail: 'Token invalid/expired', code: 'authentication_failed' }]);
    }
  });

  test('the bootstrap step that creates the administrator is stored only once', async () => {
    const { world } = server();
    const { rows } = await sql<{ name: string }>`select name from bootstrap_steps where name = 'administrator'`.execute(
      world.db.read,
    );
    expect(rows).toHaveLength(1);
    await expect(
      world.db.write((tx) => sql`insert into bootstrap_steps (name, applied) values ('administrator', '')`.execute(tx)),
    ).rejects.toThrow();
  });
});

test('no source file compares secrets with ===', () => {
  const source = fileURLToPath(new URL('../../src', import.meta.url));
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /(?<!\.test)\.ts$/.test(file),
  );
  const compared =
    /\b(token|secret|password|signature|csrf\w*|proof|hash|digest)\s(===|!==)\s(?!['"`\d]|null\b|undefined\b)/i;
  const found = files.flatMap((file) =>
    readFileSync(join(source, file), 'utf8')
      .split('\n')
      .filter((line) => compared.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  );
  expect(files.length).toBeGreaterThan(50);
  expect(found).toEqual([]);
});
