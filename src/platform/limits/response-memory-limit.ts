import type { ServerResponse } from 'node:http';

const megabyte = 1024 * 1024;
/** Smaller responses are not counted: they fit into the buffers of the socket. */
const freeBytes = megabyte;
const defaultMaxBytes = 256 * megabyte;

/**
 * Bounds the memory for large responses that clients are slow to read (slow-read attack). Beyond the limit, the
 * connection that has taken longest is closed.
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
