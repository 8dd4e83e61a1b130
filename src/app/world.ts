import { join } from 'node:path';
import { sql } from 'kysely';
import { createSettingsStore, type SettingsStore } from '../core/settings/settings.ts';
import { parseCidrs } from '../lib/cidr.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import type { Config } from '../platform/config.ts';
import type { Database } from '../platform/db/database.ts';
import { lockFolder } from '../platform/db/folder-lock.ts';
import { migrate } from '../platform/db/migrate.ts';
import { migrations } from '../platform/db/migrations/all.ts';
import { openPostgres } from '../platform/db/postgres.ts';
import { openSqlite } from '../platform/db/sqlite.ts';
import { createFetch, type GuardedFetch } from '../platform/fetch/guarded-fetch.ts';
import { type Geo, openGeo } from '../platform/geo/geo.ts';
import { type InstanceKey, loadInstanceKey } from '../platform/keys.ts';
import type { Log } from '../platform/log.ts';
import { createPasswords, type Passwords } from '../platform/passwords.ts';
import { randomUuid } from '../platform/random.ts';
import { createSandbox, type Sandbox } from '../platform/sandbox/sandbox.ts';
import { createUserAgentParser, type UserAgentParser } from '../platform/user-agent.ts';

/** Everything with a life of its own, made once and closed in reverse. Only `app` sees it whole. */
export interface World {
  readonly config: Config;
  readonly log: Log;
  readonly clock: Clock;
  readonly db: Database;
  readonly key: InstanceKey;
  readonly installId: string;
  readonly settings: SettingsStore;
  readonly passwords: Passwords;
  readonly geo: Geo;
  readonly userAgents: UserAgentParser;
  readonly sandbox: Sandbox;
  readonly fetch: GuardedFetch;
  close(): Promise<void>;
}

export interface WorldOptions {
  readonly clock?: Clock;
  /** Whether this process is the one that serves from the data folder. */
  readonly exclusive?: boolean;
}

export async function openWorld(config: Config, log: Log, options: WorldOptions = {}): Promise<World> {
  const unlock = config.databaseUrl === null && options.exclusive !== false ? lockFolder(config.dataDir) : () => {};
  const db =
    config.databaseUrl === null ? openSqlite(join(config.dataDir, 'gatehouse.db')) : openPostgres(config.databaseUrl);
  try {
    const ran = await migrate(db, migrations);
    if (ran.length > 0) log.info({ migrations: ran }, 'the database schema is up to date');
    const clock = options.clock ?? systemClock;
    const fetch = createFetch({ allow: parseCidrs(config.outboundAllow) });
    return {
      config,
      log,
      clock,
      db,
      key: await loadInstanceKey({ configured: config.secretKey ?? undefined, dataDir: config.dataDir }),
      installId: await installIdOf(db, clock),
      settings: createSettingsStore(db),
      passwords: createPasswords(),
      geo: await openGeo({
        countryPath: config.geoip.country ?? undefined,
        cityPath: config.geoip.city ?? undefined,
        asnPath: config.geoip.asn ?? undefined,
      }),
      userAgents: createUserAgentParser(),
      sandbox: await createSandbox(),
      fetch,
      async close() {
        await fetch.close();
        await db.close();
        unlock();
      },
    };
  } catch (error) {
    await db.close();
    unlock();
    throw error;
  }
}

/** Made once for a database; stable identifiers of users are built on it. */
async function installIdOf(db: Database, clock: Clock): Promise<string> {
  return db.write(async (tx) => {
    const { rows } = await sql<{ pk: string }>`select pk from install`.execute(tx);
    if (rows[0]) return rows[0].pk;
    const pk = randomUuid();
    await sql`insert into install (pk, created) values (${pk}, ${clock.now()})`.execute(tx);
    return pk;
  });
}
