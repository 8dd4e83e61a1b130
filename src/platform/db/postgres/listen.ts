import type pg from 'pg';
import type { Connected } from './connect.ts';

const retryMs = 2_000;
/** Poolers drop notifications: then the listener polls. */
const lookEveryMs = 5_000;

/**
 * Holds a connection that listens on a channel; after a reconnect the listener is called, because it may have missed a
 * notification.
 */
export function listenOn(
  connect: () => Promise<Connected>,
  channel: string,
  listener: () => void,
): () => Promise<void> {
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  async function open(): Promise<void> {
    try {
      const connected = await connect();
      if (isClosed || connected.isPooled) await connected.client.end();
      if (isClosed) return;
      if (connected.isPooled) {
        later(lookEveryMs, listener);
      } else {
        client = connected.client;
        client.on('notification', listener);
        client.on('end', () => later(retryMs, open));
        await client.query(`listen ${client.escapeIdentifier(channel)}`);
      }
      listener();
    } catch {
      // The database is unreachable. An open connection ends by itself and emits `end`.
      if (!client) later(retryMs, open);
    }
  }

  function later(afterMs: number, work: () => unknown): void {
    client = undefined;
    if (isClosed) return;
    timer = setTimeout(() => {
      if (work === listener) later(afterMs, work);
      void work();
    }, afterMs);
    timer.unref();
  }

  void open();
  return async () => {
    isClosed = true;
    clearTimeout(timer);
    await client?.end().catch(() => {});
  };
}
