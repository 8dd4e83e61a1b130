import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  createFrameReader,
  encodeDatagram,
  encodeFrame,
  readDatagram,
} from '../../src/kinds/providers/radius/server/relayed-datagrams.ts';
import { readRelayedAnswer } from '../../src/provider/outpost/relayed-request.ts';
import { tokenOf } from '../support/outpost-process.ts';
import { openStream } from '../support/outpost-stream.ts';
import { behindProxy, protect, sendAs } from '../support/protected-host.ts';
import { makeRadiusNetwork, radiusPort, secret } from '../support/radius-network.ts';
import { readAnswer, requestOf } from '../support/radius-wire.ts';
import { describeOnBoth, type TestServer } from '../support/server.ts';

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

async function outpostToken({ admin }: TestServer, type: string, provider: number): Promise<string> {
  const values = { name: `${type} ${provider}`, type, providers: [provider], config: {} };
  const { body } = await admin.post('/outposts/instances/', values);
  return (await admin.get(`/core/tokens/${body.token_identifier}/view_key/`)).body.key;
}

describeOnBoth(
  'streams of outposts',
  (server) => {
    test('need the token of an outpost of their type, an address and the protocol', async () => {
      const { token: ofUser } = await server().user();
      const directory = await server().admin.post('/providers/ldap/', { name: 'Directory', base_dn: 'DC=fuzz' });
      const ldap = await outpostToken(server(), 'ldap', directory.body.pk);
      const proxy = await outpostToken(server(), 'proxy', (await protect(server())).pk);
      const statusOf = async (token: string, options: Parameters<typeof openStream>[2] = {}) => {
        const { status, socket } = await openStream(server(), token, options);
        socket?.destroy();
        return status;
      };
      expect([await statusOf('x'), await statusOf(ofUser), await statusOf(proxy)]).toEqual([403, 403, 400]);
      expect(await statusOf(ldap, { query: '?client=203.0.113.7' })).toBe(101);
      for (const client of ['', 'a', '1.2.3.4.5', '203.0.113.7/8', `::1%25${'x'.repeat(200)}`, '%00', '%0d%0a'])
        expect([client, await statusOf(ldap, { query: `?client=${client}&tls=true` })]).toEqual([client, 400]);
      for (const upgrade of ['h2c', 'constructor']) expect(await statusOf(ldap, { upgrade })).toBe(426);
    });

    test('carry datagrams, and end with what no outpost sends', async () => {
      const { provider } = await makeRadiusNetwork(server(), { client_networks: '203.0.113.0/24' });
      const token = await outpostToken(server(), 'radius', provider);
      const opened = await Promise.all(Array.from({ length: 25 }, () => openStream(server(), token)));
      expect(opened.filter(({ status }) => status === 101).length).toBe(20);
      expect(opened.filter(({ status }) => status === 429).length).toBe(5);
      for (const { socket } of opened) socket?.destroy();
      await Promise.all(opened.map(({ closed }) => closed));
      const statusRequest = requestOf({ code: 12, id: 7, secret, attributes: [] });
      const ask = async (ip: string) => {
        const { socket } = await openStream(server(), token);
        const read = createFrameReader();
        const answered = new Promise<Buffer>((resolve) =>
          socket?.on('data', (piece: Buffer) => {
            for (const { id, content } of read(piece)) if (id === 5) resolve(content);
          }),
        );
        socket?.write(encodeFrame(5, encodeDatagram({ ip, port: 1, datagram: statusRequest })));
        const answer = await answered;
        socket?.destroy();
        return answer;
      };
      expect(readAnswer(await ask('203.0.113.7')).isFrom(secret, statusRequest)).toBe(true);
      expect((await ask('198.51.100.7')).length).toBe(0);
      await fc.assert(
        fc.asyncProperty(fc.array(fc.tuple(fc.boolean(), pieces), { maxLength: 5 }), async (sent) => {
          const { socket, closed } = await openStream(server(), token);
          for (const [isFrame, piece] of sent) socket?.write(isFrame ? encodeFrame(1, piece) : piece);
          // A length that no frame has, after the rest of one that has begun.
          socket?.end(Buffer.alloc(10_000, 0xff));
          socket?.resume();
          await closed;
        }),
        { seed, numRuns: 60 },
      );
      expect(readAnswer(await ask('203.0.113.7')).isFrom(secret, statusRequest)).toBe(true);
    });
  },
  { env: { ...behindProxy, ...radiusPort } },
);

const pieces = fc.oneof(
  fc.uint8Array({ maxLength: 60 }).map((list) => Buffer.from(list)),
  fc.tuple(fc.ipV4(), fc.nat(65_535), fc.uint8Array({ maxLength: 60 })).map(([ip, port, bytes]) => {
    return encodeDatagram({ ip, port, datagram: Buffer.from(bytes) });
  }),
);

test('datagrams arrive as they were sent, in whatever pieces', () => {
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 6 }), fc.array(fc.nat(80), { maxLength: 20 }), (contents, cuts) => {
      const whole = Buffer.concat(contents.map((content, id) => encodeFrame(id, content)));
      const read = createFrameReader();
      const frames = [];
      let at = 0;
      for (const cut of [...cuts, whole.length]) {
        frames.push(...read(whole.subarray(at, at + cut)));
        at = Math.min(whole.length, at + cut);
      }
      expect(frames.map(({ id, content }) => [id, content.toString('hex')])).toEqual(
        contents.map((content, id) => [id, content.toString('hex')]),
      );
      for (const content of contents) {
        const datagram = readDatagram(content);
        if (datagram) expect(encodeDatagram(datagram)).toEqual(content);
      }
    }),
    { seed, numRuns: 300 },
  );
});

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
