import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ServiceFault } from '../../../flow/services/call-service.ts';
import { parseCidrs } from '../../../lib/cidr.ts';
import { createFetch } from '../../../platform/fetch/guarded-fetch.ts';
import { createTwofactorApi, signedRequest } from './twofactor-api.ts';

const now = '2026-11-15T06:00:00.000000Z';
const account = { api_hostname: 'api.example.com', integration: 'key', secret: 'secret' };
const silent = createServer(() => {
  // Whoever waits for an answer gives up in the end.
});
const fetch = createFetch({ allow: parseCidrs(['127.0.0.0/8']) });

beforeAll(() => new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve)));
afterAll(async () => {
  await fetch.close();
  silent.closeAllConnections();
  silent.close();
});

test('parameters are signed and sent in one writing', () => {
  const parameters = { username: 'ada lovelace (1)', realname: 'Ä*!' };
  const { url, body, headers } = signedRequest(account, 'POST', '/auth/v2/enroll', parameters, now);
  expect(url).toBe('https://api.example.com/auth/v2/enroll');
  expect(body).toBe('realname=%C3%84%2A%21&username=ada%20lovelace%20%281%29');
  expect(headers?.date).toBe('Sun, 15 Nov 2026 06:00:00 -0000');
});

test('a person who does not answer is not waited for without end', async () => {
  const api_hostname = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const answer = await createTwofactorApi(fetch, 100).askPerson({ ...account, api_hostname }, 'U1', '127.0.0.1', now);
  expect(answer).toBeInstanceOf(ServiceFault);
  expect((answer as ServiceFault).why).toContain('took too long');
});

test('a service that is gone is a fault, not an exception', async () => {
  const gone = { ...account, api_hostname: 'http://127.0.0.1:1' };
  expect(await createTwofactorApi(fetch).enrol(gone, 'ada', now)).toBeInstanceOf(ServiceFault);
});

test('a service that always has another page of users is not asked for ever', async () => {
  let asked = 0;
  const endless = createServer((_request, response) => {
    asked++;
    response.end(JSON.stringify({ stat: 'OK', response: [{}], metadata: { next_offset: asked } }));
  });
  await new Promise<void>((resolve) => endless.listen(0, '127.0.0.1', resolve));
  const api_hostname = `http://127.0.0.1:${(endless.address() as AddressInfo).port}`;
  expect(await createTwofactorApi(fetch).listUsers({ ...account, api_hostname }, now)).toEqual([]);
  expect(asked).toBeLessThan(100);
  endless.closeAllConnections();
  endless.close();
});
