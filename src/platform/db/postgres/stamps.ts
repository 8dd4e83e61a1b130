import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database, Query } from '../database.ts';
import { statement } from '../statement.ts';

/**
 * Tables that change with what people do. A change of any other (what administrators set up) sets the stamp, in its own transaction and by a
 * trigger, so that nobody can forget it. Commits that set the stamp wait for each other, so these must not.
 */
const unstamped =
  '^(users|user_.*|authenticated_sessions|tokens|events|event_rollup|event_rollup_state|unmatched_events|jobs|job_workers|notifications|devices?|device_.*|flow_plans|flow_links|oauth2_.*|sign_in_attempts|shared_counts|sms_.*|twofactor_enrolments|policy_reputation_scores|invitations|proxy_sessions|proxy_tests|.*_connections|scim_.*|sync_.*|workspace_directory_.*|cloud_directory_.*|bootstrap_steps|migrations|install|stamps)$';

/** Gives every table that wants one its trigger. To be called after migrations, under their lock. */
export async function addStamps(tx: Query): Promise<void> {
  const { rows } = await sql<{ name: string }>`select c.relname as name from pg_class c
    where c.relnamespace = cast(current_schema() as regnamespace) and c.relkind = 'r' and c.relname !~ ${unstamped}
      and not exists (select from pg_trigger t where t.tgrelid = c.oid and t.tgname = 'stamp')`.execute(tx);
  for (const { name } of rows) {
    await sql`create constraint trigger stamp after insert or update or delete on ${sql.table(name)}
        deferrable initially deferred for each row execute function stamp()`.execute(tx);
  }
}

/** The stamp as a column of another statement; null where there is none. See `Database.sawStamp`. */
export const stampSql = sql<number | null>`(select value from stamps where pk = 1)`;

export interface Stamps extends Required<Pick<Database, 'refresh' | 'scope' | 'sawStamp'>> {
  readonly watch: NonNullable<Database['watch']>;
  /** What was known before a write of one's own is not known any more. */
  forget(): void;
}

interface Scope {
  readonly startedAt: number;
  readAt: number;
}

/** A request that takes longer has the stamp read again. */
const freshForMs = 500;
/** A read that takes longer holds up nobody else. */
const slowAfterMs = 50;

const selectStamp = statement<[], { value: number }>(() => sql`select value from stamps where pk = 1`);

interface Needs {
  readonly read: Query;
  /** A query on the same connections that tells of each text it runs. */
  noting(note: (text: string) => void): Query;
}

/**
 * Tells whether what was read is still so on PostgreSQL, where other instances change it. The stamp is read once for each request, after the
 * request has come; a value is used only while the stamp is the one that was read before the value was loaded.
 */
export function createStamps({ read, noting }: Needs): Stamps {
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

  /** Requests that come while the stamp is being read share the next read: this one may have seen the stamp before they came. */
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
