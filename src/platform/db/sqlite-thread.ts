import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import type { CompiledQuery, QueryResult } from 'kysely';
import { type Answers, columnsOf, toParameter, toRow } from './sqlite-answers.ts';
import { withStablePlan } from './sqlite-plan.ts';
import type { StatementListeners } from './statement-listeners.ts';
import { DatabaseBusy } from './unreachable.ts';

/** More are refused: each may take seconds. */
const maxWaiting = 50;
/** Enough for the largest page. */
const resourceLimits = { maxOldGenerationSizeMb: 256 };

export interface ReadThread extends Answers {
  /** Runs a statement only to see how many milliseconds it takes. */
  time(query: CompiledQuery): Promise<number>;
  close(): Promise<void>;
}

interface Needs {
  /** Adds the functions that statements may call. It is passed as text, so it must not refer to anything outside. */
  equip(connection: DatabaseSync): void;
  /** In kB. */
  readonly cacheSize: number;
  readonly listeners: StatementListeners;
}

/**
 * Runs statements one after the other in a thread of its own: in the main thread a statement of a second would hold up everybody
 * for a second. It starts with the first one.
 */
export function createReadThread(path: string, { equip, cacheSize, listeners }: Needs): ReadThread {
  const waiting: Waiting[] = [];
  let thread: { readonly worker: Worker; readonly ended: Promise<unknown> } | undefined;
  let isClosed = false;

  function start() {
    const worker = new Worker(`(${work})(${equip})`, {
      ...{ eval: true, workerData: { path, cacheSize }, execArgv: [], resourceLimits },
    });
    worker.on('message', (answer: Answer) => {
      const next = waiting.shift();
      // A process may end while nobody waits.
      if (waiting.length === 0) worker.unref();
      if ('fault' in answer) next?.reject(Object.assign(new Error(answer.message), answer.fault));
      else next?.resolve(answer);
    });
    const ended = new Promise<void>((resolve) => {
      worker.once('error', (error) => end(error));
      worker.once('exit', () => {
        end(null);
        resolve();
      });
    });
    return { worker, ended };
  }

  /** The next statement starts another thread. */
  function end(cause: unknown): void {
    thread = undefined;
    for (const { reject } of waiting.splice(0))
      reject(new DatabaseBusy('the thread for long reads has ended', { cause }));
  }

  async function read(query: CompiledQuery): Promise<Read> {
    listeners.notify(query);
    if (isClosed) throw new Error('the database is closed');
    if (waiting.length >= maxWaiting) throw new DatabaseBusy('too many long reads wait already');
    thread ??= start();
    const { worker } = thread;
    worker.ref();
    const request: ReadRequest = { text: withStablePlan(query.sql), parameters: query.parameters.map(toParameter) };
    return new Promise<Read>((resolve, reject) => {
      waiting.push({ resolve, reject });
      worker.postMessage(request);
    });
  }

  return {
    async execute<R>(query: CompiledQuery): Promise<QueryResult<R>> {
      const { columns, rows } = await read(query);
      const typed = columnsOf(columns);
      // The author of a statement declares its rows.
      return { rows: rows.map((values) => toRow(typed, values)) as R[] };
    },
    time: async (query) => (await read(query)).tookMs,
    async close() {
      isClosed = true;
      if (!thread) return;
      const { worker, ended } = thread;
      worker.ref();
      worker.postMessage(null);
      await ended;
    },
  };
}

interface Waiting {
  resolve(read: Read): void;
  reject(error: unknown): void;
}

interface ReadRequest {
  readonly text: string;
  readonly parameters: readonly SQLInputValue[];
}

interface Read {
  readonly columns: ReturnType<StatementSync['columns']>;
  readonly rows: readonly Readonly<Record<number, unknown>>[];
  readonly tookMs: number;
}

type Answer = Read | { readonly message: string; readonly fault: Readonly<Record<string, unknown>> };

/** The thread's code. It is passed as text, so it must not refer to anything outside. */
function work(equip: Needs['equip']): void {
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
      const started = performance.now();
      const rows = statement.all(...request.parameters);
      parentPort.postMessage({ columns, rows, tookMs: performance.now() - started });
    } catch (error) {
      // Copies of errors lose these members.
      const { message, code, errcode, errstr } = Object(error);
      parentPort.postMessage({ message, fault: { code, errcode, errstr } });
    }
  });
}
