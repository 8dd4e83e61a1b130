import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import fc from 'fast-check';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { findEapolTest, joinWifi } from '../../support/eapol.ts';
import { makeIntermediateAuthority } from '../../support/intermediate-authority.ts';
import {
  type KeyPair,
  makeKeyPair,
  makeRadiusNetwork,
  password,
  type RadiusNetwork,
  radiusPort,
} from '../../support/radius-network.ts';
import { hidden, requestOf } from '../../support/radius-wire.ts';
import { connectRadSec, type RadSecClient, relayToRadSec } from '../../support/radsec.ts';
import { describeOnBoth } from '../../support/server.ts';

const hasTools = await findEapolTest();
const seed = Number(process.env.GATEHOUSE_FUZZ_SEED ?? 20_261_119);
const secret = 'radsec';

describeOnBoth(
  'RadSec',
  (server) => {
    let network: RadiusNetwork;
    let own: KeyPair;
    let authority: KeyPair;
    let devices: KeyPair;
    const opened: RadSecClient[] = [];
    beforeAll(async () => {
      network = await makeRadiusNetwork(server());
      await network.person('ada');
      [own, authority, devices] = (await Promise.all(
        ['radius.example.com', 'access point', 'ada'].map((name) => makeKeyPair(server(), name)),
      )) as [KeyPair, KeyPair, KeyPair];
      await network.change({ certificate: own.pk, radsec_ca: authority.pk, client_ca: devices.pk });
    });
    afterEach(() => {
      for (const client of opened.splice(0)) client.close();
    });
    const connect = async (pair: KeyPair | undefined = authority) => {
      const options = { port: network.tlsPort, serverCertificate: own.certificate };
      const client = await connectRadSec({ ...options, ...(pair && { pair }) });
      opened.push(client);
      return client;
    };
    const requestBy = (username: string, given: string, more: Partial<Parameters<typeof requestOf>[0]> = {}) => {
      const authenticator = randomBytes(16);
      const attributes: [number, Buffer][] = [
        [1, Buffer.from(username)],
        [2, hidden(given, more.secret ?? secret, authenticator)],
      ];
      return requestOf({ secret, authenticator, ...more, attributes: [...attributes, ...(more.attributes ?? [])] });
    };
    const status = (id = 255) => requestOf({ secret, id, code: 12, attributes: [] });

    test('clients with a certificate ask by the secret radsec', async () => {
      const client = await connect();
      for (const [given, code] of [
        [password, 2],
        ['wrong', 3],
      ] as const) {
        const request = requestBy('ada', given);
        const [answer] = await client.ask(request);
        expect([answer?.code, answer?.types, answer?.isFrom(secret, request)]).toEqual([code, [80], true]);
      }
      const { results } = (await server().admin.get('/events/events/?action=login&username=ada')).body;
      expect(results[0]).toMatchObject({ client_ip: '127.0.0.1' });
    });

    test('packets arrive in any pieces, and many at once', async () => {
      const client = await connect();
      const requests = Array.from({ length: 80 }, (_, id) => status(id));
      const all = Buffer.concat(requests);
      for (let at = 0; at < 60; at++) client.socket.write(all.subarray(at, at + 1));
      const answers = await client.ask(all.subarray(60), requests.length);
      const ids = answers.map(({ bytes }) => bytes[1] ?? 0).sort((one, other) => one - other);
      expect(ids).toEqual(requests.map((_, id) => id));
      expect(new Set(answers.map(({ code }) => code))).toEqual(new Set([2]));
    });

    test('a Message-Authenticator that is wrong gets no answer, and one that is missing only without EAP', async () => {
      const client = await connect();
      const wrong = requestBy('ada', password, { id: 1 });
      wrong[wrong.length - 1] = (wrong.at(-1) ?? 0) ^ 1;
      const attributes: [number, Buffer][] = [[79, Buffer.of(2, 1, 0, 4)]];
      const eap = requestBy('ada', password, { id: 2, isSigned: false, attributes });
      const otherSecret = requestBy('ada', password, { id: 3, secret: 'a secret of the access points' });
      const unsigned = requestBy('ada', password, { id: 4, isSigned: false });
      const [answer] = await client.ask(Buffer.concat([wrong, eap, otherSecret, unsigned]));
      expect([answer?.bytes[1], answer?.code]).toEqual([4, 2]);
      expect((await client.ask(status()))[0]?.bytes[1]).toBe(255);
    });

    test('who has no certificate of the authority is refused', async () => {
      const count = async () =>
        (await server().admin.get('/events/events/?action=login&username=ada')).body.pagination.count;
      const before = await count();
      const stranger = await makeKeyPair(server(), 'access point');
      for (const pair of [null, stranger, devices]) {
        const options = { port: network.tlsPort, serverCertificate: own.certificate };
        const client = await connectRadSec({ ...options, ...(pair && { pair }) });
        await expect(client.ask(requestBy('ada', password))).rejects.toThrow('ended the connection');
      }
      await network.change({ client_networks: '192.0.2.0/24' });
      await expect((await connect()).ask(status())).rejects.toThrow('ended the connection');
      await network.change({ client_networks: '127.0.0.0/8' });
      expect(await count()).toBe(before);
    });

    test('trusts an intermediate authority without its root', async () => {
      const { pk, issued, ofRoot, expired } = await makeIntermediateAuthority(server(), 'access point');
      await network.change({ radsec_ca: pk });
      expect((await (await connect(issued)).ask(status()))[0]?.code).toBe(2);
      for (const refused of [ofRoot, expired, authority])
        await expect((await connect(refused)).ask(status())).rejects.toThrow('ended the connection');
      await network.change({ radsec_ca: authority.pk });
    });

    test('a connection ends when its authority is taken away', async () => {
      const client = await connect();
      expect((await client.ask(status()))[0]?.code).toBe(2);
      await network.change({ radsec_ca: null });
      await expect(client.ask(status())).rejects.toThrow('ended the connection');
      await expect((await connect()).ask(status())).rejects.toThrow('ended the connection');
      await network.change({ radsec_ca: authority.pk });
      expect((await (await connect()).ask(status()))[0]?.code).toBe(2);
    });

    test('the authority needs a key pair of the server, and is not that of devices', async () => {
      const { admin } = server();
      const path = `/providers/radius/${network.provider}/`;
      expect(await admin.patch(path, { radsec_ca: devices.pk })).toMatchObject({
        status: 400,
        body: { radsec_ca: [expect.stringContaining('devices')] },
      });
      expect(await admin.patch(path, { certificate: null, client_ca: null })).toMatchObject({
        status: 400,
        body: { certificate: ['RadSec needs a key pair for the server.'] },
      });
    });

    test('malformed packets end the connection', async () => {
      const length = (value: number) => Buffer.concat([Buffer.of(1, 1, value >> 8, value & 255), Buffer.alloc(4_200)]);
      const attribute = status();
      attribute[21] = 1;
      for (const bytes of [length(0), length(19), length(4_097), length(65_535), attribute])
        await expect((await connect()).ask(bytes)).rejects.toThrow('ended the connection');
      const anything = fc.uint8Array({ minLength: 1, maxLength: 5_000 }).map((bytes) => Buffer.from(bytes));
      const flipped = fc.tuple(fc.nat(60), fc.nat(255)).map(([at, byte]) => {
        const bytes = Buffer.concat([status(1), requestBy('ada', 'wrong', { id: 2 }), status(3)]);
        bytes[at] = byte;
        return bytes;
      });
      for (const bytes of fc.sample(fc.oneof(anything, flipped), { seed, numRuns: 30 })) {
        const client = await connect();
        client.socket.end(bytes);
        await client.ended;
      }
      expect((await (await connect()).ask(status()))[0]?.code).toBe(2);
    });

    test('connections that show no certificate make room', async () => {
      const idle = Array.from({ length: 101 }, () => connectTcp(network.tlsPort, '127.0.0.1'));
      const [oldest] = idle;
      for (const socket of idle) socket.on('error', () => undefined);
      await Promise.all([...idle.map((socket) => once(socket, 'connect')), oldest && once(oldest, 'close')]);
      expect((await (await connect()).ask(status()))[0]?.code).toBe(2);
      for (const socket of idle) socket.destroy();
    });

    test.runIf(hasTools)('devices join by EAP-TTLS and EAP-TLS', async () => {
      const relay = await relayToRadSec(await connect());
      const device = { port: relay.port, secret };
      const settings = { eap: 'TTLS', identity: 'ada', anonymous_identity: 'anonymous', phase2: 'auth=PAP' };
      const join = (given: string) =>
        joinWifi({ ...device, files: { ca_cert: own.certificate }, settings: { ...settings, password: given } });
      expect(await join(password)).toMatchObject({ isIn: true, hasKeys: true });
      expect((await join('wrong')).isIn).toBe(false);
      const files = { ca_cert: own.certificate, client_cert: devices.certificate, private_key: devices.key };
      expect(await joinWifi({ ...device, files, settings: { eap: 'TLS', identity: 'ada' } })).toMatchObject({
        ...{ isIn: true, hasKeys: true },
      });
      relay.close();
    });
  },
  { env: radiusPort },
);
