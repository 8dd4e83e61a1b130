import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ended, localDirectories, makeLdapSource, syncNow } from '../../support/ldap-source.ts';
import { describeOnSqlite } from '../../support/server.ts';
import { findSlapd, personLdif, type Slapd, startSlapd } from '../../support/slapd.ts';

const hasSlapd = await findSlapd();

describe.skipIf(!hasSlapd)('connections of an LDAP source', () => {
  describeOnSqlite(
    'to OpenLDAP',
    (server) => {
      let slapd: Slapd;
      let authority: string;
      beforeAll(async () => {
        slapd = await startSlapd();
        await slapd.add(personLdif('ada'));
        const { admin } = server();
        await makeLdapSource(admin, slapd, { enabled: true });
        const { certificate: certificate_data } = slapd;
        const made = await admin.post('/crypto/certificatekeypairs/', { name: 'Authority', certificate_data });
        authority = made.body.pk;
      });
      afterAll(() => slapd.stop());

      /** How a run ends with these settings. */
      async function runWith(values: Record<string, unknown>) {
        const { admin } = server();
        const usual = { start_tls: false, verify_certificates: true, peer_certificate: null, sni: false };
        const changed = await admin.patch('/sources/ldap/directory/', { ...usual, ...values });
        if (changed.status !== 200) throw new Error(changed.text);
        const { state, messages, users } = (await ended(admin)).run;
        return state === 'done' ? users.found : messages.join();
      }

      test('verify the certificate against the authorities of the system by default', async () => {
        expect(await runWith({ server_uri: slapd.tlsUrl })).toContain(
          'is not signed by an authority that this server trusts',
        );
        expect(await runWith({ server_uri: slapd.tlsUrl, verify_certificates: false })).toBe(1);
        const localhost = slapd.url.replace('127.0.0.1', 'localhost');
        expect(await runWith({ server_uri: localhost, start_tls: true })).toContain(
          'is not signed by an authority that this server trusts',
        );
      });

      test.each([true, false])('accept a chosen authority, for the host that is named only (SNI %s)', async (sni) => {
        const settings = { peer_certificate: authority, sni };
        expect(await runWith({ server_uri: slapd.tlsUrl, ...settings })).toBe(1);
        const localhost = slapd.url.replace('127.0.0.1', 'localhost');
        expect(await runWith({ server_uri: localhost, start_tls: true, ...settings })).toBe(1);
        const byAddress = slapd.tlsUrl.replace('localhost', '127.0.0.1');
        expect(await runWith({ server_uri: byAddress, ...settings })).toContain('its certificate is for another name');
        expect(await runWith({ server_uri: slapd.url, start_tls: true, ...settings })).toContain('another name');
      });

      test('take another server when one is away, and do not try another with a password that is wrong', async () => {
        expect(await runWith({ server_uri: `ldap://127.0.0.1:1,${slapd.url}` })).toBe(1);
        const { admin } = server();
        const bad = { server_uri: `${slapd.url},ldap://127.0.0.1:1`, bind_password: 'wrong' };
        expect(await runWith(bad)).toMatch(/result 49|accepts no connections/);
        await admin.patch('/sources/ldap/directory/', { bind_password: 'the secret of the directory' });
        await ended(admin);
      });

      test('are not sent in the clear when a server answers StartTLS and goes on without', async () => {
        const seen: Buffer[] = [];
        const fake = createServer((socket) => {
          socket.on('error', () => {});
          socket.on('data', (data: Buffer) => {
            seen.push(data);
            // Success, and at once the answer to a bind that has not been sent.
            if (seen.length === 1)
              socket.write(Buffer.from('300c02010178070a010004000400300c02010261070a010004000400', 'hex'));
          });
        });
        await new Promise<void>((resolve) => fake.listen(0, '127.0.0.1', resolve));
        const address = fake.address();
        const port = typeof address === 'object' ? address?.port : 0;
        expect(await runWith({ server_uri: `ldap://127.0.0.1:${port}`, start_tls: true })).toContain(
          'ended the connection',
        );
        expect(Buffer.concat(seen).includes('the secret of the directory')).toBe(false);
        fake.close();
      });

      test('end at servers that send nonsense, or more than anybody needs', async () => {
        const answers = [
          'ffffffffffffffff',
          '3084ffffffff',
          '30800000',
          '3003020101',
          `300c02010161070a01000400040${'0'}`,
        ];
        for (const answer of answers) {
          const fake = createServer((socket) => {
            socket.on('error', () => {});
            socket.once('data', () =>
              socket.write(Buffer.from(answer.padEnd(answer.length + (answer.length % 2), '0'), 'hex')),
            );
            setTimeout(() => socket.destroy(), 500).unref();
          });
          await new Promise<void>((resolve) => fake.listen(0, '127.0.0.1', resolve));
          const address = fake.address();
          const port = typeof address === 'object' ? address?.port : 0;
          expect(typeof (await runWith({ server_uri: `ldap://127.0.0.1:${port}` }))).toBe('string');
          fake.close();
        }
      });

      test('do not follow referrals', async () => {
        await slapd.add(`dn: ou=elsewhere,ou=people,dc=example,dc=com
objectClass: referral
objectClass: extensibleObject
ou: elsewhere
ref: ldap://127.0.0.1:1/ou=elsewhere,dc=example,dc=com
`);
        expect(await runWith({ server_uri: slapd.url })).toBe(1);
        expect((await syncNow(server().admin)).messages).toEqual([
          'Referrals to other servers that were not followed: 1.',
        ]);
      });
    },
    localDirectories,
  );

  describeOnSqlite('of a server that may not reach private addresses', (server) => {
    test('are refused', async () => {
      const { admin } = server();
      const made = await admin.post('/sources/ldap/', {
        ...{ name: 'Inside', slug: 'inside', server_uri: 'ldap://127.0.0.1:389', base_dn: 'dc=example,dc=com' },
      });
      expect(made.status).toBe(201);
      const answer = await admin.get('/sources/ldap/inside/debug/');
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('GATEHOUSE_OUTBOUND_ALLOW')]);
    });
  });
});
