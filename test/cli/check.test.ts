import { closeSync, existsSync, openSync, readdirSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, test } from 'vitest';
import { migrate } from '../../src/platform/db/migrate.ts';
import { migrations } from '../../src/platform/db/migrations/all.ts';
import { openSqlite } from '../../src/platform/db/sqlite/sqlite.ts';
import { type Environment, firstStart, runGatehouse, startServerProcess } from '../support/gatehouse-process.ts';
import { freshPostgresDatabase } from '../support/postgres.ts';
import { newFolder } from '../support/server.ts';

const check = (env: Environment) => runGatehouse(['check'], env);
const findings = (text: string) => text.split('\n').filter((line) => /^(ok|FAULT) /.test(line));

test('check reports a healthy server while it runs', async () => {
  const env = { GATEHOUSE_DATA_DIR: newFolder(), ...firstStart, GATEHOUSE_METRICS_TOKEN: 'a-token-for-the-metrics' };
  const server = await startServerProcess(env);
  const { code, stdout, stderr } = await check(env);
  await server.stop();
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(findings(stdout)).toEqual([
    'ok     the database can be reached',
    'ok     the schema is up to date',
    'ok     the stored rows are whole',
    'ok     the instance key opens the stored secrets',
    'ok     names and addresses tell users apart',
  ]);
  expect(stdout).toMatch(/GATEHOUSE_DATA_DIR +\S+ +\(environment\)/);
  expect(stdout).toMatch(/HOST +127\.0\.0\.1 +\(default\)/);
  for (const secret of Object.values(firstStart)) expect(stdout).not.toContain(secret);
  expect(stdout).not.toContain('a-token-for-the-metrics');
});

test('check finds no fault in an empty folder, and leaves it empty', async () => {
  const folder = newFolder();
  const { code, stdout } = await check({ GATEHOUSE_DATA_DIR: folder });
  expect(code).toBe(0);
  expect(findings(stdout)).toEqual([expect.stringContaining('there is no database')]);
  expect(readdirSync(folder)).toEqual([]);
});

test('check reports migrations that have not been run', async () => {
  const folder = newFolder();
  const db = openSqlite(join(folder, 'gatehouse.db'));
  await migrate(db, migrations.slice(0, -1));
  await db.close();
  const { code, stdout } = await check({ GATEHOUSE_DATA_DIR: folder });
  expect(code).toBe(1);
  const last = migrations.at(-1)?.name;
  expect(stdout).toContain(`FAULT  the schema is up to date: not yet run: ${last}; gatehouse migrate runs them`);
});

test('check reports a wrong and a missing key, and creates none', async () => {
  const env = { GATEHOUSE_DATA_DIR: newFolder(), ...firstStart };
  await (await startServerProcess(env)).stop();
  const wrong = await check({ ...env, GATEHOUSE_SECRET_KEY: 'some other key, long enough to be one' });
  expect(wrong.code).toBe(1);
  expect(wrong.stdout).toContain(
    'FAULT  the instance key opens the stored secrets: this database was made with another',
  );
  const file = join(env.GATEHOUSE_DATA_DIR, 'secret.key');
  rmSync(file);
  const without = await check(env);
  expect(without.code).toBe(1);
  expect(without.stdout).toContain('the instance key is missing');
  expect(existsSync(file)).toBe(false);
});

test('check reports a PostgreSQL that cannot be reached, and a missing database', async () => {
  const env = { GATEHOUSE_DATA_DIR: newFolder() };
  const away = await check({ ...env, DATABASE_URL: 'postgres://gatehouse:hunter2@127.0.0.1:1/gatehouse' });
  expect(away.code).toBe(1);
  expect(findings(away.stdout)).toEqual(['FAULT  the database can be reached: connect ECONNREFUSED 127.0.0.1:1']);
  expect(away.stdout).not.toContain('hunter2');
  const nameless = await check({ ...env, DATABASE_URL: 'postgres://no.such.host.invalid/gatehouse' });
  expect(nameless.code).toBe(1);
  expect(findings(nameless.stdout)).toEqual([expect.stringContaining('no.such.host.invalid')]);
});

const database = await freshPostgresDatabase();

test.skipIf(!database)('check finds no fault in an empty PostgreSQL, and leaves it empty', async () => {
  const env = { GATEHOUSE_DATA_DIR: newFolder(), DATABASE_URL: database?.url ?? '' };
  for (const _ of [1, 2]) {
    const { code, stdout } = await check(env);
    expect(code).toBe(0);
    expect(stdout).toContain('ok     the schema is up to date: the first start makes it');
  }
});
afterAll(() => database?.drop());

test('check reports a corrupt database file', async () => {
  const env = { GATEHOUSE_DATA_DIR: newFolder(), ...firstStart };
  await (await startServerProcess(env)).stop();
  const path = join(env.GATEHOUSE_DATA_DIR, 'gatehouse.db');
  const db = new DatabaseSync(path);
  db.exec('pragma wal_checkpoint(truncate)');
  const [row] = db.prepare("select rootpage from sqlite_master where name = 'users'").all();
  const [{ page_size: pageSize } = {}] = db.prepare('pragma page_size').all();
  db.close();
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(64, 0x7f), 0, 64, (Number(row?.rootpage) - 1) * Number(pageSize));
  closeSync(file);
  const { code, stdout } = await check(env);
  expect(code).toBe(1);
  expect(stdout).toMatch(/^FAULT {2}the stored rows are whole: /m);
});

test('check reports a row that refers to a missing one', async () => {
  const env = { GATEHOUSE_DATA_DIR: newFolder(), ...firstStart };
  await (await startServerProcess(env)).stop();
  const db = new DatabaseSync(join(env.GATEHOUSE_DATA_DIR, 'gatehouse.db'), { enableForeignKeyConstraints: false });
  db.exec('update user_groups set "user" = 4711');
  db.close();
  const { code, stdout } = await check(env);
  expect(code).toBe(1);
  expect(stdout).toContain('FAULT  the stored rows are whole: 1 rows name rows that are gone');
});

test('check reports a file that is not a database', async () => {
  const folder = newFolder();
  const file = openSync(join(folder, 'gatehouse.db'), 'w');
  writeSync(file, 'something else entirely, and long enough to be looked at');
  closeSync(file);
  const { code, stdout } = await check({ GATEHOUSE_DATA_DIR: folder });
  expect(code).toBe(1);
  expect(findings(stdout)).toEqual(['FAULT  the database can be reached: file is not a database']);
});

test('check reads settings from a file as systemd does, and names the database that it used', async () => {
  const folder = newFolder();
  const file = join(newFolder(), 'gatehouse.env');
  const url = 'postgres://ada:p$word@127.0.0.1:1/gatehouse?sslmode=verify-full&sslrootcert=/nowhere.pem';
  writeFileSync(file, `# the settings of the unit\nDATABASE_URL=${url}\n`);
  for (const args of [
    ['check', '--settings', file],
    ['--settings', file, 'check'],
  ]) {
    const { code, stdout } = await runGatehouse(args, { GATEHOUSE_DATA_DIR: folder });
    expect(code).toBe(1);
    expect(stdout).toContain('The database is postgres://ada:********@127.0.0.1:1/gatehouse');
    expect(stdout).not.toContain('p$word');
  }
  const missing = await runGatehouse(['check', '--settings', '/nowhere'], {});
  expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('The settings file cannot be read') });
  expect(await runGatehouse(['check', '--settings'], {})).toMatchObject({ code: 2 });
});
