import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { readAvps, readEapResponse, readTlsFragment } from '../../../src/kinds/providers/radius/eap/eap-packet.ts';
import { createLog } from '../../../src/platform/log.ts';
import { findEapolTest, joinWifi } from '../../support/eapol.ts';
import { makeIntermediateAuthority } from '../../support/intermediate-authority.ts';
import {
  type KeyPair,
  makeKeyPair,
  makeRadiusNetwork,
  password,
  type RadiusNetwork,
  radiusPort,
  secret,
} from '../../support/radius-network.ts';
import { exchange, requestOf } from '../../support/radius-wire.ts';
import { describeOnBoth } from '../../support/server.ts';

const hasTools = await findEapolTest();
const lines: string[] = [];
const log = createLog({ level: 'warn', stream: { write: (line: string) => void lines.push(line) } });
const seed = Number(process.env.GATEHOUSE_FUZZ_SEED ?? 20_261_119);

describeOnBoth(
  'EAP',
  (server) => {
    let network: RadiusNetwork;
    let serverPem: string;
    let authority: KeyPair;
    const pair = (name: string) => makeKeyPair(server(), name);
    beforeAll(async () => {
      network = await makeRadiusNetwork(server());
      await network.person('ada');
      const own = await pair('radius.example.com');
      serverPem = own.certificate;
      authority = await pair('ada');
      await network.change({ certificate: own.pk, client_ca: authority.pk });
    });
    const reasons = () => lines.map((line): unknown => JSON.parse(line).reason);
    const versions = { 'TLS 1.2': 'tls_disable_tlsv1_3=1', 'TLS 1.3': 'tls_disable_tlsv1_3=0' };
    const byTtls = (given: string, phase1 = versions['TLS 1.2']) =>
      joinWifi({
        ...{ port: network.port, secret, files: { ca_cert: serverPem } },
        settings: {
          eap: 'TTLS',
          identity: 'ada',
          anonymous_identity: 'x',
          password: given,
          phase1,
          phase2: 'auth=PAP',
        },
      });
    const byTls = ({ certificate, key }: KeyPair, phase1 = versions['TLS 1.2']) =>
      joinWifi({
        ...{ port: network.port, secret, files: { ca_cert: serverPem, client_cert: certificate, private_key: key } },
        settings: { eap: 'TLS', identity: 'anonymous', phase1 },
      });

    test.runIf(hasTools)(
      'a device joins by EAP-TTLS with a name and a password, and gets keys and attributes',
      async () => {
        await network.map('return {"Tunnel-Private-Group-Id": "20"}');
        const joined = await byTtls(password);
        expect(joined).toMatchObject({ isIn: true, hasKeys: true });
        expect(joined.log).toMatch(/Attribute 81 .*\n\s+Value: 3230/);
        expect((await byTtls('wrong')).isIn).toBe(false);
        await network.map('return user.no.where');
        expect((await byTtls(password)).isIn).toBe(false);
        await network.change({ property_mappings: [] });
      },
    );

    test.runIf(hasTools)('a device joins by EAP-TLS with a certificate of the chosen authority', async () => {
      // The certificate of the authority is its own and names ada: verified as any other.
      expect(await byTls(authority)).toMatchObject({ isIn: true, hasKeys: true });
      const { results } = (await server().admin.get('/events/events/?action=login&username=ada')).body;
      expect(results[0]).toMatchObject({ app: 'svc_providers_radius', context: { auth_method: 'certificate' } });
    });

    test.runIf(hasTools).each(Object.entries(versions))(
      'both types work by %s, and refuse by it',
      async (name, phase1) => {
        const stranger = await pair('ada');
        for (const joined of [await byTls(authority, phase1), await byTtls(password, phase1)]) {
          expect(joined).toMatchObject({ isIn: true, hasKeys: true });
          expect(joined.log).toContain(`Using TLS version ${name.replace(' ', 'v')}`);
        }
        for (const refused of [await byTls(stranger, phase1), await byTtls('wrong', phase1)])
          expect(refused).toMatchObject({ isIn: false, hasKeys: false });
      },
    );

    test.runIf(hasTools)('by TLS 1.3 a device waits for the success that the tunnel protects', async () => {
      const { log } = await byTls(authority, versions['TLS 1.3']);
      expect(log).toMatch(/ACKing Commitment Message/i);
    });

    test.runIf(hasTools)(
      'certificates of other authorities, unknown users and users without access are refused',
      async () => {
        const { admin } = server();
        expect((await byTls(await pair('ada'))).isIn).toBe(false);
        await admin.patch(`/core/applications/${network.application}/`, { enabled: false });
        expect((await byTls(authority)).isIn).toBe(false);
        await admin.patch(`/core/applications/${network.application}/`, { enabled: true });
        const nobody = await pair('nobody');
        await network.change({ client_ca: nobody.pk });
        expect((await byTls(nobody)).isIn).toBe(false);
        await network.change({ client_ca: null });
        // Without an authority, EAP-TLS is not offered.
        expect((await byTls(authority)).isIn).toBe(false);
        await network.change({ client_ca: authority.pk });
      },
    );

    test.runIf(hasTools)('trusts an intermediate authority without its root', async () => {
      const { pk, issued, ofRoot, expired } = await makeIntermediateAuthority(server(), 'ada');
      await network.change({ client_ca: pk });
      for (const phase1 of Object.values(versions))
        expect(await byTls(issued, phase1)).toMatchObject({ isIn: true, hasKeys: true });
      for (const refused of [ofRoot, expired])
        for (const phase1 of Object.values(versions)) expect((await byTls(refused, phase1)).isIn).toBe(false);
      expect(reasons()).toContain('the certificate of the device is not accepted: CERT_HAS_EXPIRED');
      expect((await byTls(authority)).isIn).toBe(false);
      await network.change({ client_ca: authority.pk });
    });

    test.runIf(hasTools)('the log says why a device is refused that shows no wrong password', async () => {
      const join = (settings: Record<string, string>, ca_cert = serverPem) =>
        joinWifi({
          ...{ port: network.port, secret, files: { ca_cert } },
          settings: { identity: 'ada', password, ...settings },
        });
      await join({ eap: 'PEAP', phase2: 'auth=MSCHAPV2' });
      await join({ eap: 'TTLS', phase2: 'auth=MSCHAPV2' });
      await join({ eap: 'TTLS', phase2: 'auth=PAP' }, authority.certificate);
      expect(reasons()).toEqual(
        expect.arrayContaining([
          'the device takes other types of EAP only: 25 (PEAP)',
          'the device sends no name and password in its tunnel (PAP)',
          'TLS with the device failed: tlsv1 alert unknown ca',
        ]),
      );
    });

    test('only superusers choose who issues the certificates of devices', async () => {
      const delegate = await server().user([
        ...['svc_providers_radius.view_radiusprovider', 'svc_providers_radius.change_radiusprovider'],
        ...['svc_crypto.view_certificatekeypair', 'svc_crypto.use_certificatekeypair'],
        ...['svc_crypto.change_certificatekeypair', 'svc_crypto.delete_certificatekeypair'],
      ]);
      const path = `/providers/radius/${network.provider}/`;
      const other = await pair('other');
      expect((await delegate.api.patch(path, { client_ca: other.pk })).status).toBe(403);
      expect((await delegate.api.patch(path, { mfa_support: true })).status).toBe(200);
      // Nor do they exchange the chosen one, or take it away.
      const chosen = `/crypto/certificatekeypairs/${authority.pk}/`;
      const exchanged = await delegate.api.patch(chosen, { certificate_data: other.certificate, key_data: other.key });
      expect([exchanged.status, exchanged.body.detail]).toEqual([
        403,
        expect.stringContaining('as client_ca, which only superusers choose. Only they may change it.'),
      ]);
      expect((await delegate.api.delete(chosen)).status).toBe(403);
      const { certificate } = (await server().admin.get(path)).body;
      const own = `/crypto/certificatekeypairs/${certificate}/`;
      expect((await delegate.api.patch(own, { name: 'renamed' })).status).toBe(200);
    });

    const ask = async (eap: Buffer, state?: Buffer) => {
      const parts: [number, Buffer][] = [
        [1, Buffer.from('ada')],
        [79, eap.subarray(0, 253)],
      ];
      if (state) parts.push([24, state]);
      const authenticator = randomBytes(16);
      const request = requestOf({ secret, attributes: parts, authenticator });
      const [answer] = await exchange(network.port, [request]);
      expect(answer?.isFrom(secret, request)).toBe(true);
      const at = answer?.types.indexOf(24) ?? -1;
      return { code: answer?.code, state: answer?.values[at] };
    };
    const identity = Buffer.concat([Buffer.of(2, 1, 0, 8, 1), Buffer.from('ada')]);

    test('a conversation of another state, order or type is refused', async () => {
      const { code, state } = await ask(identity);
      expect(code).toBe(11);
      expect((await ask(Buffer.of(2, 2, 0, 6, 21, 0), Buffer.alloc(16))).code).toBe(3);
      expect((await ask(Buffer.of(2, 9, 0, 6, 21, 0), state)).code).toBe(3);
      // It goes on where it was, and ends with the first mistake.
      expect((await ask(Buffer.of(2, 2, 0, 6, 4, 0), state)).code).toBe(3);
      expect((await ask(Buffer.of(2, 2, 0, 6, 21, 0), state)).code).toBe(3);
    });

    test('fragments without end are refused', async () => {
      let { code, state } = await ask(identity);
      let rounds = 0;
      for (let id = 2; code === 11 && rounds < 100; id++, rounds++) {
        const fragment = Buffer.concat([Buffer.of(2, id & 255, 0, 253, 21, 0x40), Buffer.alloc(247)]);
        const answer = await ask(fragment, state);
        code = answer.code;
        state = answer.state ?? state;
      }
      expect([code, rounds < 100]).toEqual([3, true]);
    });

    test('malformed EAP is refused', async () => {
      const anything = fc.uint8Array({ minLength: 1, maxLength: 60 }).map((bytes) => Buffer.from(bytes));
      const answer = async (bytes: Buffer) => {
        const { state } = await ask(identity);
        const response = Buffer.concat([Buffer.of(2, 2, 0, bytes.length + 5, 21), bytes]);
        return (await ask(response, state)).code;
      };
      // TLS that waits for more takes a second, so all are asked at once.
      for (const code of await Promise.all(fc.sample(anything, { seed, numRuns: 30 }).map(answer)))
        expect([3, 11]).toContain(code);
      const property = fc.property(
        fc.uint8Array().map((bytes) => Buffer.from(bytes)),
        (bytes) => {
          readEapResponse(bytes);
          readTlsFragment(bytes);
          readAvps(bytes);
        },
      );
      fc.assert(property, { seed, numRuns: 3_000 });
    });
  },
  { env: radiusPort, log },
);
