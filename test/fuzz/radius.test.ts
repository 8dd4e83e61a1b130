import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { dictionary } from '../../src/lib/radius/dictionary.ts';
import {
  checkMessageAuthenticator,
  decryptPassword,
  encodeAttributes,
  readPacket,
} from '../../src/lib/radius/packet.ts';
import { encodeValues, readableValues, ValueError } from '../../src/lib/radius/values.ts';
import { makeRadiusNetwork, type RadiusNetwork, radiusPort, secret } from '../support/radius-network.ts';
import { exchange, hidden, requestOf } from '../support/radius-wire.ts';
import { describeOnSqlite } from '../support/server.ts';

/** The same seed makes the same packets: GATEHOUSE_FUZZ_SEED tries others, GATEHOUSE_FUZZ_RUNS tries more. */
const seed = Number(process.env.GATEHOUSE_FUZZ_SEED ?? 20_261_119);
const runs = Number(process.env.GATEHOUSE_FUZZ_RUNS ?? 1);

const bytes = fc.uint8Array({ maxLength: 253 }).map((list) => Buffer.from(list));
const attributes = fc.array(fc.tuple(fc.constantFrom(1, 2, 3, 24, 26, 30, 33, 79, 80, 255), bytes), { maxLength: 8 });
const asked = fc
  .record({ code: fc.constantFrom(0, 1, 1, 1, 4, 12, 255), id: fc.nat(255), attributes, isSigned: fc.boolean() })
  .map((one) => requestOf({ ...one, secret, authenticator: Buffer.alloc(16, one.id) }));
/** A packet with some of its bytes changed, left out or repeated. */
const damaged = fc
  .tuple(asked, fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 }), fc.nat(2)), { maxLength: 5 }))
  .map(([packet, changes]) => {
    const list = [...packet];
    for (const [where, byte, how] of changes) {
      const at = where % list.length;
      if (how === 0) list[at] = byte;
      else list.splice(at, how === 1 ? 1 : 0, ...(how === 2 ? [byte] : []));
    }
    return Buffer.from(list);
  });

describe('the RADIUS codec', () => {
  test('reads any bytes as a packet, or refuses them', () => {
    const property = fc.property(fc.oneof(bytes, damaged), (datagram) => {
      const packet = readPacket(datagram);
      if (!packet) return;
      expect(encodeAttributes(packet.attributes).equals(packet.bytes.subarray(20))).toBe(true);
      checkMessageAuthenticator(packet, Buffer.from(secret));
      readableValues(packet, dictionary);
      for (const { value } of packet.attributes) decryptPassword(value, Buffer.from(secret), packet.authenticator);
    });
    fc.assert(property, { seed, numRuns: 5_000 * runs });
  });

  test('reads back the passwords that clients hide', () => {
    const property = fc.property(
      fc.string({ maxLength: 120 }),
      fc.uint8Array({ minLength: 16, maxLength: 16 }),
      (text, salt) => {
        const password = text.replaceAll('\0', '');
        fc.pre(password !== '' && Buffer.byteLength(password) <= 128);
        const authenticator = Buffer.from(salt);
        const read = decryptPassword(hidden(password, secret, authenticator), Buffer.from(secret), authenticator);
        expect(read?.toString()).toBe(Buffer.from(password).toString());
      },
    );
    fc.assert(property, { seed, numRuns: 2_000 * runs });
  });

  test('encodes what mappings return, or says why not', () => {
    const name = fc.constantFrom(
      'Reply-Message',
      'Tunnel-Type',
      'Tunnel-Type:1',
      'Tunnel-Password:9',
      'Session-Timeout',
      'Class',
      'Framed-IPv6-Prefix',
      'x',
      'Cisco-AVPair',
      '__proto__',
    );
    const property = fc.property(fc.dictionary(name, fc.jsonValue()), (values) => {
      try {
        const list = encodeValues(values as never, dictionary.find, {
          secret: Buffer.from(secret),
          authenticator: Buffer.alloc(16),
        });
        expect(readPacket(Buffer.concat([Buffer.alloc(20), encodeAttributes(list)]))).toBeNull();
      } catch (error) {
        expect(error).toBeInstanceOf(ValueError);
      }
    });
    fc.assert(property, { seed, numRuns: 3_000 * runs });
  });
});

describeOnSqlite(
  'the RADIUS server',
  (server) => {
    let network: RadiusNetwork;
    beforeAll(async () => {
      network = await makeRadiusNetwork(server());
      await network.change({ require_message_authenticator: false });
    });

    test('answers nothing that it should not, and goes on', async () => {
      const datagrams = fc.sample(damaged, { seed, numRuns: 300 * runs });
      for (const { code } of await exchange(network.port, datagrams)) expect([2, 3, 11]).toContain(code);
      expect((await server().admin.get('/core/users/me/')).status).toBe(200);
      const request = requestOf({ secret, attributes: [[1, Buffer.from('x')]], id: 9 });
      expect((await exchange(network.port, [request]))[0]?.isFrom(secret, request)).toBe(true);
    });

    test('a flood of bad packets leaves HTTP unharmed', async () => {
      const flood = Array.from({ length: 20_000 }, (_, at) => {
        const packet = requestOf({ secret: 'wrong', id: at & 255, attributes: [[1, Buffer.from('x')]] });
        return at % 3 === 0 ? packet.subarray(0, 30) : packet;
      });
      const flooding = exchange(network.port, flood, { firstWithinMs: 1_500 });
      for (let request = 0; request < 20; request++)
        expect((await server().admin.get('/core/users/me/')).status).toBe(200);
      expect(await flooding).toEqual([]);
    });
  },
  { env: radiusPort },
);
