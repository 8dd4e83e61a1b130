import type { ServerResponse } from 'node:http';

const megabyte = 1024 * 1024;
/** Smaller answers are not counted: sockets take them at once. */
const freeBytes = megabyte;
const defaultMaxBytes = 256 * megabyte;

/**
 * Bounds the memory for large answers that their clients are slow to read. Beyond it the connection is closed that has
 * taken longest to read one.
 */
export function createResponseMemoryLimit(
  maxBytes = defaultMaxBytes,
): (response: ServerResponse, bytes: number) => void {
  /** The oldest first. */
  const unread = new Map<ServerResponse, number>();
  let held = 0;

  function release(response: ServerResponse): void {
    held -= unread.get(response) ?? 0;
    unread.delete(response);
  }

  return (response, bytes) => {
    if (bytes <= freeBytes) return;
    unread.set(response, bytes);
    held += bytes;
    response.once('close', () => release(response));
    for (const slowest of unread.keys()) {
      if (held <= maxBytes || slowest === response) return;
      release(slowest);
      slowest.destroy();
    }
  };
}
