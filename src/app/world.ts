import { growingTables } from '../core/cleanup/growing-tables.ts';
import { fillNameKeys, listAmbiguousNames } from '../core/directory/name-keys.ts';
import { createServerSettings, type ServerSettingsStore } from '../core/settings/server-settings.ts';
import { createSettingsStore, type SettingsStore } from '../core/settings/settings.ts';
import { parseCidrs } from '../lib/cidr.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import { type Config, withPublicUrl } from '../platform/config.ts';
import type { Database } from '../platform/db/database.ts';
import { DatabaseIsNewer, type Migration, migrate, readSchemaState } from '../platform/db/migrate.ts';
import { migrations as allMigrations } from '../platform/db/migrations/all.ts';
import { openQueryCaches } from '../platform/db/query-cache.ts';
import { createFetch, type GuardedFetch } from '../platform/fetch/guarded-fetch.ts';
import { type Geo, openGeo } from '../platform/geo/geo.ts';
import type { InstanceKey } from '../platform/keys.ts';
import type { Log } from '../platform/log.ts';
import { createMailer, type Mailer } from '../platform/mail/mailer.ts';
import { createPasswords, type Passwords } from '../platform/passwords.ts';
import { createSandbox, type Sandbox } from '../platform/sandbox/sandbox.ts';
import { createUserAgentParser, type UserAgentParser } from '../platform/user-agent.ts';
import { queryCacheSizes } from './caches.ts';
import { openInstall } from './install.ts';
import { NoDatabase, openDatabase } from './open-database.ts';
import { version } from './version.ts';

/** Everything with a lifetime, opened once and closed in reverse order. Only `app` sees all of it. */
export interface World {
  readonly version: string;
  readonly config: Config;
  readonly log: Log;
  readonly clock: Clock;
  readonly db: Database;
  readonly key: InstanceKey;
  readonly installId: string;
  readonly settings: SettingsStore;
  readonly serverSettings: ServerSettingsStore;
  readonly passwords: Passwords;
  readonly geo: Geo;
  readonly userAgents: UserAgentParser;
  readonly sandbox: Sandbox;
  readonly fetch: GuardedFetch;
  readonly mailer: Mailer;
  close(): Promise<void>;
}

export interface WorldOptions {
  readonly clock?: Clock;
  /** For a command that runs beside the server: takes no lock, changes no schema. */
  readonly beside?: boolean;
  /** The schema's history. */
  readonly migrations?: readonly Migration[];
}

export async function openWorld(
  given: Config,
  log: Log,
  { clock = systemClock, beside = false, migrations = allMigrations }: WorldOptions = {},
): Promise<World> {
  const { db: opened, close } = openDatabase(given, { beside });
  const db: Database = { ...opened, queryCaches: openQueryCaches(queryCacheSizes) };
  try {
    if (beside) await checkSchema(db, given, migrations);
    else {
      await updateSchema(db, log, migrations);
      await completeNames(db, log);
    }
    const { installId, key } = await openInstall(db, given, clock);
    const serverSettings = createServerSettings(db, key.box);
    const config = withPublicUrl(given, (await serverSettings.read(db.read)).public_url);
    const allow = parseCidrs(config.outboundAllow);
    const fetch = createFetch({ allow });
    const mailer = createMailer(config.smtp, { find: serverSettings.findMailServer, allow });
    return {
      version,
      config,
      log,
      clock,
      db,
      key,
      installId,
      settings: createSettingsStore(db),
      serverSettings,
      passwords: createPasswords(),
      geo: await openGeo(
        {
          countryPath: config.geoip.country ?? undefined,
          cityPath: config.geoip.city ?? undefined,
          asnPath: config.geoip.asn ?? undefined,
        },
        (err, path) => log.error({ err, path }, 'the GeoIP database is damaged; some places are unknown'),
      ),
      userAgents: createUserAgentParser(),
      sandbox: createSandbox(),
      fetch,
      mailer,
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

async function updateSchema(db: Database, log: Log, migrations: readonly Migration[]): Promise<void> {
  const ran = await migrate(db, migrations);
  if (ran.length === 0) return;
  const isNew = ran.length === migrations.length;
  // A new database is empty until bootstrap has filled and analysed it.
  if (!isNew) await db.analyze?.(growingTables);
  // Which ones they are matters to those who upgrade.
  log.info({ migrations: isNew ? ran.length : ran }, 'the database schema is up to date');
}

/** Also for rows written by an instance of an earlier release (rolling upgrade). */
async function completeNames(db: Database, log: Log): Promise<void> {
  if ((await fillNameKeys(db)) === 0) return;
  log.warn({ users: await listAmbiguousNames(db.read) }, 'some users cannot be told apart by name; rename them');
}

async function checkSchema(db: Database, config: Config, migrations: readonly Migration[]): Promise<void> {
  const { done, pending, unknown } = await readSchemaState(db, migrations);
  if (unknown.length > 0) throw new DatabaseIsNewer(unknown);
  if (done.length === 0) throw new NoDatabase(config);
  if (pending.length > 0) throw new Error('the database schema is out of date; run `gatehouse migrate`');
}
