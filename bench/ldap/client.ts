import { connect, type Socket } from 'node:net';
import {
  application,
  ber,
  constructed,
  contentOf,
  context,
  elementLength,
  encode,
  encodeBoolean,
  encodeInteger,
  encodeText,
  readElements,
  readInteger,
} from '../../src/lib/ldap/ber.ts';

/** A search below a base, for two attributes. */
export interface BenchSearch {
  readonly base: string;
  readonly filter: Buffer;
  readonly paging?: { readonly size: number; readonly cookie: Buffer };
}

export const equals = (attribute: string, value: string): Buffer =>
  encode(context | constructed | 3, encodeText(attribute), encodeText(value));

export const contains = (attribute: string, part: string): Buffer =>
  encode(context | constructed | 4, encodeText(attribute), encode(ber.sequence, encodeText(part, context | 1)));

const pagedResults = '1.2.840.113556.1.4.319';

interface Answer {
  readonly entries: number;
  readonly code: number;
  /** Where the next page goes on; empty after the last one. */
  readonly cookie: Buffer;
}

/** A connection that sends one request after the other. It reads no more of entries than their length. */
export class BenchClient {
  readonly #socket: Socket;
  #unread: Buffer = Buffer.alloc(0);
  #entries = 0;
  #done: ((answer: Answer) => void) | null = null;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
  }

  static async open(port: number): Promise<BenchClient> {
    const socket = connect(port, '127.0.0.1');
    await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    return new BenchClient(socket.setNoDelay(true));
  }

  async bind(name: string, password: string): Promise<void> {
    await this.#ask(encode(application, encodeInteger(3), encodeText(name), encodeText(password, context)));
  }

  search({ base, filter, paging }: BenchSearch): Promise<Answer> {
    const operation = encode(
      application | 3,
      ...[encodeText(base), encodeInteger(2, ber.enumerated), encodeInteger(0, ber.enumerated)],
      ...[encodeInteger(0), encodeInteger(0), encodeBoolean(false), filter],
      encode(ber.sequence, encodeText('uid'), encodeText('mail')),
    );
    const control = paging && [
      encode(
        context | constructed,
        encode(
          ber.sequence,
          encodeText(pagedResults),
          encodeText(encode(ber.sequence, encodeInteger(paging.size), encodeText(paging.cookie))),
        ),
      ),
    ];
    return this.#ask(operation, control);
  }

  close(): void {
    this.#socket.destroy();
  }

  async #ask(operation: Buffer, controls: readonly Buffer[] = []): Promise<Answer> {
    const answer = await new Promise<Answer>((resolve, reject) => {
      this.#done = resolve;
      this.#socket.once('close', () => reject(new Error('the server has closed the connection')));
      this.#socket.write(encode(ber.sequence, encodeInteger(1), operation, ...controls));
    });
    this.#socket.removeAllListeners('close');
    if (answer.code !== 0) throw new Error(`an operation ended with ${answer.code}`);
    return answer;
  }

  #read(chunk: Buffer): void {
    const bytes = this.#unread.length === 0 ? chunk : Buffer.concat([this.#unread, chunk]);
    let at = 0;
    for (;;) {
      const rest = bytes.subarray(at);
      const length = elementLength(rest, 2 ** 30);
      if (length === null || rest.length < length) break;
      at += length;
      this.#take(rest.subarray(0, length));
    }
    this.#unread = Buffer.from(bytes.subarray(at));
  }

  #take(message: Buffer): void {
    const budget = { elements: 1_000 };
    const [whole] = readElements(message, budget);
    const [, operation, controls] = readElements(contentOf(whole, ber.sequence), budget);
    if (operation?.tag === (application | 4)) {
      this.#entries += 1;
      return;
    }
    const [code] = readElements(operation?.content ?? Buffer.alloc(0), budget);
    const answer = {
      entries: this.#entries,
      code: readInteger(code, ber.enumerated),
      cookie: cookieIn(controls?.content),
    };
    this.#entries = 0;
    this.#done?.(answer);
  }
}

function cookieIn(controls: Buffer | undefined): Buffer {
  if (!controls) return Buffer.alloc(0);
  const budget = { elements: 100 };
  for (const control of readElements(controls, budget)) {
    const [oid, ...rest] = readElements(control.content, budget);
    if (oid?.content.toString() !== pagedResults) continue;
    const [value] = readElements(rest.at(-1)?.content ?? Buffer.alloc(0), budget);
    const [, cookie] = readElements(value?.content ?? Buffer.alloc(0), budget);
    return Buffer.from(cookie?.content ?? Buffer.alloc(0));
  }
  return Buffer.alloc(0);
}
