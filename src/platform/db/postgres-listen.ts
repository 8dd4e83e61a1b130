import pg from 'pg';

const retryMs = 2_000;

/** Holds a connection that hears a channel; a broken one is made again, and the listener told, since it may have missed something. */
export function listenOn(url: string, channel: string, listener: () => void): () => Promise<void> {
  let client: pg.Client | undefined;
  let retry: NodeJS.Timeout | undefined;
  let isClosed = false;

  async function connect(): Promise<void> {
    const next = new pg.Client({ connectionString: url, keepAlive: true });
    client = next;
    next.on('notification', listener);
    next.on('error', () => again(next));
    next.on('end', () => again(next));
    try {
      await next.connect();
      await next.query(`listen ${next.escapeIdentifier(channel)}`);
      listener();
    } catch {
      // The database is away; `again` tries until it is back.
      again(next);
    }
  }

  function again(broken: pg.Client): void {
    if (isClosed || client !== broken) return;
    client = undefined;
    broken.removeAllListeners();
    broken.on('error', () => {});
    void broken.end().catch(() => {});
    retry = setTimeout(connect, retryMs);
    retry.unref();
  }

  void connect();
  return async () => {
    isClosed = true;
    clearTimeout(retry);
    await client?.end().catch(() => {});
  };
}
