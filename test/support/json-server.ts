import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';

// biome-ignore lint/suspicious/noExplicitAny: tests look into documents freely
export type Document = any;

export interface JsonRequest {
  readonly method: string;
  /** Below the origin, decoded by segments. */
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Document;
  readonly text: string;
}

export interface JsonAnswer {
  readonly status: number;
  readonly body?: Document;
  readonly headers?: Record<string, string>;
}

/** What goes wrong with a request: `lost` is applied and never answered. */
export type Fault = JsonAnswer | 'lost' | 'cut' | null;

export interface JsonServer {
  readonly origin: string;
  readonly requests: JsonRequest[];
  /** Asked for each request before it is handled. */
  fault: (request: JsonRequest) => Fault | Promise<Fault>;
  close(): Promise<void>;
}

export class Refusal extends Error {
  readonly answer: JsonAnswer;
  constructor(status: number, body: Document = {}) {
    super(String(status));
    this.answer = { status, body };
  }
}

interface ListenOptions {
  /** By default a free port. */
  readonly socket?: string;
  readonly tls?: { readonly cert: string; readonly key: string };
}

/** A stateful service that speaks JSON, with faults at will. */
export async function startJsonServer(
  handle: (request: JsonRequest) => JsonAnswer | Promise<JsonAnswer>,
  { socket, tls }: ListenOptions = {},
): Promise<JsonServer> {
  const listener: RequestListener = async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const url = new URL(incoming.url ?? '/', 'http://target');
    const isJson = /json/.test(incoming.headers['content-type'] ?? '');
    const request: JsonRequest = {
      method: incoming.method ?? '',
      segments: url.pathname.split('/').filter(Boolean).map(decodeURIComponent),
      query: url.searchParams,
      headers: incoming.headers,
      body: isJson && text ? JSON.parse(text) : {},
      text,
    };
    made.requests.push(request);
    const fault = await made.fault(request);
    if (fault === 'cut') return incoming.socket.destroy();
    const isAnswer = fault !== null && typeof fault === 'object';
    const answer = isAnswer
      ? fault
      : await Promise.resolve()
          .then(() => handle(request))
          .catch((error) => {
            if (error instanceof Refusal) return error.answer;
            throw error;
          });
    if (fault === 'lost') return incoming.socket.destroy();
    const content = Buffer.from(answer.body === undefined ? '' : JSON.stringify(answer.body));
    // A request that does not name the codings it takes may be answered in any (RFC 9110 §12.5.3).
    const isCoded = content.length > 0 && request.headers['accept-encoding'] === undefined;
    const coding = isCoded ? { 'content-encoding': 'gzip' } : {};
    const headers = { 'content-type': 'application/json', ...coding, ...answer.headers };
    response.writeHead(answer.status, headers).end(isCoded ? gzipSync(content) : content);
  };
  const server = tls ? createSecureServer(tls, listener) : createServer(listener);
  await new Promise<void>((resolve) =>
    socket === undefined ? server.listen(0, '127.0.0.1', resolve) : server.listen(socket, resolve),
  );
  const port = () => (server.address() as AddressInfo).port;
  const made: JsonServer = {
    origin: socket === undefined ? `${tls ? 'https' : 'http'}://127.0.0.1:${port()}` : `unix://${socket}`,
    requests: [],
    fault: () => null,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return made;
}
