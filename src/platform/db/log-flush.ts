import { closeSync, fdatasync, fsyncSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';

/** Has the disk keep what SQLite has committed. */
export interface LogFlush {
  /** Resolves when everything that is committed by now is on the disk. */
  flush(): Promise<void>;
  close(): void;
}

const sync = promisify(fdatasync);

/**
 * Flushes the log beside a database. SQLite would do it in each commit and hold up everybody meanwhile, readers too; done here
 * it holds up only those who wait for their own write. Whoever asks while it is done waits for the next time, together
 * with all who ask until then.
 */
export function createLogFlush(databasePath: string): LogFlush {
  let file: number | undefined;
  let running: Promise<void> | null = null;
  let next: Promise<void> | null = null;

  function open(): number {
    const opened = openSync(`${databasePath}-wal`, 'r+');
    // The log may be new: its name must be on the disk as well.
    const folder = openSync(dirname(databasePath), 'r');
    fsyncSync(folder);
    closeSync(folder);
    return opened;
  }

  async function begin(): Promise<void> {
    next = null;
    file ??= open();
    running = sync(file);
    try {
      await running;
    } finally {
      running = null;
    }
  }

  return {
    flush() {
      if (!running) return begin();
      next ??= running.then(begin, begin);
      return next;
    },
    close() {
      if (file !== undefined) closeSync(file);
    },
  };
}
