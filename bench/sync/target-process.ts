import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A SCIM server that answers at once and stores nothing; it notes what it is sent. */
export interface Noted {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  /** In milliseconds since 1970. */
  readonly at: number;
}

let noted: Noted[] = [];
let number = 0;
const config = JSON.stringify({ patch: { supported: true }, filter: { supported: true }, bulk: { supported: false } });
const noResources = JSON.stringify({ totalResults: 0, Resources: [] });

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const { method = '', url: path = '' } = request;
    response.setHeader('content-type', 'application/scim+json');
    if (method === 'GET') return response.end(path.endsWith('ServiceProviderConfig') ? config : noResources);
    const body = Buffer.concat(chunks).toString();
    noted.push({ method, path, body, at: Date.now() });
    number += 1;
    response.statusCode = method === 'POST' ? 201 : 200;
    response.end(`{"id":"${number}",${body.slice(1)}`);
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));

/** Hands over what was noted, and forgets it. */
process.on('message', () => {
  process.send?.({ done: noted });
  noted = [];
});
