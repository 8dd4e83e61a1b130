import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseCidrs } from '../../../lib/cidr.ts';
import { createFetch } from '../../../platform/fetch/guarded-fetch.ts';
import { sendByTwilio } from './send-message.ts';

const requests: { path: string | undefined; authorization: string | undefined; body: string }[] = [];
let status = 201;
const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const { url: path, headers } = request;
  requests.push({ path, authorization: headers.authorization, body: Buffer.concat(chunks).toString() });
  response.writeHead(status).end('{}');
});
const fetch = createFetch({ allow: parseCidrs(['127.0.0.0/8']) });
let origin = '';

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await fetch.close();
  server.close();
});

const settings = { account_sid: 'AC1/../x', auth: 'token', from_number: '+15550100' };
const message = { to: '+46701234567', text: 'Use this: 123456', token: '123456', user: null };

test('a Twilio message is posted to the account with its token', async () => {
  expect(await sendByTwilio(fetch, settings, message, origin)).toBeNull();
  expect(requests[0]).toEqual({
    path: '/2010-04-01/Accounts/AC1%2F..%2Fx/Messages.json',
    authorization: `Basic ${btoa('AC1/../x:token')}`,
    body: 'From=%2B15550100&To=%2B46701234567&Body=Use+this%3A+123456',
  });
});

test('a message that Twilio refuses counts as not sent', async () => {
  status = 401;
  const fault = await sendByTwilio(fetch, settings, message, origin);
  expect(fault?.why).toBe('the service for messages answered with 401');
});
