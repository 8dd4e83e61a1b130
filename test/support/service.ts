import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ServiceRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What a service does with a request: an answer, silence until the client gives up, or a cut line. */
export type ServiceAnswer =
  | { readonly status?: number; readonly body: string; readonly headers?: Readonly<Record<string, string>> }
  | 'silence'
  | 'cut';

export interface Service {
  readonly url: string;
  readonly requests: ServiceRequest[];
  answer: (request: ServiceRequest) => ServiceAnswer | Promise<ServiceAnswer>;
  close(): Promise<void>;
}

export const json = (body: unknown, status = 200): ServiceAnswer => ({ status, body: JSON.stringify(body) });

/** A real HTTP server in the place of a service that Gatehouse asks. */
export async function startService(): Promise<Service> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = '', url: path = '', headers } = request;
    const received = { method, path, headers, body: Buffer.concat(chunks).toString() };
    service.requests.push(received);
    const answer = await service.answer(received);
    if (answer === 'silence') return;
    if (answer === 'cut') request.socket.destroy();
    else response.writeHead(answer.status ?? 200, answer.headers).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const service: Service = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    answer: () => json({}),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return service;
}

/** For tests whose services run on this machine. */
export const loopbackAllowed = { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.0/8' };
