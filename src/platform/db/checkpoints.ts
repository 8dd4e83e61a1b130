import { Worker } from 'node:worker_threads';

/** Brings what SQLite has committed from its log into the database. */
export interface Checkpoints {
  afterCommit(): void;
  close(): Promise<void>;
}

const commitsBetween = 64;

/**
 * In a thread of its own, which waits for the disk and copies pages: SQLite would do both in a commit, and hold up everybody.
 * The writer keeps to that only where the log has become long all the same.
 */
export function createCheckpoints(databasePath: string): Checkpoints {
  let thread: Worker | undefined;
  let commits = 0;
  let isRunning = false;

  function start(): Worker {
    const started = new Worker(`(${work})()`, { eval: true, workerData: databasePath });
    started.on('message', () => {
      isRunning = false;
    });
    // Without it, SQLite does all of it by itself.
    started.on('error', () => {});
    started.unref();
    return started;
  }

  return {
    afterCommit() {
      commits += 1;
      if (isRunning || commits < commitsBetween) return;
      commits = 0;
      isRunning = true;
      thread ??= start();
      thread.postMessage('checkpoint');
    },
    async close() {
      if (!thread) return;
      const ended = new Promise((resolve) => thread?.once('exit', resolve));
      thread.ref();
      thread.postMessage('close');
      await ended;
    },
  };
}

/** What the thread does. It is handed over as text, so that it can name nothing from outside. */
function work(): void {
  const { parentPort, workerData } = process.getBuiltinModule('node:worker_threads');
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const connection = new DatabaseSync(workerData as string);
  parentPort?.on('message', (order: 'checkpoint' | 'close') => {
    if (order === 'close') {
      connection.close();
      return parentPort.close();
    }
    // It never waits for others, and takes what it can get.
    connection.exec('pragma wal_checkpoint(passive)');
    parentPort.postMessage('done');
  });
}
