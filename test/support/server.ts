import { mkdtempSync } from 'node:fs';
import { copyFile, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe } from 'vitest';
import { bootstrap } from '../../src/app/bootstrap/run.ts';
import { type App, composeApp } from '../../src/app/compose.ts';
import type { KindLists } from '../../src/app/kinds.ts';
import { openWorld, type World } from '../../src/app/world.ts';
import { type Clock, systemClock } from '../../src/platform/clock.ts';
import { type Config, readConfig } from '../../src/platform/config.ts';
import type { Migration } from '../../src/platform/db/migrate.ts';
import { migrations } from '../../src/platform/db/migrations/all.ts';
import { createLog, type Log } from '../../src/platform/log.ts';
import { randomText } from '../../src/platform/random.ts';
import { type Api, apiFor } from './api.ts';
import { grant } from './grants.ts';
import { freshPostgresDatabase } from './postgres.ts';
import { folderForDatabases } from './run-folder.ts';
import { startOver } from './second-try.ts';

export const adminToken = 'the-administrators-token-in-tests-only-0123456789';
export const adminPassword = 'the-administrators-password-in-tests';

export type DatabaseKind = 'sqlite' | 'postgres';

export interface TestServer {
  readonly kind: DatabaseKind;
  readonly url: string;
  /** The addresses of servers of other protocols, by their names. */
  readonly listening: Readonly<Record<string, string>>;
  readonly world: World;
  readonly app: App;
  /** The administrator's API. */
  readonly admin: Api;
  /** The API without credentials. */
  readonly nobody: Api;
  as(token: string): Api;
  /** A new user with an API token and these global permissions. */
  user(permissions?: readonly string[], values?: Record<string, unknown>): Promise<TestUser>;
  close(): Promise<void>;
}

export interface TestUser {
  readonly pk: number;
  readonly username: string;
  readonly token: string;
  readonly api: Api;
}

export interface TestServerOptions {
  readonly env?: Record<string, string>;
  readonly clock?: Clock;
  /** One to read afterwards; none is kept by default. */
  readonly log?: Log;
  /** Kinds beside those of the catalogue, with their tables. */
  readonly extra?: { readonly kinds: KindLists; readonly migration: Migration };
}

const settings = {
  PORT: '0',
  GATEHOUSE_SECRET_KEY: 'a-key-for-tests-only-a-key-for-tests-only-0123456789',
  GATEHOUSE_BOOTSTRAP_PASSWORD: adminPassword,
  GATEHOUSE_BOOTSTRAP_TOKEN: adminToken,
  GATEHOUSE_LOG_LEVEL: 'fatal',
};

// Whether this machine has PostgreSQL is found out once; without it its half of the tests is skipped, loudly.
const probe = await freshPostgresDatabase();
await probe?.drop();
export const hasPostgres = probe !== null;

/** The same tests against a server on each database. */
export function describeOnBoth(
  name: string,
  tests: (server: () => TestServer, kind: DatabaseKind) => void,
  options: TestServerOptions = {},
): void {
  for (const kind of ['sqlite', 'postgres'] as const) {
    describe.skipIf(kind === 'postgres' && !hasPostgres)(`${name} (${kind})`, () => describeWith(kind, tests, options));
  }
}

/** For what does not depend on the database: decisions of our code, protocols, pages. */
export function describeOnSqlite(
  name: string,
  tests: (server: () => TestServer) => void,
  options: TestServerOptions = {},
): void {
  describe(`${name} (sqlite)`, () => describeWith('sqlite', tests, options));
}

function describeWith(
  kind: DatabaseKind,
  tests: (server: () => TestServer, kind: DatabaseKind) => void,
  options: TestServerOptions,
): void {
  let server: TestServer | undefined;
  beforeAll(async () => {
    // That of the first try.
    await server?.close();
    server = await startServer(kind, options);
  });
  beforeEach(startOver);
  afterAll(async () => {
    await server?.close();
    server = undefined;
  });
  tests(() => server as TestServer, kind);
}

/** A server of its own on a fresh, bootstrapped database. */
export async function startServer(
  kind: DatabaseKind,
  { env = {}, clock = systemClock, log = createLog({ level: 'fatal' }), extra }: TestServerOptions = {},
): Promise<TestServer> {
  const folder = newFolder();
  const database = kind === 'postgres' ? await freshPostgresDatabase(postgresTemplate) : null;
  if (kind === 'sqlite') await copyFile(await sqliteTemplate(), join(folder, 'gatehouse.db'));
  const config = configFor(folder, { ...(database && { DATABASE_URL: database.url }), ...env });
  const world = await openWorld(config, log, {
    clock,
    ...(extra && { migrations: [...migrations, extra.migration] }),
  });
  const app = await composeApp(world, extra?.kinds);
  await bootstrap(world, app);
  const url = await app.server.listen({ host: '127.0.0.1', port: 0 });
  const listening: Record<string, string> = {};
  for (const listener of app.listeners) listening[listener.name] = await listener.listen();
  // Tests with a clock of their own look at what is so before anything is cleaned up.
  if (clock === systemClock) await app.jobs.start();
  const as = (token: string) => apiFor(url, { authorization: `Bearer ${token}` });
  return {
    kind,
    url,
    listening,
    world,
    app,
    as,
    admin: as(adminToken),
    nobody: apiFor(url, {}),
    user: (permissions = [], values = {}) => makeUser(world, as, permissions, values),
    async close() {
      await app.server.close();
      await Promise.all(app.listeners.map((listener) => listener.close()));
      await app.jobs.stop();
      await world.close();
      await database?.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** In a temporary folder of the run, which goes with it. */
export const newFolder = (): string => mkdtempSync(join(folderForDatabases(), 'gatehouse-test-'));

export function configFor(folder: string, env: Record<string, string> = {}): Config {
  return readConfig({ ...settings, GATEHOUSE_DATA_DIR: folder, ...env });
}

async function fill(config: Config): Promise<void> {
  const world = await openWorld(config, createLog({ level: 'fatal' }));
  const app = await composeApp(world);
  await bootstrap(world, app);
  await app.server.close();
  await world.close();
}

const postgresTemplate = {
  name: 'bootstrapped',
  fill: (url: string) => fill(configFor(newFolder(), { DATABASE_URL: url })),
};

let template: Promise<string> | undefined;
function sqliteTemplate(): Promise<string> {
  template ??= (async () => {
    const folder = newFolder();
    await mkdir(folder, { recursive: true });
    await fill(configFor(folder));
    return join(folder, 'gatehouse.db');
  })();
  return template;
}

async function makeUser(
  { db, key }: World,
  as: (token: string) => Api,
  permissions: readonly string[],
  values: Record<string, unknown>,
): Promise<TestUser> {
  const username = String(values.username ?? `user-${randomText(8)}`);
  const token = randomText(60);
  const created = await as(adminToken).post('/core/users/', { name: username, ...values, username });
  if (created.status !== 201) throw new Error(`no test user: ${JSON.stringify(created.body)}`);
  const pk = created.body.pk as number;
  await db.write(async (tx) => {
    await sql`insert into tokens (pk, identifier, key, key_hash, intent, "user", description, expires, expiring, managed)
      values (${crypto.randomUUID()}, ${`token-${username}`}, '', ${key.hash(token)}, 'api', ${pk}, '', null, false, null)`.execute(
      tx,
    );
    await grant(tx, pk, permissions);
  });
  return { pk, username, token, api: as(token) };
}
