import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database, Query } from '../database.ts';
import { statement } from '../statement.ts';

type Stored = Pick<Database, 'dialect' | 'read' | 'write'>;

/**
 * Gives every table its trigger, by which each change sets the stamp in its own transaction, except `uncached`: tables
 * that users change, not administrators. Commits that set the stamp wait for each other, so theirs must not. Returns
 * whether anything changed.
 */
export async function stampTables({ dialect, read, write }: Stored, uncached: readonly string[]): Promise<boolean> {
  const differing = (query: Query) =>
    sql<{ name: string; isUncached: boolean }>`select c.relname as name, c.relname = any(${uncached}) as "isUncached"
      from pg_class c where c.relnamespace = cast(current_schema() as regnamespace) and c.relkind = 'r'
      and (c.relname = any(${uncached})) = exists (select from pg_trigger t where t.tgrelid = c.oid and t.tgname = 'stamp')`.execute(
      query,
    );
  if ((await differing(read)).rows.length === 0) return false;
  await write(
    async (tx) => {
      await dialect.exclusive('migrations')?.execute(tx);
      for (const { name, isUncached } of (await differing(tx)).rows) {
        const table = sql.table(name);
        const change = isUncached
          ? sql`drop trigger stamp on ${table}`
          : sql`create constraint trigger stamp after insert or update or delete on ${table}
              deferrable initially deferred for each row execute function stamp()`;
        await change.execute(tx);
      }
    },
    { isLong: true },
  );
  return true;
}

/** The stamp as a column of another statement; null where there is none. See `Database.sawStamp`. */
export const stampSql = sql<number | null>`(select value from stamps where pk = 1)`;

export interface Stamps extends Required<Pick<Database, 'refresh' | 'scope' | 'sawStamp'>> {
  readonly watch: NonNullable<Database['watch']>;
  /** To be called after writes of this instance: the next use of a cached value reads the stamp. */
  forget(): void;
  /** To be called when triggers have changed. */
  forgetTables(): void;
}

interface Scope {
  readonly startedAt: number;
  readAt: number;
}

/** A request that takes longer has the stamp read again. */
const freshForMs = 500;
/** Requests do not wait longer than this for a read that others started. */
const slowAfterMs = 50;

const selectStamp = statement<[], { value: number }>(() => sql`select value from stamps where pk = 1`);

interface Dependencies {
  readonly read: Query;
  /** A query on the same connections that reports the text of each statement. */
  noting(note: (text: string) => void): Query;
}

/**
 * Checks whether cached values are current on PostgreSQL, where other instances write too. The stamp is read once for
 * each request, after the request has arrived; a value is used only while the stamp equals the one that was read before
 * the value was loaded.
 */
export function createStamps({ read, noting }: Dependencies): Stamps {
  const scopes = new AsyncLocalStorage<Scope>();
  let stamp = -1;
  let reading: Promise<void> | null = null;
  let nextReading: Promise<void> | null = null;
  let tables: Promise<ReadonlyMap<string, boolean>> | null = null;

  async function readStamp(): Promise<void> {
    const [row] = await selectStamp(read);
    // Answers may overtake each other; the number only grows.
    stamp = Math.max(stamp, row?.value ?? 0);
  }

  function beginReading(): Promise<void> {
    nextReading = null;
    const own = readStamp().finally(() => {
      if (reading === own) reading = null;
    });
    reading = own;
    return own;
  }

  /**
   * Requests that come while the stamp is being read share the next read: this one may have seen the stamp before they
   * came.
   */
  async function readTogether(): Promise<void> {
    if (!reading) return beginReading();
    nextReading ??= Promise.race([reading.catch(() => {}), setTimeout(slowAfterMs)]).then(beginReading);
    // A connection that breaks fails one request, not all that wait for it.
    await nextReading.catch(readStamp);
  }

  function refresh(): Promise<void> | null {
    const scope = scopes.getStore();
    const now = performance.now();
    if (scope && now - scope.readAt < freshForMs) return null;
    return readTogether().then(() => {
      if (scope) scope.readAt = now;
    });
  }

  /** Which tables there are, and whether their changes set the stamp. */
  async function loadTables(): Promise<ReadonlyMap<string, boolean>> {
    const { rows } = await sql<{ name: string; stamped: boolean }>`select c.relname as name,
      exists (select from pg_trigger t where t.tgrelid = c.oid and t.tgname = 'stamp') as stamped from pg_class c
      where c.relnamespace = cast(current_schema() as regnamespace) and c.relkind in ('r', 'p', 'v', 'm')`.execute(
      read,
    );
    return new Map(rows.map(({ name, stamped }) => [name, stamped]));
  }

  return {
    refresh,
    scope: (work) => scopes.run({ startedAt: performance.now(), readAt: Number.NEGATIVE_INFINITY }, work),
    sawStamp(value) {
      const scope = scopes.getStore();
      stamp = Math.max(stamp, value ?? 0);
      // It was read some time after that.
      if (scope) scope.readAt = Math.max(scope.readAt, scope.startedAt);
    },
    forget() {
      const scope = scopes.getStore();
      if (scope) scope.readAt = Number.NEGATIVE_INFINITY;
    },
    forgetTables() {
      tables = null;
    },
    async watch(load) {
      tables ??= loadTables().catch((error) => {
        tables = null;
        throw error;
      });
      const known = await tables;
      await refresh();
      const loadedAt = stamp;
      const words = new Set<string>();
      const value = await load(
        noting((text) => {
          for (const [word] of text.matchAll(/\w+/g)) words.add(word);
        }),
      );
      // A column may be named as a table is; that only makes this more careful.
      const read = [...words].filter((word) => known.has(word));
      const canTell = read.length > 0 && read.every((table) => known.get(table));
      return { value, canTell, isCurrent: () => canTell && stamp === loadedAt };
    },
  };
}
