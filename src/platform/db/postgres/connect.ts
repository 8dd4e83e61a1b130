import pg from 'pg';
import { errorFacts } from '../../../lib/error-facts.ts';
import { DatabaseBusy } from '../unreachable.ts';
import { type History, historyOf } from './history.ts';
import { postgresTypes } from './values.ts';
import { requirePostgres } from './version.ts';

/** Properties of a connection. */
export interface Session {
  /** There is a pooler in between: what is set or listened to may belong to another connection the next moment. */
  readonly isPooled: boolean;
  /** Statements can be prepared under a name and found again. */
  readonly canPrepare: boolean;
  /** Null where the service does not disclose it. */
  readonly history: History | null;
}

export interface Connected extends Session {
  readonly client: pg.Client;
}

/** `pipeline` sends what opens a transaction together with its first statement. */
export const clientOptions = {
  types: postgresTypes,
  application_name: 'gatehouse',
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  pipeline: true,
} as const satisfies pg.ClientConfig;

// By commands, because poolers refuse startup options. PgBouncer tracks time zone and date style for each client; the
// other settings may stay with a server connection, where they also suit the next client.
const settings = [
  "set timezone = 'UTC'",
  "set datestyle = 'ISO'",
  // Nested objects look costly to the planner, which then compiles for 700 ms what runs in half of one.
  'set jit = off',
  // As on SSDs: else searches scan whole tables although there is an index for them.
  'set random_page_cost = 1.1',
  "set statement_timeout = '15s'",
  // While a whole table is locked, transactions that wait for it must not use up all connections.
  "set lock_timeout = '3s'",
].join('; ');

const facts = `select pg_is_in_recovery() as standby, pg_backend_pid() as pid, current_setting('timezone') as zone,
  current_setting('server_version_num')::int as version`;

export async function connectTo(address: string, withinMs: number): Promise<Connected> {
  const connectionString = withoutAliases(address);
  const client = new pg.Client({ ...clientOptions, connectionString, connectionTimeoutMillis: withinMs });
  // A connection that breaks fails the statement that runs on it; without a listener it would end the process as well.
  client.on('error', () => {});
  // Not by `end`, which waits for what was sent.
  const timer = setTimeout(() => client.connection.stream.destroy(), withinMs);
  try {
    await client.connect();
    return { client, ...(await openSession(client)) };
  } catch (error) {
    void client.end().catch(() => {});
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** Settings and checks of a connection that was just made. Throws unless it leads to a primary that serves us. */
export async function openSession(client: pg.Client): Promise<Session> {
  await client.query(settings);
  const { rows } = await client.query<{ standby: boolean; pid: number; zone: string; version: number }>(facts);
  // A select without `from` has one row.
  const [{ standby, pid, zone, version }] = rows as [(typeof rows)[number]];
  if (standby) throw new DatabaseBusy('the database is a standby, which takes no writes');
  requirePostgres(version);
  requireUtc(zone);
  // A pooler invents the process id that it reports at connect. pg's types lack `processID`.
  const isPooled = pid !== (client as unknown as { processID: number }).processID;
  const canPrepare = !isPooled || (await canPrepareThroughPooler(client));
  return { isPooled, canPrepare, history: await historyOf(client) };
}

/** pg treats these modes as verify-full by default, and prints a long warning about that for each command. */
export const withoutAliases = (address: string): string =>
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

/** A pooler that supports prepared statements renames them; through any other, ours exist on arbitrary connections. */
async function canPrepareThroughPooler(client: pg.Client): Promise<boolean> {
  try {
    const text = `select exists (select from pg_prepared_statements where name = '${probe}') as is_ours`;
    const found = await client.query<{ is_ours: boolean }>({ name: probe, text });
    return found.rows[0]?.is_ours === false;
  } catch (error) {
    // Another client has prepared it there.
    if (errorFacts(error).code === '42P05') return false;
    throw error;
  }
}
