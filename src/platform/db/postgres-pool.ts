import type { PostgresConnection } from './postgres-connection.ts';
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
 * use up those that they wait for. When the database refuses one more, whoever waits gets the next that is free.
 */
export function createPostgresPool({ size, open }: Needs): PostgresPool {
  const mostWriters = Math.max(1, Math.floor(size / 2));
  const idle: PostgresConnection[] = [];
  const writers = new Set<PostgresConnection>();
  const waiting: Record<Use, Waiter[]> = { read: [], write: [] };
  let count = 0;
  let opening = 0;
  let refusal: unknown = null;
  let askAgain: NodeJS.Timeout | undefined;
  let closed: (() => void) | null = null;

  /** How many of those who wait could use a connection. */
  const wanted = (): number =>
    waiting.read.length + Math.min(waiting.write.length, Math.max(0, mostWriters - writers.size));

  /** Whoever has waited longest, of those who may have one. */
  function next(): Use | null {
    const mayWrite = waiting.write.length > 0 && writers.size < mostWriters;
    if (!mayWrite) return waiting.read.length > 0 ? 'read' : null;
    const reader = waiting.read[0];
    return reader && reader.since <= (waiting.write[0] as Waiter).since ? 'read' : 'write';
  }

  function take(use: Use): Waiter {
    const waiter = waiting[use].shift() as Waiter;
    clearTimeout(waiter.timer);
    return waiter;
  }

  function serve(): void {
    for (let use = next(); use && idle.length > 0; use = next()) {
      const connection = idle.pop() as PostgresConnection;
      if (use === 'write') writers.add(connection);
      take(use).resolve(connection);
    }
    while (refusal === null && opening < wanted() && count < size) openOne();
  }

  function openOne(): void {
    count += 1;
    opening += 1;
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
        else failOne(error);
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

  function failOne(error: unknown): void {
    const use = next();
    if (use) take(use).reject(error);
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
      writers.delete(connection);
      giveBack(connection);
    },
    close() {
      clearInterval(sweep);
      clearTimeout(askAgain);
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
