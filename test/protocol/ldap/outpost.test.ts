import { afterAll, beforeAll, expect, test } from 'vitest';
import { runGatehouse } from '../../support/gatehouse-process.ts';
import { base, type Directory, ldapPorts, makeDirectory, password } from '../../support/ldap-directory.ts';
import { entriesIn, findLdapTools, runLdap } from '../../support/ldap-tools.ts';
import { bindMessage, connectWire, searchMessage, type Wire, type WireAnswer } from '../../support/ldap-wire.ts';
import { type OutpostInTest, startOutpost, tokenOf } from '../../support/outpost-process.ts';
import { describeOnBoth } from '../../support/server.ts';

await findLdapTools();
const to = (id: number) => (answer: WireAnswer) => answer.id === id && answer.operation !== 4;

describeOnBoth(
  'an outpost for LDAP in a process of its own',
  (server) => {
    let directory: Directory;
    let outpost: OutpostInTest;
    let own: string;
    let ownTls: string;
    beforeAll(async () => {
      directory = await makeDirectory(server());
      await directory.service('reader');
      outpost = await startOutpost(server(), [directory.provider], {}, { type: 'ldap', env: ldapPorts });
      own = outpost.listening.LDAP ?? '';
      ownTls = outpost.listening.LDAPS ?? '';
    });
    afterAll(() => outpost.stop());

    const bound = async (username = 'reader'): Promise<Wire> => {
      const wire = await connectWire(own);
      wire.send(bindMessage(1, directory.dnOf(username), password));
      expect((await wire.answer(to(1))).code).toBe(0);
      return wire;
    };

    test('serves binds and searches, plainly, by StartTLS and by LDAPS', async () => {
      const args = ['-D', directory.dnOf('reader'), '-w', password];
      const found = await directory.search('reader', ['(&(objectClass=user)(cn=reader))', 'uid'], own);
      expect([found.code, entriesIn(found.stdout).map(({ dn }) => dn)]).toEqual([0, [directory.dnOf('reader')]]);
      expect((await directory.search('reader', [], ownTls)).code).toBe(0);
      expect((await runLdap('ldapwhoami', own, ['-ZZ', ...args])).code).toBe(0);
      expect((await directory.whoami(directory.dnOf('reader'), 'wrong', own)).code).toBe(49);
      const { body } = await server().admin.get('/events/events/?action=login_failed&ordering=-created');
      expect(body.results[0]).toMatchObject({ client_ip: '127.0.0.1' });
    });

    test('serves its providers alone, and the server the others', async () => {
      const other = await server().admin.post('/providers/ldap/', { name: 'Other', base_dn: 'DC=other' });
      await server().admin.post('/core/applications/', { name: 'Other', slug: 'other', provider: other.body.pk });
      const elsewhere = 'cn=reader,ou=users,DC=other';
      expect((await directory.whoami(elsewhere, password)).code).toBe(0);
      expect((await directory.whoami(elsewhere, password, own)).code).toBe(50);
      expect((await directory.whoami(directory.dnOf('reader'), password)).code).toBe(50);
      const wire = await bound();
      wire.send(searchMessage(2, 'DC=other'));
      expect((await wire.answer(to(2))).code).toBe(32);
      wire.socket.destroy();
    });

    test('notices at once that an account is deactivated, and that a provider was taken away', async () => {
      const { pk } = await directory.person('leaver');
      const [left, stays] = [await bound('leaver'), await bound()];
      await server().admin.patch(`/core/users/${pk}/`, { is_active: false });
      left.send(searchMessage(2, base));
      expect((await left.answer(to(2))).code).toBe(50);
      const spare = await server().admin.post('/providers/ldap/', { name: 'Spare', base_dn: 'DC=spare' });
      const path = `/outposts/instances/${outpost.pk}/`;
      await server().admin.patch(path, { providers: [spare.body.pk] });
      stays.send(searchMessage(2, base));
      expect((await stays.answer(to(2))).code).toBe(32);
      await server().admin.patch(path, { providers: [directory.provider] });
      stays.send(searchMessage(3, base));
      expect((await stays.answer(to(3))).code).toBe(0);
      left.socket.destroy();
      stays.socket.destroy();
    });

    test('shows its health on the page of the outpost', async () => {
      const { body } = await server().admin.get(`/outposts/instances/${outpost.pk}/health/`);
      expect(body).toMatchObject([{ version_outdated: false, openssl_enabled: true }]);
    });

    test('answers that it is unavailable while the server is away, and goes on when it is back', async () => {
      const wire = await bound();
      outpost.way.away();
      await wire.closed;
      const refused = await connectWire(own);
      await refused.closed;
      expect(refused.answers.map(({ id, code }) => [id, code])).toEqual([[0, 52]]);
      expect((await directory.whoami(directory.dnOf('reader'), password, own)).code).not.toBe(0);
      expect((await directory.whoami(directory.dnOf('reader'), password, ownTls)).code).not.toBe(0);
      outpost.way.back();
      expect((await directory.whoami(directory.dnOf('reader'), password, own)).code).toBe(0);
      expect((await directory.whoami(directory.dnOf('reader'), password, ownTls)).code).toBe(0);
    });

    test('does not start without a port', async () => {
      const env = { GATEHOUSE_TOKEN: await tokenOf(server(), outpost.identifier), PORT: '0' };
      const { code, stderr } = await runGatehouse(['outpost', '--server', server().url], env);
      expect([code, stderr.includes('set GATEHOUSE_LDAP_PORT or GATEHOUSE_LDAPS_PORT')]).toEqual([1, true]);
    });

    test('loses its rights and its connections when its token is revoked', async () => {
      const [active, idle] = [await bound(), await bound()];
      expect((await server().admin.delete(`/core/tokens/${outpost.identifier}/`)).status).toBe(204);
      active.send(searchMessage(2, base));
      await active.closed;
      expect(active.answers.filter(to(2))).toEqual([]);
      await idle.closed;
      const { code } = await directory.whoami(directory.dnOf('reader'), password, own);
      expect(code).not.toBe(0);
      // Nor does the server serve what an outpost without a token lists.
      expect((await directory.whoami(directory.dnOf('reader'), password)).code).toBe(50);
    });
  },
  { env: ldapPorts },
);
