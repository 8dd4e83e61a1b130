import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { beforeAll, expect, test } from 'vitest';
import { generateCertificate } from '../../../src/lib/certificate/generate-certificate.ts';
import { constructed, context, encode, encodeText } from '../../../src/lib/ldap/ber.ts';
import { base, type Directory, ldapPorts, makeDirectory, password } from '../../support/ldap-directory.ts';
import { findLdapTools, runLdap } from '../../support/ldap-tools.ts';
import {
  abandonMessage,
  bindMessage,
  connectWire,
  present,
  searchMessage,
  startTlsMessage,
  unbindMessage,
  type Wire,
  type WireAnswer,
} from '../../support/ldap-wire.ts';
import { describeOnBoth } from '../../support/server.ts';

const hasTools = await findLdapTools();
const to = (id: number) => (answer: WireAnswer) => answer.id === id && answer.operation !== 4;

describeOnBoth(
  'LDAP connections',
  (server) => {
    let directory: Directory;
    beforeAll(async () => {
      directory = await makeDirectory(server());
      await directory.service('reader');
    });
    const bound = async (localAddress?: string): Promise<Wire> => {
      const wire = await connectWire(directory.url, localAddress);
      wire.send(bindMessage(1, directory.dnOf('reader'), password));
      expect((await wire.answer(to(1))).code).toBe(0);
      return wire;
    };

    test.runIf(hasTools)('are encrypted from the start, or by StartTLS', async () => {
      const args = ['-D', directory.dnOf('reader'), '-w', password];
      expect((await runLdap('ldapwhoami', directory.tlsUrl, args)).code).toBe(0);
      expect((await runLdap('ldapwhoami', directory.url, ['-ZZ', ...args])).code).toBe(0);
      // Once is enough.
      expect((await runLdap('ldapwhoami', directory.tlsUrl, ['-ZZ', ...args])).code).not.toBe(0);
    });

    test('show the certificate of the provider with the name that the client asks for', async () => {
      const { admin } = server();
      const pairOf = async (name: string) => {
        const { certificate, key } = await generateCertificate({
          ...{ commonName: name, subjectAltNames: [name], validityDays: 30, algorithm: 'ecdsa', rsaBits: 2048 },
        });
        const body = { name, certificate_data: certificate, key_data: key };
        return (await admin.post('/crypto/certificatekeypairs/', body)).body.pk as string;
      };
      const shown = (servername: string) =>
        new Promise<string>((resolve, reject) => {
          const { hostname, port } = new URL(directory.tlsUrl);
          const socket: TLSSocket = connectTls(
            { host: hostname, port: Number(port), rejectUnauthorized: false, ...(servername && { servername }) },
            () => {
              resolve(String(socket.getPeerCertificate().subject.CN));
              socket.destroy();
            },
          );
          socket.on('error', reject);
        });
      const installed = await shown('');
      await directory.change({ certificate: await pairOf('one.example.com'), tls_server_name: 'One.example.com' });
      // The only one is shown whatever the client asks for.
      expect(await shown('')).toBe('one.example.com');
      const other = { name: 'Other', base_dn: 'DC=other', tls_server_name: 'two.example.com' };
      await admin.post('/providers/ldap/', { ...other, certificate: await pairOf('two.example.com') });
      expect(await shown('ONE.example.com')).toBe('one.example.com');
      expect(await shown('two.example.com')).toBe('two.example.com');
      expect([await shown(''), await shown('three.example.com')]).toEqual([installed, installed]);
    });

    test('take nothing that was sent in the clear for encrypted', async () => {
      const wire = await connectWire(directory.url);
      wire.send(startTlsMessage(1), bindMessage(2, directory.dnOf('reader'), password));
      await wire.closed;
      expect(wire.answers.map(({ id, code }) => [id, code])).toEqual([[0, 2]]);
    });

    test('run operations side by side, and end those that are abandoned', async () => {
      const wire = await bound();
      wire.send(searchMessage(2, base), searchMessage(3, `ou=users,${base}`), abandonMessage(4, 2));
      expect((await wire.answer(to(3))).code).toBe(0);
      wire.send(searchMessage(5, base));
      expect((await wire.answer(to(5))).code).toBe(0);
      expect(wire.answers.filter(to(2))).toEqual([]);
      wire.send(unbindMessage(6));
      await wire.closed;
    });

    test('are bound apart from each other: unbinding one leaves others bound', async () => {
      const [one, other] = [await bound(), await bound()];
      one.send(unbindMessage(2));
      await one.closed;
      other.send(searchMessage(2, `cn=reader,ou=users,${base}`));
      expect((await other.answer(to(2))).code).toBe(0);
      // A bind that fails leaves the connection without a user.
      other.send(bindMessage(3, directory.dnOf('reader'), 'wrong'));
      expect((await other.answer(to(3))).code).toBe(49);
      other.send(searchMessage(4, `cn=reader,ou=users,${base}`));
      expect((await other.answer(to(4))).code).toBe(50);
      other.socket.destroy();
    });

    test('see what the user may do at the time of each operation', async () => {
      const { pk } = await directory.service('leaver');
      const wire = await connectWire(directory.url);
      wire.send(bindMessage(1, directory.dnOf('leaver'), password), searchMessage(2, base));
      expect((await wire.answer(to(2))).code).toBe(0);
      await server().admin.patch(`/core/users/${pk}/`, { is_active: false });
      wire.send(searchMessage(3, base));
      expect((await wire.answer(to(3))).code).toBe(50);
      wire.socket.destroy();
    });

    const nested = (depth: number): Buffer =>
      depth === 0 ? present('cn') : encode(context | constructed | 2, nested(depth - 1));
    const many = encode(context | constructed | 0, ...Array.from({ length: 400 }, () => present('cn')));

    test.each<[string, () => Buffer]>([
      ['what is no message', () => Buffer.from('GET / HTTP/1.1\r\n\r\n')],
      ['a message that is too long, before it arrives', () => Buffer.from([0x30, 0x84, 0x7f, 0xff, 0xff, 0xff])],
      ['an indefinite length', () => Buffer.from([0x30, 0x80, 0x02, 0x01, 0x01])],
      ['an operation without content', () => Buffer.from([0x30, 0x05, 0x02, 0x01, 0x01, 0x60, 0x00])],
      ['a filter that is nested too deeply', () => searchMessage(1, base, { filter: nested(30) })],
      [
        'a filter of thousands of parts',
        () =>
          searchMessage(1, base, {
            filter: encode(context | constructed, ...Array.from({ length: 3_000 }, () => present('a'))),
          }),
      ],
    ])('end with the protocol’s error: %s', async (_, bytes) => {
      const wire = await connectWire(directory.url);
      wire.send(bytes());
      await wire.closed;
      expect(wire.answers).toEqual([{ id: 0, operation: 24, code: 2 }]);
    });

    test('answer a filter of many parts with a limit', async () => {
      const wire = await bound();
      wire.send(searchMessage(2, base, { filter: many }));
      expect((await wire.answer(to(2))).code).toBe(11);
      const few = encode(
        context | constructed | 1,
        ...Array.from({ length: 200 }, (_, at) =>
          encode(context | constructed | 3, encodeText('cn'), encodeText(`nobody ${at}`)),
        ),
      );
      wire.send(searchMessage(3, base, { filter: few }));
      expect((await wire.answer(to(3))).code).toBe(0);
      wire.socket.destroy();
    });

    test('are bounded for each network: a thousand idle ones leave the others and HTTP unharmed', async () => {
      const kept = await bound('127.0.0.9');
      const idle: Wire[] = [];
      for (const network of ['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5'])
        idle.push(...(await Promise.all(Array.from({ length: 250 }, () => connectWire(directory.url, network)))));
      // Begun messages that never end.
      for (const wire of idle.slice(0, 500)) wire.send(Buffer.from([0x30, 0x82]));
      const began = performance.now();
      expect((await server().admin.get('/core/users/me/')).status).toBe(200);
      expect(performance.now() - began).toBeLessThan(2_000);
      // Who binds stays; the oldest of the others made room.
      const late = await bound('127.0.0.9');
      for (const wire of [kept, late]) {
        wire.send(searchMessage(2, `cn=reader,ou=users,${base}`));
        expect((await wire.answer(to(2))).code).toBe(0);
      }
      for (const { socket } of [...idle, kept, late]) socket.destroy();
    });

    test('a flood of anonymous binds is cut off, and leaves others unharmed', async () => {
      const isOpen = async (localAddress: string) => {
        const wire = await connectWire(directory.url, localAddress);
        wire.send(bindMessage(1, '', ''));
        const answer = await wire.answer(to(1)).catch(() => null);
        wire.socket.destroy();
        return answer?.code === 0;
      };
      const flood = await connectWire(directory.url, '127.0.0.7');
      for (let id = 1; id <= 4_000 && !flood.socket.destroyed; id++) {
        flood.send(bindMessage(id, '', ''));
        if (id % 200 === 0) await sleep(1);
      }
      await flood.closed;
      expect(flood.answers.at(-1)).toEqual({ id: 0, operation: 24, code: 51 });
      expect(flood.answers.filter(({ code }) => code === 0).length).toBeLessThanOrEqual(3_000);
      expect([await isOpen('127.0.0.7'), await isOpen('127.0.0.8')]).toEqual([false, true]);
      const began = performance.now();
      expect((await server().admin.get('/core/users/me/')).status).toBe(200);
      expect(performance.now() - began).toBeLessThan(2_000);
    });
  },
  { env: ldapPorts },
);
