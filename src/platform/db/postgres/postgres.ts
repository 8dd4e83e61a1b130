import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database, Query, WriteOptions } from '../database.ts';
import { createEffects } from '../effects.ts';
import { createStatementListeners } from '../statement-listeners.ts';
import { isConflict } from '../unreachable.ts';
import { isStalePlan } from './connection.ts';
import { postgresDialect } from './dialect.ts';
import { createHosts } from './hosts.ts';
import { listenOn } from './listen.ts';
import { emptyPendingLists } from './pending-lists.ts';
import { createPostgresPool } from './pool.ts';
import { queryOn, type Transact, transactOn } from './query.ts';
import { createStamps, stampTables } from './stamps.ts';
import { createStatementNames } from './statements.ts';

const maxAttempts = 4;
/** At most, before the second attempt; twice as long before each further one. */
const shortPauseMs = 20;

export interface PostgresOptions {
  /** Connections that are open at a time, but for the one that listens; two or more. */
  readonly connections?: number;
  /**
   * Longer than the statement timeout of PostgreSQL: when even its error does not arrive, the network has failed
   * silently.
   */
  readonly answerWithinMs?: number;
}

/** PostgreSQL takes a table without statistics to have at least ten pages. */
const smallTableBytes = 10 * 8192;

export function openPostgres(
  url: string,
  { connections = 16, answerWithinMs = 20_000 }: PostgresOptions = {},
): Database {
  const listeners = createStatementListeners();
  const effects = createEffects();
  const hosts = createHosts(url);
  const needs = { nameOf: createStatementNames(), listeners, answerWithinMs };
  // Two pools, because transactions also read outside themselves: they never use up the connections that they wait for.
  const writers = createPostgresPool(hosts, connections >> 1, needs);
  const readers = createPostgresPool(hosts, connections - (connections >> 1), needs);
  const read = queryOn(readers);
  const durably = transactOn(writers);
  const soon = transactOn(writers, { settings: ['set local synchronous_commit = off'] });
  const atLength = transactOn(writers, {
    settings: ['set local statement_timeout = 0', 'set local lock_timeout = 0'],
    hasDeadline: false,
  });
  const stamps = createStamps({ read, noting: (note) => queryOn(readers, { note }) });

  async function attempt<T>(transact: Transact, work: (tx: Query) => Promise<T>): Promise<T> {
    let open: Query | undefined;
    let isCommitted = false;
    try {
      const value = await transact((tx) => {
        open = tx;
        return work(tx);
      });
      isCommitted = true;
      return value;
    } finally {
      const added = open ? effects.take(open) : [];
      stamps.forget();
      if (isCommitted) for (const effect of added) effect();
    }
  }

  async function write<T>(
    work: (tx: Query) => Promise<T>,
    { durable = true, isLong = false, isRepeatable = true }: WriteOptions = {},
  ): Promise<T> {
    const usual = durable ? durably : soon;
    const transact = isLong ? atLength : usual;
    for (let turn = 1; ; turn++) {
      try {
        return await attempt(transact, work);
      } catch (error) {
        if (!isRepeatable || turn === maxAttempts || !(isConflict(error) || isStalePlan(error))) throw error;
        // By chance, or those who were in each other's way would be so again.
        await setTimeout(Math.random() * shortPauseMs * 2 ** (turn - 1));
      }
    }
  }

  return {
    dialect: postgresDialect,
    read,
    write,
    watch: stamps.watch,
    refresh: stamps.refresh,
    sawStamp: stamps.sawStamp,
    scope: stamps.scope,
    async stampTables(uncached) {
      if (await stampTables({ dialect: postgresDialect, read, write }, uncached)) stamps.forgetTables();
    },
    afterCommit: effects.add,
    async snapshot() {
      const transaction = await read.startTransaction().setIsolationLevel('repeatable read').execute();
      return {
        query: transaction,
        rows: (table) => rowsOf(transaction, table),
        end: async () => void (await transaction.rollback().execute()),
      };
    },
    listen: (channel, listener) => listenOn(hosts.connect, channel, listener),
    async notify(channel) {
      await sql`select pg_notify(${channel}, '')`.execute(read);
    },
    onWrite: null,
    onStatement: listeners.add,
    async analyze(growing = []) {
      const { rows } = await sql<{ name: string }>`select relname as name from pg_class where relkind = 'r'
        and relnamespace = cast(current_schema() as regnamespace)
        and not (relname = any(${growing}) and pg_relation_size(oid) < ${smallTableBytes})`.execute(read);
      const tables = sql.join(rows.map(({ name }) => sql.table(name)));
      await write((tx) => sql`analyze ${tables}`.execute(tx), { isLong: true });
    },
    emptyPendingLists: () => emptyPendingLists(write),
    async ping() {
      await sql`select 1`.execute(read);
    },
    async close() {
      hosts.close();
      await Promise.all([writers.close(), readers.close()]);
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
