import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readRelayedAnswer } from '../../src/provider/outpost/relayed-request.ts';
import { tokenOf } from '../support/outpost-process.ts';
import { behindProxy, protect, sendAs } from '../support/protected-host.ts';
import { describeOnBoth } from '../support/server.ts';

const seed = 20261119;
const valid = (host: string) => ({
  method: 'GET',
  url: '/outpost.gatehouse/auth/caddy',
  headers: ['Host', host, 'X-Forwarded-Host', host, 'X-Forwarded-Proto', 'https', 'X-Forwarded-Uri', '/'],
  body: '',
  peer: '127.0.0.1',
  client: { ip: '203.0.113.7', host, authority: host, is_forwarded: true, is_secure: true },
});

const strange = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '',
    '/',
    '//',
    '/%00',
    '/a\r\nb',
    '/outpost.gatehouse/auth/envoy//',
    '[::1',
    '__proto__',
    '\0',
    'x'.repeat(20_000),
  ),
  fc.constantFrom(
    null,
    true,
    -1,
    1e308,
    [],
    {},
    [[]],
    { toString: 1 },
    ['Host'],
    ['', ''],
    ['Host', 'a\nb'],
    ['__proto__', 'x'],
  ),
  fc.array(fc.string({ maxLength: 20 }), { maxLength: 8 }),
  fc.jsonValue({ maxDepth: 3 }),
);

describeOnBoth(
  'messages of outposts',
  (server) => {
    const outpost = async () => {
      const app = await protect(server(), { skip_path_regex: '^/public/' });
      const name = `fuzzed ${app.pk}`;
      const { body } = await server().admin.post('/outposts/instances/', {
        ...{ name, type: 'proxy', providers: [app.pk], config: {} },
      });
      const token = await tokenOf(server(), body.token_identifier);
      const send = (path: string, text: string, authorization = `Bearer ${token}`) =>
        sendAs(server(), path, { authorization, 'content-type': 'application/json' }, { method: 'POST', body: text });
      return { app, send, body };
    };

    test('get a 4xx where they are malformed, and never pass', async () => {
      const { app, send } = await outpost();
      const good = await send('/outpost/relay/', JSON.stringify(valid(app.host)));
      expect([good.status, JSON.parse(good.text).reuse]).toEqual([200, null]);
      const places = ['method', 'url', 'headers', 'body', 'peer', 'client', 'ip', 'host', 'authority', 'is_secure'];
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...places), strange, async (place, value) => {
          const message: Record<string, unknown> = valid(app.host);
          if (place in message) message[place] = value;
          else message.client = { ...valid(app.host).client, [place]: value };
          const { status, text } = await send('/outpost/relay/', JSON.stringify(message));
          expect([200, 400]).toContain(status);
          if (status !== 200) return;
          const answer = JSON.parse(text);
          expect(answer.status).toBeLessThan(500);
          expect([answer.reuse, answer.pass]).toEqual([null, null]);
        }),
        { seed, numRuns: 250 },
      );
    });

    test('that report get a 4xx where they are malformed', async () => {
      const { send, body } = await outpost();
      const report = { uid: '00000000-0000-4000-8000-000000000000', version: '1', hostname: 'a', openssl_version: '3' };
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...Object.keys(report)), strange, async (place, value) => {
          expect([200, 400]).toContain(
            (await send('/outpost/report/', JSON.stringify({ ...report, [place]: value }))).status,
          );
        }),
        { seed, numRuns: 100 },
      );
      for (const text of ['', '[]', 'null', '"', '\xff', '{"a":'.repeat(5_000)])
        expect((await send('/outpost/report/', text)).status).toBe(400);
      for (let at = 0; at < 120; at++) {
        const uid = `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`;
        await send('/outpost/report/', JSON.stringify({ ...report, uid }));
      }
      const { body: health } = await server().admin.get(`/outposts/instances/${body.pk}/health/`);
      expect(health.length).toBeLessThanOrEqual(100);
    });

    test('need the token of an outpost', async () => {
      const { app, send } = await outpost();
      const { token } = await server().user();
      for (const authorization of [
        '',
        'Bearer',
        'Bearer x',
        `Bearer ${token}`,
        `Bearer ${'x'.repeat(5_000)}`,
        'Basic eDp5',
      ])
        for (const path of ['/outpost/relay/', '/outpost/report/'])
          expect((await send(path, JSON.stringify(valid(app.host)), authorization)).status).toBe(403);
    });
  },
  { env: behindProxy },
);

test('responses that no server sends are refused', () => {
  fc.assert(
    fc.property(fc.constantFrom('status', 'headers', 'body', 'reuse', 'pass'), strange, (place, value) => {
      const answer = readRelayedAnswer({ status: 200, headers: {}, body: '', reuse: null, pass: null, [place]: value });
      if (place === 'status') expect(answer).toBeNull();
      if (answer) expect([null, 'session', 'path']).toContain(answer.reuse);
    }),
    { seed, numRuns: 500 },
  );
  expect(readRelayedAnswer({ status: 200, headers: { 'X-A': 'a\r\nb' }, body: '' })).toBeNull();
});
