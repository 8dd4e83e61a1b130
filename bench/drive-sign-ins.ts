import { connect, type Socket } from 'node:net';
import { clientAddress, createAnswerReader, type Drive } from './drive.ts';

export interface SignInOrder {
  readonly signIn: { readonly flow: string; readonly names: readonly string[]; readonly password: string };
  readonly port: number;
  readonly connections: number;
  readonly seconds: number;
}

/**
 * People who sign in, each from an address of their own: the first question, the name, the password. One latency for
 * each.
 */
export async function driveSignIns({ signIn, port, connections, seconds }: SignInOrder): Promise<Drive> {
  const { flow, names, password } = signIn;
  const path = `/api/v3/flows/executor/${flow}/?query=`;
  const latencies: number[] = [];
  let count = 0;
  let bytes = 0;
  const started = performance.now();
  const until = started + seconds * 1000;

  async function oneConnection(): Promise<void> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const send = createSender(socket, port);
    while (performance.now() < until) {
      count += 1;
      const from = clientAddress(count);
      // Chosen now: others count on meanwhile, and would sign in the same person at once.
      const uid_field = names[count % names.length];
      const begun = performance.now();
      const first = await send('GET', path, from, '', null);
      const second = await send('POST', path, from, first.cookie, { uid_field });
      const last = await send('POST', path, from, second.cookie, { password });
      if (!last.head.includes('gatehouse_session=')) throw new Error(`no user was signed in: ${last.head}`);
      latencies.push(performance.now() - begun);
      bytes += last.bytes;
    }
    socket.destroy();
  }

  try {
    await Promise.all(Array.from({ length: connections }, oneConnection));
  } catch (error) {
    return { seconds, latencies: new Float64Array(), bytes, failure: String(error) };
  }
  const took = (performance.now() - started) / 1000;
  return { seconds: took, latencies: Float64Array.from(latencies), bytes, failure: null };
}

interface Reply {
  readonly head: string;
  readonly bytes: number;
  /** The cookie of the walk. */
  readonly cookie: string;
}

function createSender(socket: Socket, port: number) {
  const reader = createAnswerReader();
  let fail: (error: Error) => void = () => {};
  socket.on('error', (error) => fail(error));
  return (method: string, path: string, from: string, cookie: string, body: object | null): Promise<Reply> =>
    new Promise((resolve, reject) => {
      fail = reject;
      const text = body ? JSON.stringify(body) : '';
      const content = body ? `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n` : '';
      const onData = (chunk: Buffer) => {
        const answer = reader(chunk);
        if (!answer) return;
        socket.off('data', onData);
        const set = /\r\nset-cookie: (gatehouse_flow_plan=[^;]+)/i.exec(answer.head)?.[1] ?? '';
        if (answer.status === 200) resolve({ head: answer.head, bytes: answer.bytes, cookie: set });
        else reject(new Error(answer.text));
      };
      socket.on('data', onData);
      socket.write(
        `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nx-forwarded-for: ${from}\r\naccept: application/json\r\n${cookie && `cookie: ${cookie}\r\n`}${content}\r\n${text}`,
      );
    });
}
