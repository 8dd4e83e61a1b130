import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import pg from 'pg';
import { describe, expect, test } from 'vitest';
import type { Database } from '../../src/platform/db/database.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { migrations } from '../../src/platform/db/migrations/all.ts';
import { openPostgres } from '../../src/platform/db/postgres/postgres.ts';
import { openSqlite } from '../../src/platform/db/sqlite/sqlite.ts';
import {
  releaseDatabase,
  releaseFiles,
  releaseProgram,
  releaseSettings,
  releaseUser,
  startRelease,
} from '../releases/release.ts';
import { type RunningServer, startGatehouse } from '../support/gatehouse-process.ts';
import { signInByPassword } from '../support/password-sign-in.ts';
import { freshPostgresDatabase } from '../support/postgres.ts';
import { hasPostgres, newFolder } from '../support/server.ts';

const last = releaseFiles('.sql.gz').at(-1)?.replace('.sql.gz', '') ?? '';

async function databaseOfLastRelease() {
  const database = await freshPostgresDatabase();
  if (!database) throw new Error('there is no PostgreSQL');
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(releaseDatabase(`${last}.sql.gz`).toString());
  await client.end();
  return database;
}

interface Column {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
}

async function columnsOf(db: Database): Promise<Map<string, Column>> {
  const query =
    db.dialect.name === 'postgres'
      ? sql<Column>`select table_name || '.' || column_name as name, data_type as type,
          is_nullable = 'NO' and column_default is null and is_identity = 'NO' as "isRequired"
          from information_schema.columns where table_schema = current_schema()`
      : sql<Column>`select m.name || '.' || c.name as name, c.type,
          c."notnull" = 1 and c.dflt_value is null and c.pk = 0 as "isRequired"
          from sqlite_master m join pragma_table_info(m.name) c where m.type = 'table'`;
  const { rows } = await query.execute(db.read);
  return new Map(rows.map((row) => [row.name, { ...row, isRequired: Boolean(row.isRequired) }]));
}

/** What would break statements that the released version goes on sending. */
async function breaksIn(db: Database): Promise<string[]> {
  const before = await columnsOf(db);
  await migrate(db, migrations);
  const after = await columnsOf(db);
  const tables = new Set([...before.keys()].map((name) => name.split('.')[0]));
  const gone = [...before.values()].flatMap(({ name, type, isRequired }) => {
    const now = after.get(name);
    if (!now) return [`${name} is gone`];
    if (now.type !== type) return [`${name} was ${type} and is ${now.type}`];
    return now.isRequired && !isRequired ? [`${name} has become required`] : [];
  });
  const demanded = [...after.values()]
    .filter(({ name, isRequired }) => isRequired && !before.has(name) && tables.has(name.split('.')[0]))
    .map(({ name }) => `${name} is new, required and without a default`);
  return [...gone, ...demanded];
}

describe(`migrations since ${last} only add, so that instances of ${last} can go on`, () => {
  test('on SQLite', async () => {
    const file = join(newFolder(), 'gatehouse.db');
    writeFileSync(file, releaseDatabase(`${last}.db.gz`));
    const db = openSqlite(file);
    expect(await breaksIn(db)).toEqual([]);
    await db.close();
  });

  test.skipIf(!hasPostgres)('on PostgreSQL', async () => {
    const database = await databaseOfLastRelease();
    const db = openPostgres(database.url);
    expect(await breaksIn(db)).toEqual([]);
    await db.close();
    await database.drop();
  });
});

describe.skipIf(!hasPostgres)(`an instance of ${last} beside one of this version`, () => {
  const token = releaseSettings.GATEHOUSE_BOOTSTRAP_TOKEN ?? '';

  /** Reads, writes and sign-ins until it is told to end; gives every status that no user should see. */
  function useAll(servers: readonly RunningServer[]) {
    const surprises: string[] = [];
    const made: string[] = [];
    const rounds = servers.map(() => 0);
    let isOver = false;
    async function use(server: RunningServer, number: number): Promise<void> {
      const admin = server.as(token);
      const note = (what: string, status: number, expected: number) => {
        if (status !== expected) surprises.push(`${what} on instance ${number}: ${status}`);
      };
      while (!isOver) {
        const name = crypto.randomUUID();
        const { status, body } = await admin.post('/core/groups/', { name });
        note('creating a group', status, 201);
        made.push(body.pk);
        note('changing it', (await admin.patch(`/core/groups/${body.pk}/`, { attributes: { name } })).status, 200);
        // What one has written, every other can read at once.
        for (const other of servers) {
          note('reading it', (await other.as(token).get(`/core/groups/${body.pk}/`)).status, 200);
        }
        note('listing users', (await admin.get('/core/users/?search=dana')).status, 200);
        note('listing events', (await admin.get('/events/events/?ordering=-created')).status, 200);
        // Each step on the next instance.
        let turn = number;
        const ask = (path: string, init: RequestInit) =>
          fetch(`${servers[turn++ % servers.length]?.url}${path}`, { redirect: 'manual', ...init });
        const { cookie } = await signInByPassword(ask, releaseUser.username, releaseUser.password);
        note('a session', (await ask('/api/v3/core/users/me/', { headers: { cookie } })).status, 200);
        rounds[number] = (rounds[number] ?? 0) + 1;
      }
    }
    const all = servers.map(use);
    return {
      least: () => Math.min(...rounds),
      async end() {
        isOver = true;
        await Promise.all(all);
        return { surprises, made };
      },
    };
  }

  test('keeps serving while the new one migrates, each reads what the other writes, and only a new start of the old one is refused', async () => {
    const database = await databaseOfLastRelease();
    const program = releaseProgram(`${last}.js.br`);
    const env = () => ({ DATABASE_URL: database.url, GATEHOUSE_DATA_DIR: newFolder() });
    const old = await startRelease(env(), { program });
    const alone = useAll([old]);
    await expect.poll(alone.least).toBeGreaterThan(0);
    const current = await startRelease(env());
    const before = alone.least();
    await expect.poll(alone.least).toBeGreaterThan(before);
    expect((await alone.end()).surprises).toEqual([]);

    const both = useAll([old, current]);
    await expect.poll(both.least).toBeGreaterThan(3);
    const { surprises, made } = await both.end();
    expect(surprises).toEqual([]);
    expect((await old.stop()).code).toBe(0);
    const admin = current.as(token);
    for (const pk of made) expect((await admin.get(`/core/groups/${pk}/`)).status).toBe(200);

    await current.stop();
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query("insert into migrations values ('9999-newer-than-the-release', '2030-01-01')");
    await client.end();
    const refused = await startGatehouse(['serve'], { ...releaseSettings, ...env() }, { program }).finished;
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('the database was made by a newer Gatehouse');
    await database.drop();
  });
});
