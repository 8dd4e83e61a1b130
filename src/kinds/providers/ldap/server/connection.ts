import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { BerError, ber, elementLength } from '../../../../lib/ldap/ber.ts';
import { encodeExtended, type Message, maxMessageLength, readMessage } from '../../../../lib/ldap/message.ts';
import { limits } from './limits.ts';

/** One operation in progress. */
export interface Running {
  readonly message: Message;
  /** Aborts when the client abandons it, binds again or disconnects. */
  readonly signal: AbortSignal;
  /** Resolves once the client may get more. */
  send(bytes: Buffer): Promise<void>;
}

export interface ConnectionHandler {
  /** Answers an operation. Those that are `exclusive` run alone: everything before them is over. */
  handle(running: Running): Promise<void>;
  isExclusive(message: Message): boolean;
  /** An exception that `handle` did not turn into an answer. */
  failed(error: unknown): void;
  closed(): void;
}

export interface Connection {
  /** When it last sent or received. */
  readonly lastUsed: number;
  /** Whether a message or an answer has begun and is not through. */
  readonly isBusy: boolean;
  abandon(id: number): void;
  /** Goes on over another socket, which encrypts. False if the client has sent more in the clear than it may. */
  secure(upgrade: (socket: Socket) => Socket): boolean;
  /** Ends the connection, and tells the client why. */
  disconnect(code: 'protocolError' | 'unavailable' | 'busy', message: string): void;
  destroy(): void;
}

/** RFC 4511, section 4.4.1 */
export const noticeOfDisconnection = '1.3.6.1.4.1.1466.20036';
const nothing: Buffer = Buffer.alloc(0);
/** Messages that are read before others get their turn. */
const inOneGo = 20;

/** Reads messages off a socket, runs their operations side by side, and bounds both. */
export function openConnection(first: Socket, handler: ConnectionHandler): Connection {
  let socket = first;
  let unread = nothing;
  let isReading = false;
  let isClosed = false;
  let lastUsed = Date.now();
  let waiting = 0;
  const running = new Map<number, { readonly abort: AbortController; readonly done: Promise<void> }>();

  const onData = (chunk: Buffer) => {
    lastUsed = Date.now();
    unread = unread.length === 0 ? chunk : Buffer.concat([unread, chunk]);
    // What is read meanwhile waits in the kernel, which slows the client down.
    socket.pause();
    void read();
  };
  const onError = () => destroy();
  const onClose = () => finish();

  attach();

  function attach(): void {
    socket.setNoDelay(true);
    socket.on('data', onData);
    socket.on('error', onError);
    socket.on('close', onClose);
  }

  function finish(): void {
    if (isClosed) return;
    isClosed = true;
    unread = nothing;
    abortAll();
    handler.closed();
  }

  function abortAll(): void {
    for (const { abort } of running.values()) abort.abort();
  }

  /** The next message, if all of it has arrived. */
  function take(): Message | null {
    // Clients of other protocols would wait for an answer to what is no message.
    if (unread.length > 0 && unread[0] !== ber.sequence) throw new BerError('a message is a sequence');
    const length = elementLength(unread, maxMessageLength);
    if (length === null || unread.length < length) return null;
    const bytes = unread.subarray(0, length);
    unread = unread.subarray(length);
    return readMessage(bytes);
  }

  async function read(): Promise<void> {
    if (isReading) return;
    isReading = true;
    try {
      for (let count = 1; !isClosed; count++) {
        const message = take();
        if (!message) break;
        await begin(message);
        if (count % inOneGo === 0) await setImmediate();
      }
      // A view would keep all that was ever received with it.
      unread = unread.length === 0 ? nothing : Buffer.from(unread);
      if (!isClosed) socket.resume();
    } catch (error) {
      if (error instanceof BerError) disconnect('protocolError', error.message);
      else fail(error);
    } finally {
      isReading = false;
    }
  }

  async function begin(message: Message): Promise<void> {
    if (message.operation.op === 'unbind') return destroy();
    if (message.operation.op === 'abandon') return abandon(message.operation.id);
    if (running.has(message.id)) throw new BerError('the number of the message is in use');
    if (handler.isExclusive(message)) {
      abortAll();
      await Promise.all([...running.values()].map(({ done }) => done));
      return run(message);
    }
    while (running.size >= limits.operations && !isClosed)
      await Promise.race([...running.values()].map(({ done }) => done));
    void run(message);
  }

  function run(message: Message): Promise<void> {
    const abort = new AbortController();
    const done = handler
      .handle({ message, signal: abort.signal, send })
      .catch(fail)
      .finally(() => running.delete(message.id));
    running.set(message.id, { abort, done });
    return done;
  }

  function fail(error: unknown): void {
    if (isClosed) return;
    handler.failed(error);
    disconnect('unavailable', 'The operation could not be carried out.');
  }

  function send(bytes: Buffer): Promise<void> {
    if (isClosed || !socket.writable) return Promise.resolve();
    const target = socket;
    // Entries of one search leave together, as far as they are there at once.
    if (target.writableCorked === 0) {
      target.cork();
      process.nextTick(() => target.uncork());
    }
    if (target.write(bytes)) return Promise.resolve();
    waiting++;
    return new Promise((resolve) => {
      const go = () => {
        waiting--;
        lastUsed = Date.now();
        target.off('drain', go);
        target.off('close', go);
        resolve();
      };
      target.on('drain', go);
      target.on('close', go);
    });
  }

  function abandon(id: number): void {
    running.get(id)?.abort.abort();
  }

  function disconnect(code: 'protocolError' | 'unavailable' | 'busy', message: string): void {
    if (isClosed) return;
    if (socket.writable) socket.end(encodeExtended(0, { code, message }, { oid: noticeOfDisconnection }));
    socket.off('data', onData);
    // Who does not close its side is cut off.
    const over = setTimeout(destroy, 1_000);
    over.unref();
    socket.resume();
    finish();
  }

  function destroy(): void {
    socket.destroy();
    finish();
  }

  return {
    get lastUsed() {
      return lastUsed;
    },
    get isBusy() {
      return waiting > 0 || unread.length > 0;
    },
    abandon,
    secure(upgrade) {
      // Read as if it had come encrypted, it would be an attacker's prefix to the client's own messages.
      if (unread.length > 0) return false;
      socket.off('data', onData);
      socket.off('close', onClose);
      socket = upgrade(socket);
      attach();
      return true;
    },
    disconnect,
    destroy,
  };
}
