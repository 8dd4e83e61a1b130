import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { startSession } from '../../src/core/session/session.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { openPostgres } from '../../src/platform/db/postgres/postgres.ts';
import { openSqlite } from '../../src/platform/db/sqlite/sqlite.ts';
import { loadInstanceKey } from '../../src/platform/keys.ts';
import { createPasswords } from '../../src/platform/passwords.ts';
import { apiFor } from '../support/api.ts';
import { firstStart, processToken, runGatehouse, startServerProcess } from '../support/gatehouse-process.ts';
import { freshPostgresDatabase } from '../support/postgres.ts';
import { newFolder } from '../support/server.ts';

const database = await freshPostgresDatabase();
const places = [
  ['sqlite', {} as Record<string, string>],
  ...(database ? [['postgres', { DATABASE_URL: database.url }] as const] : []),
] as const;

function printed(text: string, name: string): string {
  return new RegExp(`^  ${name} +(\\S+)`, 'm').exec(text)?.[1] ?? '';
}

describe.each(places)('recover-admin with the server running on %s', (kind, settings) => {
  test('lets a locked-out administrator in at once, and ends all other sessions', async () => {
    const folder = newFolder();
    const env = { GATEHOUSE_DATA_DIR: folder, ...settings, ...firstStart };
    const server = await startServerProcess(env);
    const db = kind === 'sqlite' ? openSqlite(`${folder}/gatehouse.db`) : openPostgres(database?.url ?? '');
    const admin = server.as(processToken);
    const { body } = await admin.get('/core/users/?username=admin');
    const [user] = body.results;

    // A session of the administrator, who then loses everything: no group, not active.
    const key = await loadInstanceKey({ dataDir: folder });
    const session = await db.write((tx) =>
      startSession(tx, key, {
        userId: user.pk,
        clientIp: '127.0.0.1',
        userAgent: 'test',
        now: systemClock.now(),
        lifetimeMs: 3_600_000,
      }),
    );
    const bySession = apiFor(server.url, { cookie: `gatehouse_session=${session.token}` });
    expect((await bySession.get('/core/users/')).status).toBe(200);
    await db.write(async (tx) => {
      await sql`update users set is_active = ${false} where pk = ${user.pk}`.execute(tx);
      await sql`delete from groups`.execute(tx);
    });
    expect((await admin.get('/core/users/')).status).toBe(403);

    const recovered = await runGatehouse(['recover-admin'], env);
    expect(recovered).toMatchObject({ code: 0, stderr: '' });
    expect(printed(recovered.stdout, 'user name')).toBe('admin');
    const token = printed(recovered.stdout, 'API token');
    const password = printed(recovered.stdout, 'password');

    const again = server.as(token);
    const seen = await again.get(`/core/users/${user.pk}/`);
    expect(seen.status).toBe(200);
    expect(seen.body).toMatchObject({ is_active: true, is_superuser: true });
    const stored = await sql<{ password: string }>`select password from users where pk = ${user.pk}`.execute(db.read);
    expect(await createPasswords().verify(stored.rows[0]?.password ?? null, password)).toBe(true);
    expect((await bySession.get('/core/users/')).status).toBe(403);

    const events = await sql<{ action: string; context: string; username: string }>`select action, context, username
      from events where action = 'password_set'`.execute(db.read);
    expect(events.rows).toHaveLength(1);
    expect(JSON.parse(events.rows[0]?.context ?? '{}')).toMatchObject({
      message: 'Access of admin was recovered from the command line.',
      model: { app: 'svc_core', model_name: 'user', pk: user.pk, name: 'admin' },
    });
    const expires = await sql<{
      expires: string;
    }>`select expires from tokens where description = 'Made by recover-admin'`.execute(db.read);
    const inMinutes = (Date.parse(expires.rows[0]?.expires ?? '') - Date.now()) / 60_000;
    expect(inMinutes).toBeGreaterThan(55);
    expect(inMinutes).toBeLessThan(61);

    // Someone who was never there.
    const other = await runGatehouse(['recover-admin', '--user', 'grace'], env);
    const grace = await server.as(printed(other.stdout, 'API token')).get('/core/users/?username=grace');
    expect(grace.body.results[0]).toMatchObject({ username: 'grace', is_superuser: true, is_active: true });
    const wide = await runGatehouse(['recover-admin', '--user', 'ＧRACE'], env);
    expect(wide).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ {2}user name +grace$/m) });
    const shouted = await runGatehouse(['recover-admin', '--user', 'GRACE'], env);
    expect(shouted).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ {2}user name +grace$/m) });
    await db.write((tx) =>
      sql`update users set type = 'internal_service_account' where username = 'grace'`.execute(tx),
    );
    const refused = await runGatehouse(['recover-admin', '--user', 'grace'], env);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('internal service account') });
    await db.close();
    expect((await server.stop()).stdout).not.toContain(token);
  });
});

test('recover-admin without a database fails and creates nothing', async () => {
  const env = { GATEHOUSE_DATA_DIR: newFolder() };
  const { code, stdout, stderr } = await runGatehouse(['recover-admin'], env);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain('the first start of the server makes one');
});

test('recover-admin says what is wrong with a name that no user can have', async () => {
  const env = { GATEHOUSE_DATA_DIR: newFolder(), ...firstStart };
  await (await startServerProcess(env)).stop();
  const { code, stdout, stderr } = await runGatehouse(['recover-admin', '--user', 'x'.repeat(300)], env);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain('gatehouse recover-admin failed: Ensure this field has no more than 150 characters.');
});
