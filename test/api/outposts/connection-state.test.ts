import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { generateCertificate } from '../../../src/lib/certificate/generate-certificate.ts';
import { describeOnSqlite, newFolder } from '../../support/server.ts';

const container = '/outposts/service_connections/container/';
const cluster = '/outposts/service_connections/cluster/';
const certificates = '/crypto/certificatekeypairs/';
const unhealthy = { healthy: false, version: '' };

const open: Server[] = [];
afterEach(() => {
  for (const server of open.splice(0)) server.close();
});
const listen = async (server: Server, at: string | number): Promise<number> => {
  open.push(server);
  await new Promise<void>((resolve) =>
    typeof at === 'string' ? server.listen(at, resolve) : server.listen(at, '127.0.0.1', resolve),
  );
  return (server.address() as AddressInfo).port;
};
const answering =
  (body: unknown): RequestListener =>
  (request, response) => {
    response.statusCode = request.url === '/version' ? 200 : 404;
    response.setHeader('connection', 'close').end(JSON.stringify(body));
  };

type Pair = Awaited<ReturnType<typeof generateCertificate>>;

describeOnSqlite(
  'the state of a service connection',
  (server) => {
    let count = 0;
    let own: Pair;
    let client: Pair;
    let other: Pair;
    beforeAll(async () => {
      const request = { validityDays: 1, algorithm: 'ecdsa', subjectAltNames: ['127.0.0.1'] } as const;
      [own, client, other] = (await Promise.all(
        ['server', 'client', 'other'].map((commonName) => generateCertificate({ ...request, commonName })),
      )) as [Pair, Pair, Pair];
    });
    const store = async (pair: Pair) => {
      const body = { name: `pair ${count++}`, certificate_data: pair.certificate, key_data: pair.key };
      return (await server().admin.post(certificates, body)).body.pk as string;
    };
    const stateOf = async (path: string, body: Record<string, unknown>) => {
      const made = await server().admin.post(path, { name: `connection ${count++}`, ...body });
      expect(made.status).toBe(201);
      const state = await server().admin.get(`/outposts/service_connections/all/${made.body.pk}/state/`);
      expect(state.status).toBe(200);
      return state.body;
    };

    test('a container engine is asked over its socket', async () => {
      const socket = join(newFolder(), 'engine.sock');
      await listen(createHttpServer(answering({ Version: '29.1' })), socket);
      const healthy = { healthy: true, version: '29.1' };
      expect(await stateOf(container, { url: `unix://${socket}`, local: true })).toEqual(healthy);
      expect(await stateOf(container, { url: `unix://${socket}` })).toEqual(healthy);
      expect(await stateOf(container, { url: `unix://${socket}.gone` })).toEqual(unhealthy);
    });

    test('a remote container engine is asked over TLS with the certificates named', async () => {
      const clients: string[] = [];
      const listener: RequestListener = (request, response) => {
        clients.push((request.socket as TLSSocket).getPeerCertificate().subject?.CN?.toString() ?? '');
        answering({ Version: '28.0' })(request, response);
      };
      const options = { cert: own.certificate, key: own.key, ca: client.certificate };
      const port = await listen(
        createHttpsServer({ ...options, requestCert: true, rejectUnauthorized: true }, listener),
        0,
      );
      const url = `https://127.0.0.1:${port}`;
      const [ownPk, clientPk, otherPk] = [await store(own), await store(client), await store(other)];
      const healthy = { healthy: true, version: '28.0' };
      expect(await stateOf(container, { url, tls_verification: ownPk, tls_authentication: clientPk })).toEqual(healthy);
      expect(await stateOf(container, { url, tls_authentication: clientPk })).toEqual(healthy);
      expect(clients).toEqual(['client', 'client']);
      // The server's certificate is not of this authority; the client is none that the server knows; no client at all.
      expect(await stateOf(container, { url, tls_verification: otherPk, tls_authentication: clientPk })).toEqual(
        unhealthy,
      );
      expect(await stateOf(container, { url, tls_verification: ownPk, tls_authentication: otherPk })).toEqual(
        unhealthy,
      );
      expect(await stateOf(container, { url, tls_verification: ownPk })).toEqual(unhealthy);
      expect(clients).toEqual(['client', 'client']);
    });

    test('a cluster is asked as its kubeconfig says', async () => {
      const tokens: (string | undefined)[] = [];
      const listener: RequestListener = (request, response) => {
        tokens.push(request.headers.authorization);
        answering({ gitVersion: 'v1.35.0' })(request, response);
      };
      const port = await listen(createHttpsServer({ cert: own.certificate, key: own.key }, listener), 0);
      const configOf = (ca: string | null) => ({
        'current-context': 'main',
        contexts: [{ name: 'main', context: { cluster: 'here', user: 'me' } }],
        clusters: [
          {
            name: 'here',
            cluster: {
              server: `https://127.0.0.1:${port}`,
              ...(ca && { 'certificate-authority-data': Buffer.from(ca).toString('base64') }),
            },
          },
        ],
        users: [{ name: 'me', user: { token: 'cluster-token' } }],
      });
      const healthy = { healthy: true, version: 'v1.35.0' };
      expect(await stateOf(cluster, { kubeconfig: configOf(own.certificate) })).toEqual(healthy);
      expect(await stateOf(cluster, { kubeconfig: configOf(null), verify_ssl: false })).toEqual(healthy);
      expect(await stateOf(cluster, { kubeconfig: configOf(null) })).toEqual(unhealthy);
      expect(await stateOf(cluster, { kubeconfig: configOf(other.certificate) })).toEqual(unhealthy);
      expect(tokens).toEqual(['Bearer cluster-token', 'Bearer cluster-token']);
    });

    test('a platform that answers wrongly, slowly or not at all is unhealthy', async () => {
      const answers: RequestListener[] = [
        (_, response) => response.writeHead(500).end('{"Version":"1"}'),
        (_, response) => response.end('not JSON'),
        (_, response) => response.end('null'),
        (_, response) => response.end('{"Version":{}}'),
        (_, response) => response.end(`{"Version":"${'x'.repeat(70_000)}"}`),
        (_, response) => response.writeHead(302, { location: '/elsewhere' }).end(),
        () => {},
      ];
      for (const listener of answers) {
        const socket = join(newFolder(), 'engine.sock');
        await listen(createHttpServer(listener), socket);
        expect(await stateOf(container, { url: `unix://${socket}` })).toEqual(unhealthy);
      }
      for (const url of [
        'http://127.0.0.1:1',
        'https://127.0.0.1:1',
        'tcp://127.0.0.1:2375',
        'nonsense',
        'unix://rel',
      ]) {
        expect(await stateOf(container, { url })).toEqual(unhealthy);
      }
      expect(await stateOf(cluster, { local: true })).toEqual(unhealthy);
    });
  },
  { env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.0/8' } },
);

describeOnSqlite('the state of a service connection where private addresses are not allowed', (server) => {
  test('no private address is called', async () => {
    let calls = 0;
    const pair = await generateCertificate({
      commonName: 'x',
      subjectAltNames: ['127.0.0.1'],
      validityDays: 1,
      algorithm: 'ecdsa',
    });
    const target = createHttpsServer({ cert: pair.certificate, key: pair.key }, answering({ Version: '1' }));
    target.on('connection', () => calls++);
    const port = await listen(target, 0);
    const made = await server().admin.post(container, { name: 'inward', url: `https://127.0.0.1:${port}` });
    const state = await server().admin.get(`/outposts/service_connections/all/${made.body.pk}/state/`);
    expect(state.body).toEqual(unhealthy);
    expect(calls).toBe(0);
  });
});
