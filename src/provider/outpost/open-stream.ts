import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { Socket } from 'node:net';
import { streamPath, streamProtocol } from './outpost-paths.ts';

interface Options {
  /** The address of the server. */
  readonly server: string;
  readonly token: string;
  readonly timeoutMs: number;
}

/** The server responded, but opened no stream. */
export class StreamRefused extends Error {
  readonly status: number;
  constructor(status: number) {
    super(`the server responded with ${status}`);
    this.status = status;
  }
}

export type OpenStream = (query: Readonly<Record<string, string>>) => Promise<Socket>;

/** Opens connections to the server that leave HTTP. Rejects with `StreamRefused`, or an error of the network. */
export function createStreamOpener({ server, token, timeoutMs }: Options): OpenStream {
  // Resumes sessions of TLS; the connections are never returned to it.
  const secure = new https.Agent();
  return (query) => {
    const url = new URL(streamPath, server);
    url.search = new URLSearchParams(query).toString();
    const isSecure = url.protocol === 'https:';
    const { promise, resolve, reject } = Promise.withResolvers<Socket>();
    const request: ClientRequest = (isSecure ? https : http).request(url, {
      agent: isSecure ? secure : false,
      headers: { authorization: `Bearer ${token}`, connection: 'Upgrade', upgrade: streamProtocol },
    });
    const timer = setTimeout(() => request.destroy(new Error('the server did not respond in time')), timeoutMs);
    request
      .once('close', () => clearTimeout(timer))
      .once('error', reject)
      .once('response', (response: IncomingMessage) => {
        response.destroy();
        reject(new StreamRefused(response.statusCode ?? 502));
      })
      .once('upgrade', (response, stream, head) => {
        clearTimeout(timer);
        if (!(stream instanceof Socket) || response.headers.upgrade !== streamProtocol) {
          stream.destroy();
          reject(new StreamRefused(502));
          return;
        }
        stream.setTimeout(0).setKeepAlive(true, 60_000).setNoDelay(true);
        stream.on('error', () => stream.destroy());
        if (head.length > 0) stream.unshift(head);
        resolve(stream);
      })
      .end();
    return promise;
  };
}
