import { connect, type Socket } from 'node:net';
import type { BenchRequest } from './recipe.ts';

export interface DriveOrder {
  readonly port: number;
  /** Null for anonymous requests: they come from many addresses, through a proxy. */
  readonly token: string | null;
  readonly requests: readonly BenchRequest[];
  /** The keys for `{target}`, each for one request; the run ends with the last. */
  readonly targets?: readonly number[];
  readonly connections: number;
  readonly seconds: number;
  /** Ends the run after so many requests; by default only time does. */
  readonly total?: number;
  /** Told apart from every other run, so that new names are new. */
  readonly run: string;
}

export interface Drive {
  readonly seconds: number;
  /** In milliseconds, one for each answer. */
  readonly latencies: Float64Array;
  readonly bytes: number;
  /** The first answer that was no success, if there was one. */
  readonly failure: string | null;
}

/**
 * Sends requests over a few kept-open connections, each as soon as the last answer is there. Raw sockets: the driver
 * shall cost less than the cheapest server it measures.
 */
export const drive = (order: DriveOrder): Promise<Drive> => driveWith(order, createRenderer(order));

/** The same with requests of any kind: `render` makes the bytes of each next one; null when there is none left. */
export async function driveWith(
  order: Pick<DriveOrder, 'port' | 'connections' | 'seconds' | 'total' | 'targets'>,
  render: () => string | Buffer | null,
): Promise<Drive> {
  const latencies: number[] = [];
  const { total = order.targets?.length ?? Number.POSITIVE_INFINITY } = order;
  let bytes = 0;
  let sent = 0;
  let failure: string | null = null;
  const started = performance.now();
  const until = started + order.seconds * 1000;

  async function oneConnection(): Promise<void> {
    const socket = await open(order.port);
    await new Promise<void>((resolve, reject) => {
      const reader = createAnswerReader();
      let sentAt = 0;
      const next = () => {
        sentAt = performance.now();
        if (sentAt >= until || sent >= total || failure !== null) return void resolve();
        sent += 1;
        const request = render();
        if (request !== null) return void socket.write(request);
        failure = 'all requests are used up: give fewer seconds or rounds';
        resolve();
      };
      socket.on('data', (chunk: Buffer) => {
        const answer = reader(chunk);
        if (!answer) return;
        latencies.push(performance.now() - sentAt);
        bytes += answer.bytes;
        if (answer.status < 200 || answer.status > 299) failure ??= answer.text;
        next();
      });
      socket.on('error', reject);
      socket.on('close', () => reject(new Error('the server closed a connection')));
      next();
    });
    socket.removeAllListeners('close');
    socket.destroy();
  }

  await Promise.all(Array.from({ length: order.connections }, oneConnection));
  const seconds = (performance.now() - started) / 1000;
  return { seconds, latencies: Float64Array.from(latencies), bytes, failure };
}

/** The bytes of each next request. Those that do not change are made once. */
function createRenderer({ requests, targets, port, token, run }: DriveOrder): () => string | Buffer {
  let count = 0;
  const head = ({ method, path }: BenchRequest) =>
    `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\naccept: application/json\r\n${token === null ? '' : `authorization: Bearer ${token}\r\n`}`;
  const makers = requests.map((request) => {
    const start = head(request);
    if (token === null) return () => `${start}x-forwarded-for: ${clientAddress(count)}\r\n\r\n`;
    if (targets) return () => `${start.replace('{target}', String(targets[count - 1]))}\r\n`;
    if (request.body === undefined) {
      const fixed = Buffer.from(`${start}\r\n`);
      return () => fixed;
    }
    const body = JSON.stringify(request.body);
    return () => {
      const text = fillBody(body, `${run}-${String(count).padStart(7, '0')}`, 1 + (count % 300));
      return `${start}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
    };
  });
  return () => {
    const make = makers[count % makers.length] as () => string | Buffer;
    count += 1;
    return make();
  };
}

/** One of a million addresses: a single one would soon be rate-limited. */
export const clientAddress = (count: number): string => `10.${(count >> 16) & 15}.${(count >> 8) & 255}.${count & 255}`;

export function fillBody(body: string, unique: string, number: number): string {
  return body.replaceAll('{unique}', unique).replace('"{number}"', String(number));
}

async function open(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  return socket;
}

interface Answer {
  readonly status: number;
  readonly bytes: number;
  readonly head: string;
  /** What there is of a refusal, to tell what went wrong. */
  readonly text: string;
}

/** Takes the chunks of a connection and says when an answer is whole. One answer at a time: nothing is pipelined. */
export function createAnswerReader(): (chunk: Buffer) => Answer | null {
  let pending: Buffer | null = null;
  let answer: Answer | null = null;
  let missing = 0;
  return (chunk) => {
    if (answer) {
      missing -= chunk.length;
    } else {
      const bytes = pending ? Buffer.concat([pending, chunk]) : chunk;
      const end = bytes.indexOf('\r\n\r\n');
      if (end === -1) {
        pending = bytes;
        return null;
      }
      pending = null;
      const head = bytes.toString('latin1', 0, end);
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
      missing = end + 4 + length - bytes.length;
      const status = Number(head.slice(9, 12));
      answer = { status, bytes: length, head, text: status < 300 ? '' : bytes.toString() };
    }
    if (missing > 0) return null;
    const whole = answer;
    answer = null;
    return whole;
  };
}
