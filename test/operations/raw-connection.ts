import { connect, type Socket } from 'node:net';

export interface RawConnection {
  readonly socket: Socket;
  write(text: string): void;
  /** Everything that has come so far. */
  received(): string;
  /** Waits until what has come matches. */
  until(pattern: RegExp, withinMs?: number): Promise<string>;
  /** Waits until the other side hangs up; answers what had come. */
  closed(withinMs?: number): Promise<string>;
}

/** Bytes as they are, for what no HTTP client would send. */
export async function rawConnection(url: string): Promise<RawConnection> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let text = '';
  let isClosed = false;
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    isClosed = true;
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve).once('error', reject);
  });

  async function wait(isThere: () => boolean, withinMs: number, what: string): Promise<string> {
    const end = performance.now() + withinMs;
    while (!isThere()) {
      if (performance.now() > end) throw new Error(`${what} did not come within ${withinMs} ms; so far: ${text}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return text;
  }
  return {
    socket,
    write: (some) => void socket.write(some),
    received: () => text,
    until: (pattern, withinMs = 60_000) => wait(() => pattern.test(text), withinMs, String(pattern)),
    closed: (withinMs = 60_000) => wait(() => isClosed, withinMs, 'the end of the connection'),
  };
}
