import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import type { CompiledQuery, QueryResult } from 'kysely';
import type { StatementListeners } from '../statement-listeners.ts';
import { DatabaseBusy, StatementTimeout } from '../unreachable.ts';
import { type Answers, columnsOf, toParameter, toRow } from './answers.ts';
import { withStablePlan } from './plan.ts';

/** A thread starts when all others are busy: a slow list holds up no other. */
const maxThreads = 3;
/** Threads whose statement took too long end with it: SQLite cannot be interrupted. */
const maxAbandoned = 3;
const maxWaiting = 1_000;
/** Enough for the largest page. */
const resourceLimits = { maxOldGenerationSizeMb: 256 };

export interface ReadThreads extends Answers {
  close(): Promise<void>;
}

interface Dependencies {
  /** Adds the functions that statements may call. It is passed as text, so it must not refer to anything outside. */
  equip(connection: DatabaseSync): void;
  /** In kB, of each thread. */
  readonly cacheSize: number;
  readonly listeners: StatementListeners;
  readonly statementTimeoutMs: number;
}

/** Runs statements in threads: in the main thread a statement of a second would block all requests for a second. */
export function createReadThreads(path: string, needs: Dependencies): ReadThreads {
  const { equip, cacheSize, listeners, statementTimeoutMs } = needs;
  const waiting: Waiting[] = [];
  const threads = new Set<Thread>();
  const abandoned = new Set<Thread>();
  const pending = new Set<Promise<unknown>>();
  let isClosed = false;

  function start(): Thread {
    const worker = new Worker(`(${work})(${equip})`, {
      ...{ eval: true, workerData: { path, cacheSize }, execArgv: [], resourceLimits },
    });
    const thread: Thread = { worker, reading: null, ended: Promise.resolve() };
    const end = (cause: unknown) => {
      threads.delete(thread);
      abandoned.delete(thread);
      release(thread)?.reject(new DatabaseBusy('a thread for lists has ended', { cause }));
      dispatch();
    };
    worker.on('message', (answer: Answer) => {
      const reading = release(thread);
      if ('fault' in answer) reading?.reject(Object.assign(new Error(answer.message), answer.fault));
      else reading?.resolve(answer);
      dispatch();
    });
    thread.ended = new Promise<void>((resolve) => {
      worker.once('error', end);
      worker.once('exit', () => {
        end(null);
        resolve();
      });
    });
    threads.add(thread);
    return thread;
  }

  /** The thread is free again. A process may end while none is busy. */
  function release(thread: Thread): Waiting | undefined {
    const { reading } = thread;
    thread.reading = null;
    if (!reading) return undefined;
    clearTimeout(reading.timer);
    thread.worker.unref();
    return reading;
  }

  function dispatch(): void {
    while (waiting.length > 0) {
      const free = [...threads].find(({ reading }) => reading === null);
      const thread = free ?? (threads.size < maxThreads ? start() : null);
      if (!thread) return;
      const next = waiting.shift();
      if (next) run(thread, next);
    }
  }

  function run(thread: Thread, reading: Waiting): void {
    thread.reading = reading;
    thread.worker.ref();
    thread.worker.postMessage(reading.request);
    reading.timer = setTimeout(() => abandon(thread), statementTimeoutMs);
  }

  function abandon(thread: Thread): void {
    release(thread)?.reject(new StatementTimeout(`a statement took longer than ${statementTimeoutMs} ms`));
    threads.delete(thread);
    abandoned.add(thread);
    void thread.worker.terminate();
    dispatch();
  }

  return {
    async execute<R>(query: CompiledQuery): Promise<QueryResult<R>> {
      listeners.notify(query);
      if (isClosed) throw new Error('the database is closed');
      if (waiting.length >= maxWaiting || abandoned.size >= maxAbandoned)
        throw new DatabaseBusy('too many lists are read already');
      const request: ReadRequest = { text: withStablePlan(query.sql), parameters: query.parameters.map(toParameter) };
      const reading = new Promise<Read>((resolve, reject) => {
        waiting.push({ request, resolve, reject, timer: undefined });
        dispatch();
      });
      pending.add(reading);
      const { columns, rows } = await reading.finally(() => pending.delete(reading));
      const typed = columnsOf(columns);
      // The author of a statement declares its rows.
      return { rows: rows.map((values) => toRow(typed, values)) as R[] };
    },
    async close() {
      isClosed = true;
      await Promise.allSettled(pending);
      const open = [...threads, ...abandoned];
      for (const { worker } of threads) {
        worker.ref();
        worker.postMessage(null);
      }
      await Promise.all(open.map(({ ended }) => ended));
    },
  };
}

interface Thread {
  readonly worker: Worker;
  /** The current read; null if it is idle. */
  reading: Waiting | null;
  ended: Promise<void>;
}

interface Waiting {
  readonly request: ReadRequest;
  resolve(read: Read): void;
  reject(error: unknown): void;
  timer: NodeJS.Timeout | undefined;
}

interface ReadRequest {
  readonly text: string;
  readonly parameters: readonly SQLInputValue[];
}

interface Read {
  readonly columns: ReturnType<StatementSync['columns']>;
  readonly rows: readonly Readonly<Record<number, unknown>>[];
}

type Answer = Read | { readonly message: string; readonly fault: Readonly<Record<string, unknown>> };

/** The thread's code. It is passed as text, so it must not refer to anything outside. */
function work(equip: Dependencies['equip']): void {
  const { parentPort, workerData } = process.getBuiltinModule('node:worker_threads');
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const connection = new DatabaseSync(workerData.path, { readOnly: true, timeout: 10_000 });
  connection.exec(`pragma cache_size = -${workerData.cacheSize}; pragma temp_store = memory`);
  equip(connection);
  const prepared = new Map<string, StatementSync>();
  const preparedLimit = 100;

  function prepare(text: string): StatementSync {
    let statement = prepared.get(text);
    if (!statement) {
      statement = connection.prepare(text);
      statement.setReturnArrays(true);
      if (prepared.size >= preparedLimit) prepared.clear();
      prepared.set(text, statement);
    }
    return statement;
  }

  parentPort?.on('message', (request: ReadRequest | null) => {
    if (!request) {
      connection.close();
      return parentPort.close();
    }
    try {
      const statement = prepare(request.text);
      const columns = statement.columns().map((column) => ({ ...column }));
      parentPort.postMessage({ columns, rows: statement.all(...request.parameters) });
    } catch (error) {
      // Copies of errors lose these members.
      const { message, code, errcode, errstr } = Object(error);
      parentPort.postMessage({ message, fault: { code, errcode, errstr } });
    }
  });
}
