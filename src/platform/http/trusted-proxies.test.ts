import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { createTrustedProxies } from './trusted-proxies.ts';

test.each<[Record<string, string>, string[]]>([
  [{}, []],
  [{ 'x-forwarded-for': '203.0.113.7' }, []],
  [{ 'x-forwarded-for': '203.0.113.7:4711', forwarded: 'for=203.0.113.8' }, []],
  [{ 'x-forwarded-for': 'unknown' }, ['x-forwarded-for']],
  [{ forwarded: 'for=203.0.113.7' }, ['forwarded']],
  [{ 'x-real-ip': '203.0.113.7' }, ['x-real-ip']],
])('headers %o of a trusted proxy are reported as unreadable: %o', (headers, expected) => {
  const reported: string[] = [];
  const { clientAddressOf } = createTrustedProxies(['127.0.0.1'], (header) => reported.push(header));
  clientAddressOf({ socket: { remoteAddress: '127.0.0.1' }, headers } as unknown as IncomingMessage);
  clientAddressOf({ socket: { remoteAddress: '127.0.0.2' }, headers } as unknown as IncomingMessage);
  expect(reported).toEqual(expected);
});
