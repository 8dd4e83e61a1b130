import { createHash, createHmac, randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';

export interface Asked {
  readonly code?: number;
  readonly id?: number;
  readonly authenticator?: Buffer;
  readonly secret: string;
  /** Type and value. */
  readonly attributes: readonly (readonly [number, Buffer])[];
  readonly isSigned?: boolean;
}

const md5 = (...parts: Buffer[]) => createHash('md5').update(Buffer.concat(parts)).digest();
const attribute = (type: number, value: Buffer) => Buffer.concat([Buffer.of(type, value.length + 2), value]);

/** A password as it travels (RFC 2865, section 5.2). */
export function hidden(password: string, secret: string, authenticator: Buffer): Buffer {
  const plain = Buffer.from(password);
  const padded = Buffer.concat([plain, Buffer.alloc((16 - (plain.length % 16)) % 16)]);
  let previous = authenticator;
  for (let at = 0; at < padded.length; at += 16) {
    const mask = md5(Buffer.from(secret), previous);
    for (let index = 0; index < 16; index++) padded[at + index] = (padded[at + index] ?? 0) ^ (mask[index] ?? 0);
    previous = Buffer.from(padded.subarray(at, at + 16));
  }
  return padded;
}

/** A request, by default with a Message-Authenticator at its end. */
export function requestOf({
  code = 1,
  id = 1,
  authenticator = randomBytes(16),
  secret,
  attributes,
  isSigned = true,
}: Asked): Buffer {
  const body = Buffer.concat([
    ...attributes.map(([type, value]) => attribute(type, value)),
    ...(isSigned ? [attribute(80, Buffer.alloc(16))] : []),
  ]);
  const length = 20 + body.length;
  const bytes = Buffer.concat([Buffer.of(code, id, length >> 8, length & 0xff), authenticator, body]);
  if (isSigned)
    createHmac('md5', secret)
      .update(bytes)
      .digest()
      .copy(bytes, length - 16);
  return bytes;
}

export interface WireAnswer {
  readonly code: number;
  readonly types: readonly number[];
  readonly values: readonly Buffer[];
  readonly bytes: Buffer;
  /** Whether both authenticators are right. */
  isFrom(secret: string, request: Buffer): boolean;
}

export function readAnswer(bytes: Buffer): WireAnswer {
  const types: number[] = [];
  const values: Buffer[] = [];
  for (let at = 20; at < bytes.length; at += bytes[at + 1] ?? 1) {
    types.push(bytes[at] ?? 0);
    values.push(bytes.subarray(at + 2, at + (bytes[at + 1] ?? 0)));
  }
  return {
    ...{ code: bytes[0] ?? 0, types, values, bytes },
    isFrom(secret, request) {
      const asked = Buffer.concat([bytes.subarray(0, 4), request.subarray(4, 20), bytes.subarray(20)]);
      const zeroed = Buffer.from(asked);
      zeroed.fill(0, 22, 38);
      const isSigned =
        types[0] === 80 && createHmac('md5', secret).update(zeroed).digest().equals(bytes.subarray(22, 38));
      return isSigned && md5(asked, Buffer.from(secret)).equals(bytes.subarray(4, 20));
    },
  };
}

interface Exchange {
  /** The address that they come from. */
  readonly from?: string;
  /** A good request, which is sent last: by its answer the others have had theirs. It is not among the answers. */
  readonly fence?: Buffer;
  /** How long the first answer is waited for. */
  readonly firstWithinMs?: number;
}

/** How long a further answer is waited for. */
const furtherWithinMs = 200;

/** Sends datagrams from one port, and gives as many answers, or those that come. */
export async function exchange(
  port: number,
  datagrams: readonly Buffer[],
  { from = '127.0.0.1', fence, firstWithinMs = 5_000 }: Exchange = {},
): Promise<WireAnswer[]> {
  const socket = createSocket('udp4');
  const answers: WireAnswer[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  let timer = setTimeout(resolve, firstWithinMs);
  socket.on('message', (bytes) => {
    const isFence = fence !== undefined && bytes[1] === fence[1];
    if (!isFence) answers.push(readAnswer(bytes));
    clearTimeout(timer);
    if (answers.length >= datagrams.length) resolve();
    else timer = setTimeout(resolve, isFence || !fence ? furtherWithinMs : firstWithinMs);
  });
  await new Promise<void>((bound) => socket.bind(0, from, bound));
  for (const datagram of fence ? [...datagrams, fence] : datagrams) socket.send(datagram, port, '127.0.0.1');
  await promise;
  clearTimeout(timer);
  socket.close();
  return answers;
}
