import { sql } from 'kysely';
import { createSettingsStore, type SettingsStore } from '../core/settings/settings.ts';
import { parseCidrs } from '../lib/cidr.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import type { Config } from '../platform/config.ts';
import type { Database } from '../platform/db/database.ts';
import { migrate } from '../platform/db/migrate.ts';
import { migrations } from '../platform/db/migrations/all.ts';
import { createFetch, type GuardedFetch } from '../platform/fetch/guarded-fetch.ts';
import { type Geo, openGeo } from '../platform/geo/geo.ts';
import { type InstanceKey, loadInstanceKey } from '../platform/keys.ts';
import type { Log } from '../platform/log.ts';
import { createPasswords, type Passwords } from '../platform/passwords.ts';
import { randomUuid } from '../platform/random.ts';
import { createSandbox, type Sandbox } from '../platform/sandbox/sandbox.ts';
import { createUserAgentParser, type UserAgentParser } from '../platform/user-agent.ts';
import { openDatabase } from './open-database.ts';
import { version } from './version.ts';

/** Everything with a life of its own, made once and closed in reverse. Only `app` sees it whole. */
export interface World {
  readonly version: string;
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
}

export async function openWorld(config: Config, log: Log, options: WorldOptions = {}): Promise<World> {
  const { db, close } = openDatabase(config);
  try {
    const ran = await migrate(db, migrations);
    if (ran.length > 0) log.info({ migrations: ran }, 'the database schema is up to date');
    const clock = options.clock ?? systemClock;
    const key = await loadInstanceKey({ configured: config.secretKey ?? undefined, dataDir: config.dataDir });
    const fetch = createFetch({ allow: parseCidrs(config.outboundAllow) });
    return {
      version,
      config,
      log,
      clock,
      db,
      key,
      installId: await installIdOf(db, key, clock),
      settings: createSettingsStore(db),
      passwords: createPasswords(),
      geo: await openGeo({
        countryPath: config.geoip.country ?? undefined,
        cityPath: config.geoip.city ?? undefined,
        asnPath: config.geoip.asn ?? undefined,
      }),
      userAgents: createUserAgentParser(),
      sandbox: createSandbox(),
      fetch,
      async close() {
        await fetch.close();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

const keyProof = 'install.key_proof';

/** Made once for a database; stable identifiers of users are built on it. A server with another key is turned away. */
async function installIdOf(db: Database, key: InstanceKey, clock: Clock): Promise<string> {
  const select = sql<{ pk: string; key_proof: string }>`select pk, key_proof from install`;
  const known = (await select.execute(db.read)).rows[0] ?? (await makeInstall());
  try {
    key.box.open(known.key_proof, keyProof);
  } catch {
    throw new Error(
      'this database was made with another instance key; set GATEHOUSE_SECRET_KEY (or restore secret.key) to that one',
    );
  }
  return known.pk;

  function makeInstall() {
    return db.write(async (tx) => {
      await sql`insert into install (pk, number, key_proof, created)
        values (${randomUuid()}, 1, ${key.box.seal('gatehouse', keyProof)}, ${clock.now()}) on conflict do nothing`.execute(
        tx,
      );
      return (await select.execute(tx)).rows[0] as { pk: string; key_proof: string };
    });
  }
}
