import { execFile } from 'node:child_process';
import { chownSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import type { Database } from '../../src/platform/db/database.ts';
import { tablesInOrder } from '../../src/platform/db/introspect.ts';
import { migrate, readSchemaState } from '../../src/platform/db/migrate.ts';
import { migrations } from '../../src/platform/db/migrations/all.ts';
import { openPostgres } from '../../src/platform/db/postgres/postgres.ts';
import { openSqlite } from '../../src/platform/db/sqlite/sqlite.ts';
import {
  type Environment,
  firstStart,
  processPassword,
  processToken,
  runGatehouse,
  startGatehouse,
  startServerProcess,
} from '../support/gatehouse-process.ts';
import { until } from '../support/jobs.ts';
import { type FreshDatabase, freshPostgresDatabase } from '../support/postgres.ts';
import { startWebhookReceiver } from '../support/receivers.ts';
import { hasPostgres, newFolder } from '../support/server.ts';
import { contentsOf } from '../support/whole-database.ts';
import { run } from './in-process.ts';

interface Place {
  readonly env: Environment;
  open(): Database;
}

const sqlitePlace = (): Place => {
  const folder = newFolder();
  return { env: { GATEHOUSE_DATA_DIR: folder }, open: () => openSqlite(join(folder, 'gatehouse.db')) };
};

const databases: (FreshDatabase | null)[] = [];
afterAll(async () => {
  for (const database of databases) await database?.drop();
});

const postgresPlace = async (): Promise<Place> => {
  const database = await freshPostgresDatabase();
  databases.push(database);
  const url = database?.url ?? '';
  return { env: { GATEHOUSE_DATA_DIR: newFolder(), DATABASE_URL: url }, open: () => openPostgres(url) };
};

const kinds = hasPostgres ? (['sqlite', 'postgres'] as const) : (['sqlite'] as const);

const backups = new Map<string, string>();

describe.each(kinds)('a backup of %s under a stream of writes', (kind) => {
  test('contains every write acknowledged before it began, as a consistent snapshot', async () => {
    const place = kind === 'sqlite' ? sqlitePlace() : await postgresPlace();
    const server = await startServerProcess({ ...place.env, ...firstStart });
    const admin = server.as(processToken);
    const acknowledged: string[] = [];
    let isOver = false;
    // A user with a group made just before: whoever sees the user must see the group.
    async function writeOn(line: number): Promise<void> {
      for (let number = 0; !isOver; number++) {
        const group = await admin.post('/core/groups/', { name: `group ${line}.${number}` });
        const username = `user-${line}-${number}`;
        const user = await admin.post('/core/users/', { username, name: 'Zoë Ångström', groups: [group.body.pk] });
        if (user.status === 201) acknowledged.push(username);
      }
    }
    const writers = [1, 2, 3].map(writeOn);
    while (acknowledged.length < 60) await new Promise((resolve) => setTimeout(resolve, 20));

    // A key that is counted past its last row, a hierarchy, a secret, a deleted user.
    const parent = await admin.post('/core/groups/', { name: 'a child comes before its parent' });
    const child = await admin.post('/core/groups/', { name: 'Z child', parent: parent.body.pk });
    expect(child.status).toBe(201);
    const before = [...acknowledged];
    const file = join(newFolder(), 'gatehouse.backup');
    const done = await runGatehouse(['backup', '--to', file], place.env);
    expect(done).toMatchObject({ code: 0, stdout: '' });
    expect(done.stderr).toMatch(
      kind === 'sqlite' ? /^\d+ rows of \S+gatehouse\.db written to /m : /^\d+ rows of postgres:\S+ written to /m,
    );
    isOver = true;
    await Promise.all(writers);
    await server.stop();
    backups.set(kind, file);
    expect(acknowledged.length).toBeGreaterThan(before.length);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(file, '..'))).toEqual(['gatehouse.backup']);

    const rows = tablesIn(file);
    const users = new Map(rowsIn(rows, 'users').map((row) => [row.username, row.pk]));
    for (const username of before) expect(users.has(username)).toBe(true);
    const groups = new Set(rowsIn(rows, 'groups').map(({ pk }) => pk));
    const memberships = rowsIn(rows, 'user_groups');
    for (const membership of memberships) expect(groups.has(membership.group)).toBe(true);
    const members = new Set(memberships.map(({ user }) => user));
    for (const [username, pk] of users) if (String(username).startsWith('user-')) expect(members.has(pk)).toBe(true);
  });
});

describe('a restore', () => {
  const ways = kinds.flatMap((from) => kinds.map((to) => [from, to] as const));

  test.each(ways)('of %s into %s restores the same rows, and the server works', async (from, to) => {
    const file = backups.get(from) as string;
    const place = to === 'sqlite' ? sqlitePlace() : await postgresPlace();
    const restored = await runGatehouse(['restore', '--from', file, '--resume-outgoing'], place.env);
    expect(restored).toMatchObject({ code: 0, stdout: '' });
    expect(restored.stderr).toMatch(/^\d+ rows of .* restored into \S+$/m);

    const db = place.open();
    const contents = await contentsOf(db);
    await db.close();
    const expected = tablesIn(file);
    const counts = (tables: Record<string, { length: number }>) =>
      Object.fromEntries(Object.entries(tables).map(([name, rows]) => [name, rows.length]));
    expect(counts(contents)).toEqual(Object.fromEntries([...expected].map(([name, { rows }]) => [name, rows.length])));
    if (from === 'sqlite' && to === 'postgres') sqliteContents = contents;

    const server = await startServerProcess({
      ...place.env,
      ...firstStart,
      GATEHOUSE_BOOTSTRAP_TOKEN: 'never-used-token',
    });
    const admin = server.as(processToken);
    const { status } = await admin.get('/core/users/?username=admin');
    expect(status).toBe(200);
    // What was sealed opens.
    const shown = await admin.get('/core/tokens/gatehouse-bootstrap-token/view_key/');
    expect(shown.body).toEqual({ key: processToken });
    // The index over names finds what was restored, letters beyond ASCII too.
    expect((await admin.get('/core/users/?search=Ångström')).body.pagination.count).toBeGreaterThan(20);
    // Keys go on where they were, past deleted ones.
    const last = expected.get('users')?.nextKey as number;
    const made = await admin.post('/core/users/', { username: 'after-the-restore', name: 'After' });
    expect(made.body.pk).toBe(last);
    const child = await admin.get('/core/groups/?name=Z+child');
    const parent = await admin.get('/core/groups/?name=a+child+comes+before+its+parent');
    expect(child.body.results[0].parent).toBe(parent.body.results[0].pk);
    await server.stop();
  });
});

test('a restored server sends nothing to other systems until an administrator says that it replaces the original', async () => {
  const hook = await startWebhookReceiver();
  const { env } = sqlitePlace();
  await runGatehouse(['restore', '--from', backups.get('sqlite') as string], env);
  const server = await startServerProcess({ ...env, GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.0/8' });
  expect(server.stdout()).toContain('this database was restored');
  const admin = server.as(processToken);
  const { body: overview } = await admin.get('/admin/overview/');
  expect(overview.outgoing_held_since).toMatch(/^\d{4}-/);
  const transport = await admin.post('/events/transports/', { name: 'hook', mode: 'webhook', webhook_url: hook.url });
  const group = await admin.get('/core/groups/?is_superuser=true');
  const rule = { name: 'made', transports: [transport.body.pk], group: group.body.results[0].pk };
  const { body: made } = await admin.post('/events/rules/', rule);
  const matcher = { name: 'users made', action: 'model_created', model: 'svc_core.user' };
  const policy = await admin.post('/policies/event_matcher/', matcher);
  await admin.post('/policies/bindings/', { target: made.pk, policy: policy.body.pk, order: 0 });
  await admin.post('/core/users/', { username: 'after-the-restore', name: 'After' });
  const waiting = () => admin.get('/events/system_tasks/?name=deliver_notification');
  await until(async () => (await waiting()).body.pagination.count > 0);
  // Jobs that stay inside run meanwhile.
  await until(async () => (await admin.get('/events/system_tasks/?name=match_events')).body.pagination.count === 0);
  expect((await waiting()).body.results[0].status).toBe('unknown');
  expect(hook.bodies).toEqual([]);
  expect((await server.as('no-token').post('/admin/outgoing/release/', {})).status).toBe(403);
  expect((await admin.post('/admin/outgoing/release/', {})).status).toBe(204);
  await until(() => hook.bodies.length === 1);
  expect((await admin.get('/admin/overview/')).body.outgoing_held_since).toBeNull();
  await server.stop();
  await hook.close();
});

test.skipIf(process.getuid?.() !== 0)('a restore by root belongs to the owner of the data folder', async () => {
  const { env } = sqlitePlace();
  const folder = env.GATEHOUSE_DATA_DIR as string;
  chownSync(folder, 12_345, 12_346);
  const { code } = await runGatehouse(['restore', '--from', backups.get('sqlite') as string], env);
  expect(code).toBe(0);
  const owners = readdirSync(folder).map((name) => [name, statSync(join(folder, name)).uid]);
  expect(Object.fromEntries(owners)).toMatchObject({ 'gatehouse.db': 12_345, 'secret.key': 12_345 });
  for (const [name, uid] of owners) expect([name, uid]).toEqual([name, 12_345]);
});

let sqliteContents: Awaited<ReturnType<typeof contentsOf>> | undefined;

test.skipIf(kinds.length < 2)(
  'rows keep all their values when they are copied through the other database',
  async () => {
    const place = sqlitePlace();
    await runGatehouse(['restore', '--from', backups.get('sqlite') as string, '--resume-outgoing'], place.env);
    const db = place.open();
    const contents = await contentsOf(db);
    await db.close();
    expect(sqliteContents).toEqual(contents);
  },
);

describe('a backup that cannot be restored', () => {
  const whole = () => readFileSync(backups.get('sqlite') as string);
  const lines = () => gunzipSync(whole()).toString().split('\n');
  const zipped = (texts: readonly string[]) => gzipSync(texts.join('\n'));
  const withHeader = (change: object) => {
    const [header = '{}', ...rest] = lines();
    return zipped([JSON.stringify({ ...JSON.parse(header), ...change }), ...rest]);
  };

  test.each<[string, () => Buffer, string]>([
    ['a file cut short', () => whole().subarray(0, Math.floor(whole().length / 2)), 'damaged'],
    ['a file without its last bytes', () => whole().subarray(0, -4), 'damaged'],
    ['a byte changed in the middle', () => flipped(whole()), 'damaged'],
    ['the last line missing', () => zipped([...lines().slice(0, -2), '']), 'part of it is missing'],
    ['a row missing', () => zipped(lines().toSpliced(atTable('user_groups') + 1, 1)), 'part of it is missing'],
    ['an empty file', () => Buffer.alloc(0), 'damaged'],
    ['another zipped file', () => gzipSync('hello\n'), 'damaged'],
    ['a text', () => Buffer.from('hello'), 'damaged'],
    ['a table missing', () => zipped(lines().toSpliced(-3, 1)), 'part of it is missing'],
    ['a table that does not exist', () => zipped(replaced('"table":"users"', '"table":"nobody"')), 'damaged'],
    ['a row that names nothing', () => zipped(withLooseRow()), 'damaged'],
    ['a value that is none', () => zipped(withStrangeValue()), 'damaged'],
    [
      'a newer schema',
      () => withHeader({ migrations: ['9999-from-the-future'] }),
      'newer Gatehouse (9999-from-the-future)',
    ],
    ['a newer format', () => withHeader({ version: 2 }), 'newer Gatehouse'],
    ['no key', () => withHeader({ instanceKey: null }), 'the instance key is missing'],
    ['another key', () => withHeader({ instanceKey: 'x'.repeat(43) }), 'another instance key'],
  ])('%s: is refused with a clear message, and the database stays empty', async (_, bytes, complaint) => {
    const place = sqlitePlace();
    const file = join(newFolder(), 'broken.backup');
    writeFileSync(file, bytes());
    const refused = await run(['restore', '--from', file], place.env);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain(complaint);
    const folder = readdirSync(place.env.GATEHOUSE_DATA_DIR as string);
    expect(folder).not.toContain('secret.key');
    if (!folder.includes('gatehouse.db')) return;
    expect(Object.values(await contentsOfClosed(place)).flat()).toEqual([]);
  });

  test('does not prevent a later restore of the intact file', async () => {
    const place = sqlitePlace();
    const file = join(newFolder(), 'broken.backup');
    writeFileSync(file, whole().subarray(0, -4));
    const refused = await runGatehouse(['restore', '--from', file], place.env);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toBe('The file is damaged, or no backup of Gatehouse; nothing was restored.\n');
    const good = await runGatehouse(['restore', '--from', backups.get('sqlite') as string], place.env);
    expect(good).toMatchObject({ code: 0 });
  });

  const flipped = (bytes: Buffer) => {
    const at = Math.floor(bytes.length / 2);
    bytes[at] = (bytes[at] ?? 0) ^ 0xff;
    return bytes;
  };
  const replaced = (from: string, to: string) => lines().map((line) => line.replace(from, to));
  const atTable = (name: string) => lines().findIndex((line) => line.startsWith(`{"table":"${name}"`));
  const withLooseRow = () => {
    const texts = lines();
    const row = JSON.parse(texts[atTable('user_groups') + 1] ?? '[]');
    texts[atTable('user_groups') + 1] = JSON.stringify([987654, ...row.slice(1)]);
    return texts;
  };
  const withStrangeValue = () => {
    const texts = lines();
    const [pk, ...rest] = JSON.parse(texts[atTable('users') + 1] ?? '[]');
    texts[atTable('users') + 1] = JSON.stringify([`not ${pk}`, ...rest]);
    return texts;
  };

  test('a database that is not empty is left alone', async () => {
    const place = sqlitePlace();
    await (await startServerProcess({ ...place.env, ...firstStart })).stop();
    const before = await contentsOfClosed(place);
    const refused = await runGatehouse(['restore', '--from', backups.get('sqlite') as string], place.env);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('The database is not empty');
    expect(await contentsOfClosed(place)).toEqual(before);
  });

  test('a missing file and a missing folder are named in the message', async () => {
    const { env } = sqlitePlace();
    const missing = await runGatehouse(['restore', '--from', '/nowhere/x.backup'], env);
    expect(missing).toMatchObject({ code: 1, stderr: 'There is no file /nowhere/x.backup.\n' });
    expect(readdirSync(env.GATEHOUSE_DATA_DIR as string)).toEqual([]);
    expect(await runGatehouse(['backup', '--to', '/nowhere/x.backup'], env)).toMatchObject({
      code: 1,
      stderr: 'There is no folder /nowhere.\n',
    });
  });
});

describe('a backup through pipes', () => {
  const program = fileURLToPath(new URL('../../scripts/gatehouse.mjs', import.meta.url));
  const shell = (script: string, env: Environment) =>
    promisify(execFile)(
      'bash',
      ['--norc', '-c', `set -euo pipefail; gatehouse() { "$NODE" "$PROGRAM" "$@"; }; ${script}`],
      {
        env: { PATH: process.env.PATH, NODE: process.execPath, PROGRAM: program, ...env },
      },
    ).then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      ({ code, stdout, stderr }) => ({ code: Number(code), stdout: String(stdout), stderr: String(stderr) }),
    );

  async function startedOnce(): Promise<Place> {
    const place = sqlitePlace();
    await (await startServerProcess({ ...place.env, ...firstStart })).stop();
    return place;
  }

  test('needs no file at either end', async () => {
    const [from, to] = [await startedOnce(), sqlitePlace()];
    const target = to.env.GATEHOUSE_DATA_DIR as string;
    const piped = await shell(
      'gatehouse backup --to - | GATEHOUSE_DATA_DIR="$TARGET" gatehouse restore --from - --resume-outgoing',
      { ...from.env, TARGET: target },
    );
    expect(piped).toMatchObject({ code: 0, stdout: '' });
    expect(piped.stderr).toMatch(/^\d+ rows of .* written to standard output/m);
    expect(piped.stderr).toMatch(/^\d+ rows of .* restored into /m);
    const { users } = await contentsOfClosed(to);
    expect(users).toEqual((await contentsOfClosed(from)).users);
    expect(users?.length).toBeGreaterThan(0);
  });

  test('fails visibly when it is cut off, and nothing is restored from a part', async () => {
    const [from, to] = [await startedOnce(), sqlitePlace()];
    const place = newFolder();
    const full = await shell('gatehouse backup --to - > /dev/full', from.env);
    expect([full.code, full.stderr]).toEqual([
      1,
      expect.stringMatching(/^Standard output cannot be written: ENOSPC.+\n$/),
    ]);
    await shell(`gatehouse backup --to - > ${place}/whole; head -c 100 ${place}/whole > ${place}/part`, from.env);
    const part = await shell(`gatehouse restore --from - < ${place}/part`, to.env);
    expect([part.code, part.stderr]).toEqual([1, expect.stringContaining('nothing was restored')]);
  });
});

describe('a backup of an older version', () => {
  /** What a version with only the first step of the schema would have written. */
  async function olderBackup(): Promise<string> {
    const db = openSqlite(join(newFolder(), 'gatehouse.db'));
    await migrate(db, migrations.slice(0, 1));
    const known = new Map((await tablesInOrder(db)).map(({ name, columns }) => [name, columns]));
    await db.close();
    const [header = '', ...lines] = gunzipSync(readFileSync(backups.get('sqlite') as string))
      .toString()
      .trim()
      .split('\n');
    let isKnown: boolean[] | null = null;
    const ofKnown = (values: unknown[]) => values.filter((_, column) => isKnown?.[column]);
    const kept = lines.slice(0, -1).flatMap((line) => {
      const content = JSON.parse(line);
      if (Array.isArray(content)) return isKnown ? [JSON.stringify(ofKnown(content))] : [];
      const columns = known.get(content.table);
      isKnown = columns ? content.columns.map((column: string) => columns.includes(column)) : null;
      return isKnown ? [JSON.stringify({ ...content, columns: ofKnown(content.columns) })] : [];
    });
    const first = { ...JSON.parse(header), migrations: [migrations[0]?.name] };
    const file = join(newFolder(), 'older.backup');
    const texts = [JSON.stringify(first), ...kept, JSON.stringify({ end: true, lines: kept.length })];
    writeFileSync(file, gzipSync(`${texts.join('\n')}\n`));
    return file;
  }

  test('is restored into its own schema, which is then migrated', async () => {
    const place = sqlitePlace();
    expect(await run(['restore', '--from', await olderBackup()], place.env)).toMatchObject({ code: 0 });
    const db = place.open();
    expect((await readSchemaState(db, migrations)).pending).toEqual([]);
    const contents = await contentsOf(db);
    await db.close();
    expect(contents.users?.length).toBeGreaterThan(60);
  });

  test('is refused by a database with a newer schema', async () => {
    const place = sqlitePlace();
    await run(['migrate'], place.env);
    const refused = await run(['restore', '--from', await olderBackup()], place.env);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('The database has a newer schema than the backup');
  });
});

describe('the target of a backup', () => {
  test('is never overwritten, and an empty folder is not backed up', async () => {
    const { env } = sqlitePlace();
    const folder = newFolder();
    const file = join(folder, 'kept');
    const empty = await runGatehouse(['backup', '--to', file], env);
    expect(empty.code).toBe(1);
    expect(empty.stderr).toContain('there is no database');
    expect(readdirSync(env.GATEHOUSE_DATA_DIR as string)).toEqual([]);

    await runGatehouse(['migrate'], env);
    writeFileSync(file, 'mine');
    const refused = await runGatehouse(['backup', '--to', file], env);
    expect(refused).toMatchObject({ code: 1, stderr: `${file} exists already; a backup never replaces a file.\n` });
    expect(readFileSync(file, 'utf8')).toBe('mine');
    expect(readdirSync(folder)).toEqual(['kept']);
  });

  test('is named in the message when its disk is full, and no part of it stays', async () => {
    const { env } = sqlitePlace();
    await runGatehouse(['restore', '--from', backups.get('sqlite') as string], env);
    const folder = newFolder();
    const file = join(folder, 'large.backup');
    const { code, stderr } = await startGatehouse(['backup', '--to', file], env, { fileKilobytes: 40 }).finished;
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining(`${file} cannot be written: `) });
    expect(stderr).not.toContain('cannot be reached');
    expect(readdirSync(folder)).toEqual([]);
  });

  test('contains the instance key unless it is in the settings', async () => {
    const place = sqlitePlace();
    const server = await startServerProcess({ ...place.env, ...firstStart });
    const folder = newFolder();
    const [along, without] = [join(folder, 'with'), join(folder, 'without')];
    await runGatehouse(['backup', '--to', along], place.env);
    const said = await runGatehouse(['backup', '--to', without, '--without-key'], place.env);
    await server.stop();
    expect(said.stderr).toContain('(without the instance key)');
    const secret = readFileSync(join(place.env.GATEHOUSE_DATA_DIR as string, 'secret.key'), 'utf8').trim();
    expect(gunzipSync(readFileSync(along)).toString()).toContain(secret);
    const text = gunzipSync(readFileSync(without)).toString();
    expect(text).not.toContain(secret);
    for (const plain of [processToken, processPassword]) expect(text).not.toContain(plain);

    // The key file may come first, from wherever it was kept.
    const other = sqlitePlace();
    writeFileSync(join(other.env.GATEHOUSE_DATA_DIR as string, 'secret.key'), `${secret}\n`);
    expect(await runGatehouse(['restore', '--from', without], other.env)).toMatchObject({ code: 0 });
  });
});

async function contentsOfClosed(place: Place) {
  const db = place.open();
  const contents = await contentsOf(db);
  await db.close();
  return contents;
}

interface BackedUpTable {
  readonly columns: readonly string[];
  readonly nextKey?: number;
  readonly rows: unknown[][];
}

function tablesIn(file: string): Map<string, BackedUpTable> {
  const tables = new Map<string, BackedUpTable>();
  let current: BackedUpTable | undefined;
  for (const line of gunzipSync(readFileSync(file)).toString().trim().split('\n').slice(1)) {
    const value = JSON.parse(line);
    if (Array.isArray(value)) current?.rows.push(value);
    else if (value.table) {
      current = { ...value, rows: [] };
      tables.set(value.table, current as BackedUpTable);
    }
  }
  return tables;
}

function rowsIn(tables: Map<string, BackedUpTable>, name: string): Record<string, unknown>[] {
  const { columns, rows } = tables.get(name) as BackedUpTable;
  return rows.map((row) => Object.fromEntries(row.map((value, index) => [columns[index], value])));
}
