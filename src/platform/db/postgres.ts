import { Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, sql } from 'kysely';
import pg from 'pg';
import type { Database, Query } from './database.ts';
import { createEffects } from './effects.ts';
import { postgresDialect } from './postgres-dialect.ts';
import { createPostgresDriver } from './postgres-driver.ts';
import { listenOn } from './postgres-listen.ts';
import { createStatementNames, type StatementNames } from './postgres-statements.ts';
import { createStatementListeners, type StatementListeners } from './statements.ts';

/** Also the longest wait for a connection that others use. */
const connectWithinMs = 10_000;

const oid = { int8: 20, json: 114, jsonb: 3802, timestamptz: 1184 };

// Values arrive as SQLite gives them: JSON as text, timestamps as our own text, counts as numbers.
const parsers = new Map<number, (text: string) => unknown>([
  [oid.int8, Number],
  [oid.json, (text) => text],
  [oid.jsonb, (text) => text],
  [oid.timestamptz, toTimestamp],
]);

const types = {
  getTypeParser: (type: number, format?: 'text' | 'binary') =>
    (format !== 'binary' && parsers.get(type)) || pg.types.getTypeParser(type, format as 'text'),
} as pg.CustomTypesConfig;

/** A transaction may read outside itself, so readers have connections of their own: writers can never use up all of them. */
export function openPostgres(url: string, poolSize = 10): Database {
  const listeners = createStatementListeners();
  const effects = createEffects();
  const names = createStatementNames();
  const read = kyselyOn(openPool(url, poolSize), names, listeners);
  const write = kyselyOn(openPool(url, poolSize), names, listeners);
  return {
    dialect: postgresDialect,
    read,
    async write(work, { durable = true } = {}) {
      let open: Query | undefined;
      let isCommitted = false;
      try {
        const value = await write.transaction().execute(async (tx) => {
          open = tx;
          if (!durable) await sql`set local synchronous_commit = off`.execute(tx);
          return work(tx);
        });
        isCommitted = true;
        return value;
      } finally {
        const added = open ? effects.take(open) : [];
        if (isCommitted) for (const effect of added) effect();
      }
    },
    watch: null,
    afterCommit: effects.add,
    async snapshot() {
      const transaction = await read.startTransaction().setIsolationLevel('repeatable read').execute();
      return {
        query: transaction,
        rows: (table) => rowsOf(transaction, table),
        end: async () => void (await transaction.rollback().execute()),
      };
    },
    listen: (channel, listener) => listenOn(url, channel, listener),
    onStatement: listeners.add,
    async analyze() {
      await sql`analyze`.execute(read);
    },
    async ping() {
      await sql`select 1`.execute(read);
    },
    async close() {
      await Promise.all([read.destroy(), write.destroy()]);
    },
  };
}

async function* rowsOf(transaction: Query, table: string): AsyncGenerator<Record<string, unknown>[]> {
  await sql`declare all_rows no scroll cursor for select * from ${sql.table(table)}`.execute(transaction);
  try {
    for (;;) {
      const { rows } = await sql<Record<string, unknown>>`fetch 500 from all_rows`.execute(transaction);
      if (rows.length === 0) return;
      yield rows;
    }
  } finally {
    await sql`close all_rows`.execute(transaction);
  }
}

function openPool(url: string, poolSize: number): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    types,
    // Nested objects look costly to the planner, which then compiles for 700 ms what runs in half of one.
    options: '-c timezone=UTC -c jit=off',
    application_name: 'gatehouse',
    connectionTimeoutMillis: connectWithinMs,
    keepAlive: true,
  });
  // A connection that breaks fails the statement that runs on it and is replaced by the pool. Without these listeners it
  // would end the process as well: the pool's is for idle connections, the other for those in use.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

function kyselyOn(pool: pg.Pool, names: StatementNames, listeners: StatementListeners): Query {
  return new Kysely({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => createPostgresDriver({ pool, names, listeners }),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
}

/** `2026-01-02 03:04:05.678+00` as `2026-01-02T03:04:05.678000Z`. */
function toTimestamp(text: string): string {
  const [date, time = ''] = text.split(' ');
  const [clock = '', fraction = ''] = time.replace(/[+-]\d\d(:\d\d)*$/, '').split('.');
  return `${date}T${clock}.${fraction.padEnd(6, '0')}Z`;
}
