import { expect, test } from 'vitest';
import { relyingParty } from './relying-party.ts';

const saying = (host: string | undefined) => ({ header: () => host });

test.each(['evil.example.com', 'localhost:1234', 'sso.example.org.evil.example.com', undefined])(
  'the relying party is the public address, whatever host a request names (%s)',
  (host) => {
    const known = { id: 'sso.example.org', origin: 'https://sso.example.org:8443' };
    expect(relyingParty('https://sso.example.org:8443', saying(host))).toEqual(known);
  },
);

test.each([
  ['localhost:1234', 'localhost', 'http://localhost:1234'],
  ['127.0.0.1:1234', '127.0.0.1', 'http://127.0.0.1:1234'],
  ['evil.example.com', 'localhost', 'http://localhost:9000'],
  ['localhost@evil.example.com', 'localhost', 'http://localhost:9000'],
  [' ', 'localhost', 'http://localhost:9000'],
  [undefined, 'localhost', 'http://localhost:9000'],
])('on a server for this machine alone, %s stands for %s', (host, id, origin) => {
  expect(relyingParty('http://localhost:9000', saying(host))).toEqual({ id, origin });
});
