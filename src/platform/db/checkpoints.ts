import { Worker } from 'node:worker_threads';

/** Brings what SQLite has committed from its log into the database. */
export interface Checkpoints {
  afterCommit(): void;
  close(): Promise<void>;
}

const commitsBetween = 256;
/** It holds next to nothing. */
const resourceLimits = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 16 };

/**
 * In a thread of its own, which waits for the disk and copies pages: SQLite would do both within a commit, and hold up everybody. Should the
 * thread fail, or not keep up, SQLite does it all the same once the log is long.
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
    // After a fault it is asked no more.
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

/** What the thread does. It is handed over as text, so that it can name nothing from outside. */
function work(): void {
  const { parentPort, workerData } = process.getBuiltinModule('node:worker_threads');
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const connection = new DatabaseSync(String(workerData));
  parentPort?.on('message', (order: 'checkpoint' | 'close') => {
    if (order === 'close') {
      connection.close();
      return parentPort.close();
    }
    // It waits for nobody who reads or writes, and takes what it can get.
    connection.exec('pragma wal_checkpoint(passive)');
    parentPort.postMessage('done');
  });
}
