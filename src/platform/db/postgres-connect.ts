import pg from 'pg';
import { errorFacts } from '../../lib/error-facts.ts';
import { type History, historyOf } from './postgres-history.ts';
import { postgresTypes } from './postgres-values.ts';
import { requirePostgres } from './postgres-version.ts';
import { DatabaseBusy } from './unreachable.ts';

export interface Connected {
  readonly client: pg.Client;
  /** There is a pooler in between: what is set or listened to may belong to another connection the next moment. */
  readonly isPooled: boolean;
  /** Statements can be prepared under a name and found again. */
  readonly canPrepare: boolean;
  /** Null for standbys, and where PostgreSQL does not tell. */
  readonly history: History | null;
}

export type Kind = 'primary' | 'standby';

const keepAliveMs = 10_000;

// By commands and not at start-up: poolers refuse options there. PgBouncer knows the zone and the style of dates as a client's own; the
// others may stay with a connection of its own, where they do the same good to whoever gets it next.
const session = [
  "set timezone = 'UTC'",
  "set datestyle = 'ISO'",
  // Nested objects look costly to the planner, which then compiles for 700 ms what runs in half of one.
  'set jit = off',
  // As on SSDs: else searches scan whole tables although there is an index for them.
  'set random_page_cost = 1.1',
  "set statement_timeout = '15s'",
  "set lock_timeout = '15s'",
].join('; ');

const facts = `select pg_is_in_recovery() as standby, pg_backend_pid() as pid, current_setting('timezone') as zone,
  current_setting('server_version_num')::int as version`;

export async function connectTo(address: string, kind: Kind, withinMs: number): Promise<Connected> {
  const client = new pg.Client({
    connectionString: withoutAliases(address),
    types: postgresTypes,
    application_name: 'gatehouse',
    connectionTimeoutMillis: withinMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
  });
  // A connection that breaks fails the statement that runs on it; without a listener it would end the process as well.
  client.on('error', () => {});
  // Not by `end`, which waits for what was sent.
  const timer = setTimeout(() => client.connection.stream.destroy(), withinMs);
  try {
    await client.connect();
    await client.query(session);
    const { rows } = await client.query<{ standby: boolean; pid: number; zone: string; version: number }>(facts);
    // A select without `from` has one row.
    const [{ standby, pid, zone, version }] = rows as [(typeof rows)[number]];
    if (standby && kind === 'primary') throw new DatabaseBusy('the database is a standby, which takes no writes');
    if (!standby && kind === 'standby') throw new DatabaseBusy('the database is no standby');
    requirePostgres(version);
    requireUtc(zone);
    // A pooler invents the process id that it reports at connect. pg's types do not know `processID`.
    const isPooled = pid !== (client as unknown as { processID: number }).processID;
    const canPrepare = !isPooled || (await canPrepareThroughPooler(client));
    return { client, isPooled, canPrepare, history: standby ? null : await historyOf(client) };
  } catch (error) {
    void client.end().catch(() => {});
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** pg treats these modes as verify-full unless told otherwise, and prints a long warning about that for each command. */
const withoutAliases = (address: string): string =>
  address.includes('uselibpqcompat=')
    ? address
    : address.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, '$1verify-full');

function requireUtc(zone: string): void {
  if (zone === 'UTC') return;
  throw new Error(
    `connections to the database have the time zone ${zone} although UTC was set; whatever stands between must let clients set it`,
  );
}

const probe = 'gatehouse_probe';

/** A pooler that knows of prepared statements gives them names of its own; through any other, ours are on some connection or another. */
async function canPrepareThroughPooler(client: pg.Client): Promise<boolean> {
  try {
    const text = `select exists (select from pg_prepared_statements where name = '${probe}') as is_ours`;
    const found = await client.query<{ is_ours: boolean }>({ name: probe, text });
    return found.rows[0]?.is_ours === false;
  } catch (error) {
    // Somebody else has prepared it there.
    if (errorFacts(error).code === '42P05') return false;
    throw error;
  }
}
