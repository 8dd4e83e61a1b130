import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makeFolder } from '../../make-folder.ts';
import type { Database } from '../database.ts';
import { createEffects } from '../effects.ts';
import { createStatementListeners } from '../statement-listeners.ts';
import { createTableScout } from '../statement-tables.ts';
import { DiskFull, isOutOfRoom } from '../unreachable.ts';
import { type Answers, answersOf, noting } from './answers.ts';
import { createCheckpoints } from './checkpoints.ts';
import { sqliteDialect } from './dialect.ts';
import { createLogFlush, type LogFlush } from './log-flush.ts';
import { queryOn } from './query.ts';
import { createTableChanges } from './table-changes.ts';
import { createReadThreads } from './threads.ts';
import { requireSqlite } from './version.ts';
import { createSqliteWriter } from './writer.ts';

const rowsAtATime = 500;
/** In kB; the writing connection also serves most reads. */
export const cacheSizes = { writer: 6_000, reader: 4_000, thread: 4_000 };
/** In pages of 4,096 bytes: at this length, the next commit checkpoints if nothing else has. */
const longLog = 16_000;
/** How long the disk counts as full after a write found no room. */
const fullForMs = 10_000;
/** How soon caches see commits of another process. */
const foreignSeenAfterMs = 5;

/**
 * SQLite in process: one connection writes, another reads and never waits for it (WAL). Acknowledged writes are on
 * disk, as with synchronous=FULL, but this process waits for the disk after a commit, not SQLite within it.
 */
export function openSqlite(
  path: string,
  { openLog = createLogFlush, lost = endProcess, statementTimeoutMs = 15_000 }: Options = {},
): Database {
  requireSqlite(process.versions.sqlite ?? '');
  makeFolder(dirname(path));
  const writer = new DatabaseSync(path, { timeout: 10_000 });
  writer.exec(
    `pragma journal_mode = wal; pragma synchronous = normal; pragma foreign_keys = on; pragma recursive_triggers = on; pragma cache_size = -${cacheSizes.writer}; pragma temp_store = memory; pragma wal_autocheckpoint = ${longLog}; pragma journal_size_limit = ${longLog * 4_096}`,
  );
  // From here on it waits for locks by a timer (`sqlite/writer.ts`).
  writer.exec('pragma busy_timeout = 0');
  const reader = new DatabaseSync(path, { readOnly: true, timeout: 10_000 });
  reader.exec(`pragma cache_size = -${cacheSizes.reader}; pragma temp_store = memory`);
  for (const connection of [writer, reader]) addFunctions(connection);

  const listeners = createStatementListeners();
  const effects = createEffects();
  const scout = createTableScout(path, addFunctions);
  // On the writing connection, this number changes when others have committed.
  const dataVersion = writer.prepare('pragma data_version');
  const changes = createTableChanges(everyFew(foreignSeenAfterMs, () => Number(dataVersion.get()?.data_version)));
  const ofReader = answersOf(reader, listeners);
  const ofWriter = answersOf(writer, listeners);
  // A statement that touches no table could do anything, so it runs on the connection that cannot write.
  const isRead = (text: string) => {
    const tables = scout.tablesOf(text);
    return tables !== null && tables.writes.size === 0 && tables.reads.size > 0;
  };
  // A commit invalidates the page caches of other connections, so between transactions the writing connection also
  // serves reads.
  const readAnswers: Answers = {
    execute: (query) => (writer.isTransaction || !isRead(query.sql) ? ofReader : ofWriter).execute(query),
  };
  const threads = createReadThreads(path, {
    ...{ equip: addFunctions, cacheSize: cacheSizes.thread, listeners, statementTimeoutMs },
  });
  const read = queryOn(readAnswers);
  const readInThread = queryOn(threads);
  const writeAnswers = noting(ofWriter, (text) => {
    const tables = scout.tablesOf(text);
    if (tables === null || tables.writes.size > 0) changes.touch(tables?.writes ?? null);
  });
  const log = openLog(path);
  const checkpoints = createCheckpoints(path);
  let fullAt = Number.NEGATIVE_INFINITY;
  const works = createSqliteWriter({
    connection: writer,
    tx: queryOn(writeAnswers),
    effects,
    flush: log.flush,
    lost,
    faultOf(error) {
      if (!isOutOfRoom(error)) return error;
      fullAt = performance.now();
      return new DiskFull(error);
    },
    afterEachCommit() {
      changes.commit();
      checkpoints.afterCommit();
    },
  });

  return {
    dialect: sqliteDialect,
    read,
    readList: (work) => work(readInThread),
    write: works.write,
    async watch(load, by) {
      const tables = new Set<string>();
      let isKnown = true;
      const hasChanged = changes.since(tables);
      const query = queryOn(
        noting(by === readInThread ? threads : readAnswers, (text) => {
          const found = scout.tablesOf(text);
          if (found === null) isKnown = false;
          else for (const table of found.reads) tables.add(table);
        }),
      );
      const value = await load(query);
      return { value, canTell: isKnown, isCurrent: () => isKnown && !hasChanged() };
    },
    refresh: null,
    sawStamp: null,
    scope: (work) => work(),
    afterCommit: effects.add,
    async snapshot() {
      const connection = new DatabaseSync(path, { readOnly: true, timeout: 10_000 });
      // The first read fixes the snapshot, not `begin`.
      connection.exec('begin; select 1 from sqlite_master limit 1');
      return {
        query: queryOn(answersOf(connection, listeners)),
        rows: (table) => rowsOf(connection, table),
        end: async () => connection.close(),
      };
    },
    // There is one instance, and its own commits wake it.
    listen: () => async () => {},
    notify: null,
    onWrite: changes.listen,
    onStatement: listeners.add,
    analyze: null,
    emptyPendingLists: null,
    async ping() {
      reader.prepare('select 1').get();
      // Reads still work, but load balancers should send requests elsewhere.
      if (performance.now() - fullAt < fullForMs) throw new DiskFull(null);
    },
    async close() {
      await works.idle();
      await checkpoints.close();
      await threads.close();
      for (const opened of [reader, writer, scout, log]) opened.close();
    },
  };
}

interface Options {
  openLog?(databasePath: string): LogFlush;
  /** Called if committed data, already visible to others, may not be on disk. */
  lost?(error: unknown): void;
  /** How long a statement of a list may take. */
  readonly statementTimeoutMs?: number;
}

/** Only a restart from what is on disk restores consistency. */
function endProcess(error: unknown): void {
  setImmediate(() => {
    throw error;
  });
}

/** Caches a value that is slow to read for some milliseconds. */
function everyFew<T>(milliseconds: number, read: () => T): () => T {
  let value: T;
  let readAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = performance.now();
    if (now - readAt >= milliseconds) {
      value = read();
      readAt = now;
    }
    return value;
  };
}

async function* rowsOf(connection: DatabaseSync, table: string): AsyncGenerator<Record<string, unknown>[]> {
  let some: Record<string, unknown>[] = [];
  for (const row of connection.prepare(`select * from "${table}"`).iterate()) {
    some.push({ ...row });
    if (some.length < rowsAtATime) continue;
    yield some;
    some = [];
  }
  if (some.length > 0) yield some;
}

/** The read thread gets it as text, so it refers to nothing outside. */
function addFunctions(connection: DatabaseSync): void {
  // SQLite folds case for ASCII only; this one serves search terms with other letters.
  connection.function('contains_folded', { deterministic: true }, (value, term) =>
    typeof value === 'string' && value.toLowerCase().includes(String(term).toLowerCase()) ? 1 : 0,
  );
  connection.function('folded', { deterministic: true }, (value) =>
    typeof value === 'string' ? value.toLowerCase() : value,
  );
  // SQLite compares JSON as text, and its paths have no names with quotation marks.
  connection.function('json_equals_at', { deterministic: true }, (json, path, wanted) => {
    if (typeof json !== 'string') return 0;
    let at: unknown = JSON.parse(json);
    for (const step of JSON.parse(String(path))) {
      // Elements are counted from the end if negative, as on PostgreSQL.
      if (Array.isArray(at)) at = /^-?\d{1,9}$/.test(step) ? at.at(Number(step)) : undefined;
      else at = typeof at === 'object' && at !== null && Object.hasOwn(at, step) ? Reflect.get(at, step) : undefined;
      if (at === undefined) return 0;
    }
    return isSame(at, JSON.parse(String(wanted))) ? 1 : 0;
  });
  /** Members may be in any order. */
  function isSame(one: unknown, other: unknown): boolean {
    if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return one === other;
    if (Array.isArray(one) !== Array.isArray(other)) return false;
    const names = Object.keys(one);
    return (
      names.length === Object.keys(other).length &&
      names.every((name) => Object.hasOwn(other, name) && isSame(Reflect.get(one, name), Reflect.get(other, name)))
    );
  }
}
