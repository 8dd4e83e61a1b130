import { connect, createServer, type Socket } from 'node:net';
import {
  ber,
  type Element,
  elementLength,
  encode,
  encodeText,
  readElements,
  readInteger,
} from '../../src/lib/ldap/ber.ts';
import { freePort } from './free-port.ts';

const [searchRequest, searchEntry] = [0x63, 0x64];

export interface ValueRangeGate {
  readonly url: string;
  /** The ranges that were asked for. */
  readonly asked: string[];
  /** Whether it leaves such questions without values. */
  isMute: boolean;
  /** Whether it answers each with a thousand long values, and never with the last. */
  isEndless: boolean;
  close(): void;
}

/**
 * Stands before a directory, and sends so many values of `member` at a time as Active Directory does ([MS-ADTS],
 * section 3.1.1.3.1.3.3): the attribute itself is empty, and `member;range=0-2` has the first three. The rest is to be
 * asked for.
 */
export async function startValueRangeGate(port: number, max: number): Promise<ValueRangeGate> {
  const own = await freePort();
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    const starts = new Map<number, number>();
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
    }
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
    eachMessage(client, (message) => upstream.write(asked(message, starts)));
    eachMessage(upstream, (message) => client.write(answered(message, starts)));
  });
  await new Promise<void>((resolve) => server.listen(own, '127.0.0.1', resolve));

  /** A search for a range becomes one for the attribute. */
  function asked(message: Buffer, starts: Map<number, number>): Buffer {
    const [id, operation, ...rest] = partsOf(message);
    if (operation?.tag !== searchRequest) return message;
    const parts = readElements(operation.content, { elements: 100 });
    const [wanted] = readElements(parts.at(-1)?.content ?? Buffer.alloc(0), { elements: 100 });
    const [, start] = /^member;range=(\d+)-\*$/.exec(wanted?.content.toString() ?? '') ?? [];
    if (start === undefined) return message;
    gate.asked.push(wanted?.content.toString() ?? '');
    starts.set(readInteger(id), Number(start));
    const attributes = encode(ber.sequence, encodeText('member'));
    const request = encode(searchRequest, ...parts.slice(0, -1).map(again), attributes);
    return encode(ber.sequence, again(id as Element), request, ...rest.map(again));
  }

  function answered(message: Buffer, starts: Map<number, number>): Buffer {
    const [id, operation, ...rest] = partsOf(message);
    if (operation?.tag !== searchEntry) return message;
    const start = starts.get(readInteger(id));
    const [dn, list] = readElements(operation.content, { elements: 10 });
    const attributes = readElements(list?.content ?? Buffer.alloc(0), { elements: 1_000 }).flatMap((attribute) => {
      const [type, set] = readElements(attribute.content, { elements: 10 });
      const values = readElements(set?.content ?? Buffer.alloc(0), { elements: 100_000 });
      if (type?.content.toString() !== 'member' || (start === undefined && values.length <= max))
        return [again(attribute)];
      const from = start ?? 0;
      const part = values.slice(from, from + max);
      const end = from + max >= values.length ? '*' : String(from + max - 1);
      const named = (name: string, some: readonly Element[]) =>
        encode(ber.sequence, encodeText(name), encode(ber.set, ...some.map(again)));
      if (gate.isMute && start !== undefined) return [];
      if (gate.isEndless && start !== undefined) {
        return [named(`member;range=${from}-${from + 999}`, longValues)];
      }
      return [named('member', []), named(`member;range=${from}-${end}`, part)];
    });
    const entry = encode(searchEntry, again(dn as Element), encode(ber.sequence, ...attributes));
    return encode(ber.sequence, again(id as Element), entry, ...rest.map(again));
  }

  const gate: ValueRangeGate = {
    url: `ldap://127.0.0.1:${own}`,
    asked: [],
    isMute: false,
    isEndless: false,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
  return gate;
}

const longValues: readonly Element[] = Array.from({ length: 1_000 }, () => ({
  tag: ber.octetString,
  content: Buffer.alloc(8_000, 'x'),
}));

const again = ({ tag, content }: Element): Buffer => encode(tag, content);

function partsOf(message: Buffer): Element[] {
  const [whole] = readElements(message, { elements: 1 });
  return readElements(whole?.content ?? Buffer.alloc(0), { elements: 10 });
}

function eachMessage(socket: Socket, take: (message: Buffer) => void): void {
  let bytes = Buffer.alloc(0);
  socket.on('data', (data: Buffer) => {
    bytes = Buffer.concat([bytes, data]);
    for (;;) {
      const length = elementLength(bytes, 2 ** 24);
      if (length === null || bytes.length < length) return;
      take(bytes.subarray(0, length));
      bytes = bytes.subarray(length);
    }
  });
}
