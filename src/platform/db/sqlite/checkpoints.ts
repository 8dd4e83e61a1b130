import { Worker } from 'node:worker_threads';

/** Moves committed pages from SQLite's write-ahead log into the database. */
export interface Checkpoints {
  afterCommit(): void;
  close(): Promise<void>;
}

const commitsBetween = 256;
/** The thread holds almost nothing. */
const resourceLimits = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 16 };

/**
 * Runs in a thread of its own, which waits for the disk and copies pages: SQLite would do both within a commit and
 * block everyone. If the thread fails or falls behind, SQLite checkpoints by itself once the log is long.
 */
export function createCheckpoints(databasePath: string): Checkpoints {
  let thread: { readonly worker: Worker; readonly ended: Promise<unknown> } | undefined;
  let commits = 0;
  let isRunning = false;

  function start() {
    const worker = new Worker(`(${work})()`, { eval: true, workerData: databasePath, execArgv: [], resourceLimits });
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    worker.on('message', () => {
      isRunning = false;
    });
    // After a fault the thread is not used again.
    worker.on('error', () => {});
    worker.unref();
    return { worker, ended };
  }

  return {
    afterCommit() {
      commits += 1;
      if (isRunning || commits < commitsBetween) return;
      commits = 0;
      isRunning = true;
      thread ??= start();
      thread.worker.postMessage('checkpoint');
    },
    async close() {
      if (!thread) return;
      thread.worker.ref();
      thread.worker.postMessage('close');
      await thread.ended;
    },
  };
}

/** The thread's code. It is passed as text, so it must not refer to anything outside. */
function work(): void {
  const { parentPort, workerData } = process.getBuiltinModule('node:worker_threads');
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const connection = new DatabaseSync(String(workerData));
  parentPort?.on('message', (order: 'checkpoint' | 'close') => {
    if (order === 'close') {
      connection.close();
      return parentPort.close();
    }
    // Passive: waits for no readers or writers, and copies what it can.
    connection.exec('pragma wal_checkpoint(passive)');
    parentPort.postMessage('done');
  });
}
