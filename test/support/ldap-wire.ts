import { connect, type Socket } from 'node:net';
import {
  application,
  ber,
  contentOf,
  context,
  type Element,
  elementLength,
  encode,
  encodeBoolean,
  encodeInteger,
  encodeText,
  readElements,
  readInteger,
} from '../../src/lib/ldap/ber.ts';

/** Messages as clients write them. */
const message = (id: number, operation: Buffer): Buffer => encode(ber.sequence, encodeInteger(id), operation);

export const bindMessage = (id: number, name: string, password: string): Buffer =>
  message(id, encode(application | 0, encodeInteger(3), encodeText(name), encodeText(password, context)));

export const startTlsMessage = (id: number): Buffer =>
  message(id, encode(application | 23, encodeText('1.3.6.1.4.1.1466.20037', context)));

export const abandonMessage = (id: number, abandoned: number): Buffer => message(id, encodeInteger(abandoned, 0x50));

export const unbindMessage = (id: number): Buffer => message(id, encode(0x42));

export const present = (attribute: string): Buffer => encodeText(attribute, context | 7);

export const searchMessage = (
  id: number,
  base: string,
  { filter = present('objectClass'), scope = 2 }: { readonly filter?: Buffer; readonly scope?: number } = {},
): Buffer =>
  message(
    id,
    encode(
      application | 3,
      encodeText(base),
      encodeInteger(scope, ber.enumerated),
      encodeInteger(0, ber.enumerated),
      encodeInteger(0),
      encodeInteger(0),
      encodeBoolean(false),
      filter,
      encode(ber.sequence),
    ),
  );

export interface WireAnswer {
  readonly id: number;
  /** The number of the response: 1 bind, 4 entry, 5 search done, 24 extended. */
  readonly operation: number;
  /** The result code; null for entries. */
  readonly code: number | null;
}

function answerIn(bytes: Buffer): WireAnswer {
  const budget = { elements: 100_000 };
  const [whole] = readElements(bytes, budget);
  const [id, operation] = readElements(contentOf(whole, ber.sequence), budget) as [Element, Element];
  const number = operation.tag & 0x1f;
  const [code] = readElements(operation.content, budget);
  return { id: readInteger(id), operation: number, code: number === 4 ? null : readInteger(code, ber.enumerated) };
}

export interface Wire {
  readonly socket: Socket;
  readonly answers: readonly WireAnswer[];
  send(...messages: readonly Buffer[]): void;
  /** Resolves with the first answer that fits. */
  answer(fits: (answer: WireAnswer) => boolean): Promise<WireAnswer>;
  readonly closed: Promise<void>;
}

/** A connection that sends what it is told, byte by byte. */
export async function connectWire(url: string, localAddress?: string): Promise<Wire> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), ...(localAddress && { localAddress }) });
  const answers: WireAnswer[] = [];
  const waiting = new Set<() => void>();
  let unread: Buffer = Buffer.alloc(0);
  let isClosed = false;
  socket.on('data', (chunk: Buffer) => {
    unread = Buffer.concat([unread, chunk]);
    for (let length = elementLength(unread, 2 ** 28); length !== null && unread.length >= length; ) {
      answers.push(answerIn(unread.subarray(0, length)));
      unread = unread.subarray(length);
      length = elementLength(unread, 2 ** 28);
    }
    for (const look of waiting) look();
  });
  socket.on('error', () => {
    // It is closed then.
  });
  const closed = new Promise<void>((resolve) =>
    socket.on('close', () => {
      isClosed = true;
      for (const look of waiting) look();
      resolve();
    }),
  );
  await new Promise<void>((resolve) => {
    socket.once('connect', resolve);
    socket.once('close', () => resolve());
  });
  return {
    ...{ socket, answers, closed },
    send: (...messages) => void socket.write(Buffer.concat(messages)),
    answer: (fits) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = answers.find(fits);
          if (!found && !isClosed) return;
          waiting.delete(look);
          if (found) resolve(found);
          else reject(new Error(`closed without the answer: ${JSON.stringify(answers.slice(-3))}`));
        };
        waiting.add(look);
        look();
      }),
  };
}
