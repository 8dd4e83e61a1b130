import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Server as TcpServer } from 'node:net';
import { test as base, expect } from 'vitest';
import { parseCidrs } from '../../lib/cidr.ts';
import { createFetch, type FetchOptions, type GuardedFetch } from './guarded-fetch.ts';
import { OutboundError } from './outbound-error.ts';

export interface LocalServers {
  closers: (() => unknown)[];
  /** Starts a server and returns its port. */
  listen(server: Server | TcpServer, host?: string): Promise<number>;
  serve(listener: RequestListener): Promise<number>;
  /** A fetch that may reach 127.0.0.0/8 by default. */
  open(options?: Partial<FetchOptions>): GuardedFetch;
}

/** A test with its own servers and fetches, closed when it ends. */
export const test = base.extend<LocalServers>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern which fixtures are needed
  closers: async ({}, use) => {
    const closers: (() => unknown)[] = [];
    await use(closers);
    for (const close of closers) await close();
  },
  listen: async ({ closers }, use) => {
    await use(async (server, host = '127.0.0.1') => {
      await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, host, resolve));
      closers.push(() => {
        if ('closeAllConnections' in server) server.closeAllConnections();
        server.close();
      });
      return (server.address() as AddressInfo).port;
    });
  },
  serve: async ({ listen }, use) => {
    await use((listener) => listen(createServer(listener)));
  },
  open: async ({ closers }, use) => {
    await use((options) => {
      const guardedFetch = createFetch({ allow: parseCidrs(['127.0.0.0/8']), timeoutMs: 5000, ...options });
      closers.push(() => guardedFetch.close());
      return guardedFetch;
    });
  },
});

/** The error of a call that is expected to fail. */
export async function failure(call: Promise<unknown>): Promise<OutboundError> {
  const error = await call.then(
    () => new Error('the call came through'),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(OutboundError);
  return error as OutboundError;
}

export async function readAll(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}
