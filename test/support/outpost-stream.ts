import { request } from 'node:http';
import { Socket } from 'node:net';
import type { TestServer } from './server.ts';

export interface OpenedStream {
  readonly status: number;
  /** Null where the server opened none. */
  readonly socket: Socket | null;
  readonly closed: Promise<void>;
}

/** Opens a stream to a server as the process of an outpost does, or in a way that none does. */
export function openStream(
  server: Pick<TestServer, 'url'>,
  token: string,
  { query = '', upgrade = 'gatehouse-outpost' } = {},
): Promise<OpenedStream> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, connection: 'Upgrade', upgrade };
    request(`${server.url}/outpost/stream/${query}`, { agent: false, headers })
      .once('error', reject)
      .once('response', (response) => {
        response.resume();
        resolve({ status: response.statusCode ?? 0, socket: null, closed: Promise.resolve() });
      })
      .once('upgrade', (response, socket) => {
        if (!(socket instanceof Socket)) return reject(new Error('not a socket'));
        const closed = new Promise<void>((done) => socket.once('close', () => done()));
        resolve({ status: response.statusCode ?? 0, socket: socket.on('error', () => {}), closed });
      })
      .end();
  });
}
