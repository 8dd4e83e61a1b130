import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { makeApplication } from '../support/providers.ts';
import { adminPassword, describeOnSqlite } from '../support/server.ts';

// A launch URL was a template over the whole user: it could show the password's hash.
describeOnSqlite('placeholders of launch URLs', (server) => {
  test('are not filled in when they name the password hash or anything else that is not listed', async () => {
    const { rows } = await sql<{ password: string }>`select password from users where username = 'admin'`.execute(
      server().world.db.read,
    );
    const hash = rows[0]?.password as string;
    expect(hash).toContain('argon2');
    const reaching = [
      'password',
      'password_change_date',
      '__proto__',
      'constructor',
      'toString',
      'attributes',
      'hasOwnProperty',
      'groups',
    ];
    for (const name of reaching) {
      const meta_launch_url = `https://x.example/%(username)s/%(${name})s`;
      const { launch_url } = await makeApplication(server(), { meta_launch_url });
      // A template that asks for what there is not is left as it is.
      expect(launch_url).toBe(meta_launch_url);
    }
    for (const template of [
      '%(username.password)s',
      '%(password)r',
      '%(password)d',
      '{password}',
      '{{ user.password }}',
      '%s',
    ]) {
      const { launch_url } = await makeApplication(server(), { meta_launch_url: `https://x.example/?${template}` });
      expect(launch_url).not.toContain(hash.slice(-20));
      expect(launch_url).not.toContain('argon2');
      expect(launch_url).not.toContain(adminPassword);
    }
  });

  test('are filled in when they are listed', async () => {
    const { launch_url } = await makeApplication(server(), {
      meta_launch_url: 'https://x.example/%(pk)s/%(uuid)s/%(username)s/%(name)s/%(email)s/%(type)s',
    });
    const { body } = await server().admin.get('/core/users/?username=admin');
    const { pk, uuid, name } = body.results[0];
    expect(launch_url).toBe(
      `https://x.example/${pk}/${uuid}/admin/${encodeURIComponent(name)}/root%40example.com/internal`,
    );
  });
});
