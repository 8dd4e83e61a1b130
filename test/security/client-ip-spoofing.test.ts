import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { rawRequest } from '../support/raw-request.ts';
import { adminToken, describeOnSqlite, type TestServer } from '../support/server.ts';

const garbage = [
  'a',
  '',
  ' ',
  ',',
  'unknown',
  '999.1.1.1',
  '203.0.113.7:4711:5',
  '[2001:db8::1]:80:90',
  "' or 1=1 --",
  '<script>',
  '203.0.113.7, a',
  '%00',
  'x'.repeat(5_000),
];

/** The address that the audit event of a change carries. */
async function recordedAddress(server: TestServer, headers: Record<string, string>, from = '127.0.0.1') {
  const name = crypto.randomUUID();
  const answer = await rawRequest(server.url, '/api/v3/core/groups/', {
    method: 'POST',
    from,
    headers: { authorization: `Bearer ${adminToken}`, ...headers },
    body: { name },
  });
  expect(answer.status).toBe(201);
  const { rows } = await sql<{
    client_ip: string;
  }>`select client_ip from events where context like ${`%${name}%`}`.execute(server.world.db.read);
  expect(rows).toHaveLength(1);
  return rows[0]?.client_ip;
}

describeOnSqlite('IP spoofing: without trusted proxies these headers are ignored:', (server) => {
  test.each([
    { 'x-forwarded-for': '203.0.113.7' },
    { 'x-forwarded-for': '127.0.0.1, 203.0.113.7' },
    { 'x-real-ip': '203.0.113.7' },
    { forwarded: 'for=203.0.113.7' },
    { 'x-client-ip': '203.0.113.7' },
    { 'true-client-ip': '203.0.113.7' },
    { 'cf-connecting-ip': '203.0.113.7' },
    ...garbage.map((text) => ({ 'x-forwarded-for': text })),
  ])('%o', async (headers) => {
    const given = headers as unknown as Record<string, string>;
    expect(await recordedAddress(server(), given, '127.0.0.44')).toBe('127.0.0.44');
  });
});

describeOnSqlite(
  'IP spoofing: with trusted proxies',
  (server) => {
    test.each<[string, string, string, string]>([
      ['the header of an untrusted peer is ignored', '127.0.0.44', '203.0.113.7', '127.0.0.44'],
      ['the header of a trusted proxy is used', '127.0.0.1', '203.0.113.7', '203.0.113.7'],
      ['the header of a proxy behind a trusted proxy is used', '127.0.0.1', '203.0.113.7, 10.1.2.3', '203.0.113.7'],
      ['an address that the client added itself is ignored', '127.0.0.1', '192.0.2.66, 203.0.113.7', '203.0.113.7'],
      [
        'an address that the client added itself is ignored behind two proxies',
        '127.0.0.1',
        '10.9.9.9, 192.0.2.66, 203.0.113.7, 10.1.2.3',
        '203.0.113.7',
      ],
      ['an IPv6 address is recorded', '127.0.0.1', '2001:db8::7', '2001:db8::7'],
      ['a port that a gateway appended is left out', '127.0.0.1', '203.0.113.10:5555', '203.0.113.10'],
      ['a port of a trusted hop does not hide the client', '127.0.0.1', '203.0.113.7, 10.1.2.3:80', '203.0.113.7'],
      ['brackets are left out', '127.0.0.1', '[2001:db8::7]', '2001:db8::7'],
      ['brackets, port and quotes are left out', '127.0.0.1', '"[2001:db8::7]:4711"', '2001:db8::7'],
      ['a mapped IPv6 address is recorded as IPv4', '127.0.0.1', '::ffff:203.0.113.7', '203.0.113.7'],
    ])('%s', async (_, peer, forwarded, expected) => {
      expect(await recordedAddress(server(), { 'x-forwarded-for': forwarded }, peer)).toBe(expected);
    });

    test.each(garbage)('a value that is no address is ignored: %s', async (text) => {
      expect(await recordedAddress(server(), { 'x-forwarded-for': text })).toBe('127.0.0.1');
    });
  },
  { env: { GATEHOUSE_TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8' } },
);
