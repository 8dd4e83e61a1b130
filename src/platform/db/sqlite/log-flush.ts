import { closeSync, fdatasync, fsyncSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';

/** Flushes what SQLite has committed to disk. */
export interface LogFlush {
  /** Resolves when everything committed so far is on disk. */
  flush(): Promise<void>;
  close(): void;
}

const sync = promisify(fdatasync);

/**
 * Flushes the write-ahead log. SQLite would do so in each commit and block everyone, readers too; here it delays only
 * those who wait for their own write. Requests during a flush share the next one.
 */
export function createLogFlush(databasePath: string): LogFlush {
  let file: number | undefined;
  let running: Promise<void> | null = null;
  let next: Promise<void> | null = null;

  function open(): number {
    const opened = openSync(`${databasePath}-wal`, 'r+');
    // The log may be new, so its directory entry must be on disk too.
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
