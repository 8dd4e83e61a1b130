import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import type { Database } from '../../src/platform/db/database.ts';
import { hasTable } from '../../src/platform/db/introspect.ts';
import { DatabaseIsNewer, type Migration, migrate, readSchemaState } from '../../src/platform/db/migrate.ts';
import { migrations } from '../../src/platform/db/migrations/all.ts';
import { openPostgres } from '../../src/platform/db/postgres/postgres.ts';
import { openSqlite } from '../../src/platform/db/sqlite/sqlite.ts';
import { createTable } from '../../src/platform/db/table.ts';
import { firstStart, runGatehouse, startServerProcess } from '../support/gatehouse-process.ts';
import { freshPostgresDatabase } from '../support/postgres.ts';
import { newFolder } from '../support/server.ts';

const names = migrations.map(({ name }) => name);
const upToDate = 'The schema is up to date.\n';

test('migrate creates the whole schema in an empty folder, and a second run changes nothing', async () => {
  const env = { GATEHOUSE_DATA_DIR: join(newFolder(), 'made') };
  const first = await runGatehouse(['migrate'], env);
  expect(first).toMatchObject({ code: 0, stderr: '' });
  expect(first.stdout).toBe(names.map((name) => `${name} done\n`).join('') + upToDate);
  expect(await runGatehouse(['migrate'], env)).toMatchObject({ code: 0, stdout: upToDate });
});

test('migrate creates neither key nor administrator', async () => {
  const folder = newFolder();
  await runGatehouse(['migrate'], { GATEHOUSE_DATA_DIR: folder });
  expect(readdirSync(folder)).not.toContain('secret.key');
  const server = await startServerProcess({ GATEHOUSE_DATA_DIR: folder });
  expect(server.stdout()).toContain('This is shown only once');
  expect(server.stdout()).toMatch(/^ {2}address {5}http:\/\/localhost:\d+\/$/m);
  await server.stop();
});

test('an older version refuses a database that a newer one has migrated', async () => {
  const folder = newFolder();
  const env = { GATEHOUSE_DATA_DIR: folder };
  await runGatehouse(['migrate'], env);
  const db = new DatabaseSync(join(folder, 'gatehouse.db'));
  db.exec("insert into migrations values ('9999-from-the-future', '2030-01-01')");
  db.close();
  for (const command of ['migrate', 'serve']) {
    const { code, stderr } = await runGatehouse([command], env);
    expect(code).toBe(1);
    expect(stderr).toContain('the database was made by a newer Gatehouse (9999-from-the-future)');
  }
});

const database = await freshPostgresDatabase();

describe.skipIf(!database)('several instances that start at once on PostgreSQL', () => {
  test('all start, and the schema and its first objects are created once', async () => {
    const env = {
      ...firstStart,
      DATABASE_URL: database?.url ?? '',
      GATEHOUSE_SECRET_KEY: 'one-key-for-all-instances-of-this-test',
    };
    const servers = await Promise.all(
      [1, 2, 3, 4].map(() => startServerProcess({ ...env, GATEHOUSE_DATA_DIR: newFolder() })),
    );
    const ran = servers.flatMap((server) => [...server.stdout().matchAll(/"migrations":(\[[^\]]*\])/g)]);
    expect(ran.flatMap(([, list]) => JSON.parse(list ?? '[]')).sort()).toEqual([...names].sort());
    for (const server of servers) {
      const { status, body } = await server
        .as(firstStart.GATEHOUSE_BOOTSTRAP_TOKEN as string)
        .get('/core/users/?username=admin');
      expect({ status, count: body.pagination.count }).toEqual({ status: 200, count: 1 });
    }
    const ends = await Promise.all(servers.map((server) => server.stop()));
    expect(ends.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    const db = openPostgres(database?.url ?? '');
    const indexes = await sql`select 1 from pg_indexes where indexname = 'users_username_name_email_search'`.execute(
      db.read,
    );
    expect(indexes.rows).toHaveLength(1);
    await db.close();
    await database?.drop();
  });
});

describe.each(['sqlite', 'postgres'])('a migration is atomic (%s)', async (kind) => {
  const fresh = kind === 'postgres' ? await freshPostgresDatabase() : null;
  const open = (): Database =>
    kind === 'postgres' ? openPostgres(fresh?.url ?? '') : openSqlite(join(newFolder(), 'gatehouse.db'));
  const good: Migration = { name: '1-good', statements: (dialect) => createTable(dialect, 'good', { pk: 'serial' }) };
  const bad: Migration = {
    name: '2-bad',
    statements: (dialect) => [
      ...createTable(dialect, 'half', { pk: 'serial', note: 'text index' }),
      "insert into half (note) values ('from a step that failed')",
      'insert into nowhere (note) values (1)',
    ],
  };
  const after: Migration = {
    name: '3-after',
    statements: (dialect) => createTable(dialect, 'after', { pk: 'serial' }),
  };

  test.skipIf(kind === 'postgres' && !fresh)(
    'a failed migration is rolled back, and earlier ones are kept',
    async () => {
      const db = open();
      const steps: string[] = [];
      await expect(migrate(db, [good, bad, after], (name) => steps.push(name))).rejects.toThrow(/nowhere/);
      expect(steps).toEqual(['1-good']);
      expect(await readSchemaState(db, [good, bad, after])).toEqual({
        done: ['1-good'],
        pending: ['2-bad', '3-after'],
        unknown: [],
      });
      expect(await hasTable(db, 'half')).toBe(false);
      expect(await hasTable(db, 'after')).toBe(false);

      const mended = {
        ...bad,
        statements: (...args: Parameters<typeof bad.statements>) => bad.statements(...args).slice(0, -1),
      };
      expect(await migrate(db, [good, mended, after])).toEqual(['2-bad', '3-after']);
      expect((await sql`select note from half`.execute(db.read)).rows).toEqual([{ note: 'from a step that failed' }]);
      await expect(migrate(db, [good])).rejects.toThrow(DatabaseIsNewer);
      await db.close();
      await fresh?.drop();
    },
  );
});
