import { type CompiledQuery, Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import type { Database, Query } from './database.ts';
import { createEffects } from './effects.ts';
import { postgresDialect } from './postgres-dialect.ts';
import { listenOn } from './postgres-listen.ts';
import { createStatementListeners, type StatementListeners } from './statements.ts';

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
  const read = kyselyOn(url, poolSize, listeners);
  const write = kyselyOn(url, poolSize, listeners);
  return {
    dialect: postgresDialect,
    read,
    async write(work) {
      let open: Query | undefined;
      let isCommitted = false;
      try {
        const value = await write.transaction().execute((tx) => {
          open = tx;
          return work(tx);
        });
        isCommitted = true;
        return value;
      } finally {
        if (open) effects.settle(open, isCommitted);
      }
    },
    afterCommit: effects.add,
    async snapshot() {
      const transaction = await read.startTransaction().setIsolationLevel('repeatable read').execute();
      return { query: transaction, end: async () => void (await transaction.rollback().execute()) };
    },
    listen: (channel, listener) => listenOn(url, channel, listener),
    onStatement: listeners.add,
    async ping() {
      await sql`select 1`.execute(read);
    },
    async close() {
      await Promise.all([read.destroy(), write.destroy()]);
    },
  };
}

function kyselyOn(url: string, poolSize: number, listeners: StatementListeners): Query {
  const pool = new pg.Pool({ connectionString: url, max: poolSize, types, options: '-c timezone=UTC' });
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on('error', () => {});
  return new Kysely({
    dialect: new PostgresDialect({ pool }),
    log: (event) => {
      if (event.level === 'query') listeners.notify(event.query as CompiledQuery);
    },
  });
}

/** `2026-01-02 03:04:05.678+00` as `2026-01-02T03:04:05.678000Z`. */
function toTimestamp(text: string): string {
  const [date, time = ''] = text.split(' ');
  const [clock = '', fraction = ''] = time.replace(/[+-]\d\d(:\d\d)*$/, '').split('.');
  return `${date}T${clock}.${fraction.padEnd(6, '0')}Z`;
}
