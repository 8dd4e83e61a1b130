import type { PostgresConnection } from './postgres-connection.ts';
import { isStuckAfterMs } from './postgres-crowd.ts';
import { DatabaseBusy, isFull } from './unreachable.ts';

export type Use = 'read' | 'write';

export interface PostgresPool {
  /** A connection of one's own, until it is released. */
  acquire(use: Use): Promise<PostgresConnection>;
  release(connection: PostgresConnection): void;
  /** Waits for those in use. */
  close(): Promise<void>;
}

interface Needs {
  readonly size: number;
  open(): Promise<PostgresConnection>;
}

interface Waiter {
  readonly since: number;
  readonly resolve: (connection: PostgresConnection) => void;
  readonly reject: (error: unknown) => void;
  readonly timer: NodeJS.Timeout;
}

const waitAtMostMs = 10_000;
const askAgainAfterMs = 500;
const keepIdleMs = 5 * 60_000;
const sweepEveryMs = 60_000;

/**
 * So many connections and no more. A transaction may read outside itself, so transactions get no more than half of them: they can never
 * use up those that they wait for. A quarter is kept for the time when many are stuck, so that whoever needs nothing of what they wait for
 * can go on. When the database refuses one more, whoever waits gets the next that is free.
 */
export function createPostgresPool({ size, open }: Needs): PostgresPool {
  const reserve = size >> 2;
  const maxWriters = (size - reserve) >> 1;
  const idle: PostgresConnection[] = [];
  const inUse = new Map<PostgresConnection, Use>();
  const waiting: Record<Use, Waiter[]> = { read: [], write: [] };
  let count = 0;
  let opening = 0;
  let refusal: unknown = null;
  let askAgain: NodeJS.Timeout | undefined;
  let look: NodeJS.Timeout | undefined;
  let closed: (() => void) | null = null;

  /** How many more may be in use, of all and of those that write. */
  function free(): { all: number; writers: number } {
    let all = size - reserve;
    let writers = maxWriters;
    for (const [connection, use] of inUse) {
      if (connection.isStuck) continue;
      all -= 1;
      if (use === 'write') writers -= 1;
    }
    return { all: Math.min(all, size - inUse.size), writers };
  }

  /** Whoever has waited longest, of those who may have one. */
  function next(): Use | null {
    if (waiting.read.length + waiting.write.length === 0) return null;
    const { all, writers } = free();
    if (all <= 0) return null;
    const mayWrite = waiting.write.length > 0 && writers > 0;
    if (!mayWrite) return waiting.read.length > 0 ? 'read' : null;
    const reader = waiting.read[0];
    // `mayWrite`: somebody waits to write.
    return reader && reader.since <= (waiting.write[0] as Waiter).since ? 'read' : 'write';
  }

  function take(use: Use): Waiter {
    // `next` names a queue only while somebody waits in it.
    const waiter = waiting[use].shift() as Waiter;
    clearTimeout(waiter.timer);
    return waiter;
  }

  function serve(): void {
    for (let use = next(); use && idle.length > 0; use = next()) {
      // The loop goes on only while some are idle.
      const connection = idle.pop() as PostgresConnection;
      inUse.set(connection, use);
      take(use).resolve(connection);
    }
    const { all, writers } = free();
    const wanted = Math.min(all, waiting.read.length + Math.min(waiting.write.length, Math.max(0, writers)));
    while (refusal === null && opening < wanted && count < size) openOne();
    if (waiting.read.length + waiting.write.length > 0) lookAgain();
  }

  /** Nobody says when a connection gets stuck. */
  function lookAgain(): void {
    look ??= setTimeout(() => {
      look = undefined;
      serve();
    }, isStuckAfterMs / 4);
  }

  function openOne(): void {
    count += 1;
    opening += 1;
    const since = performance.now();
    open().then(
      (connection) => {
        opening -= 1;
        connection.onEnd(() => forget(connection));
        giveBack(connection);
      },
      (error) => {
        opening -= 1;
        gone();
        if (isFull(error)) waitForOwn(error);
        else failOne(error, since);
      },
    );
  }

  function waitForOwn(error: unknown): void {
    refusal = error;
    askAgain ??= setTimeout(() => {
      askAgain = undefined;
      refusal = null;
      serve();
    }, askAgainAfterMs);
  }

  /** Whoever came after the attempt began gets another. */
  function failOne(error: unknown, since: number): void {
    const use = next();
    if (use && (waiting[use][0] as Waiter).since <= since) take(use).reject(error);
    serve();
  }

  function giveBack(connection: PostgresConnection): void {
    if (!closed && connection.isUsable) {
      connection.idleSince = performance.now();
      idle.push(connection);
    } else {
      void connection.close().catch(() => {});
      gone();
    }
    serve();
  }

  function gone(): void {
    count -= 1;
    if (count === 0) closed?.();
  }

  /** One that nobody uses has broken. */
  function forget(connection: PostgresConnection): void {
    const index = idle.indexOf(connection);
    if (index === -1) return;
    idle.splice(index, 1);
    gone();
  }

  const sweep = setInterval(() => {
    const oldest = performance.now() - keepIdleMs;
    for (const connection of idle.filter(({ idleSince }) => idleSince < oldest)) {
      forget(connection);
      void connection.close().catch(() => {});
    }
  }, sweepEveryMs);
  sweep.unref();

  return {
    acquire(use) {
      if (closed) return Promise.reject(new Error('the database is closed'));
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting[use] = waiting[use].filter((other) => other !== waiter);
          reject(refusal ?? new DatabaseBusy(`no connection to the database was free within ${waitAtMostMs} ms`));
        }, waitAtMostMs);
        const waiter: Waiter = { since: performance.now(), resolve, reject, timer };
        waiting[use].push(waiter);
        serve();
      });
    },
    release(connection) {
      inUse.delete(connection);
      giveBack(connection);
    },
    close() {
      clearInterval(sweep);
      clearTimeout(askAgain);
      clearTimeout(look);
      return new Promise((resolve) => {
        closed = resolve;
        for (const connection of idle.splice(0)) {
          void connection.close().catch(() => {});
          gone();
        }
        if (count === 0) resolve();
      });
    },
  };
}
