import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ended, localDirectories, makeLdapSource, membersNamed, syncNow } from '../../support/ldap-source.ts';
import { describeOnSqlite } from '../../support/server.ts';
import { findSlapd, groupLdif, personDn, personLdif, type Slapd, startSlapd } from '../../support/slapd.ts';
import { startValueRangeGate, type ValueRangeGate } from '../../support/value-range-gate.ts';

const hasSlapd = await findSlapd();

describe.skipIf(!hasSlapd)('groups of which a directory sends a part at a time', () => {
  describeOnSqlite(
    'as Active Directory does',
    (server) => {
      let slapd: Slapd;
      let gate: ValueRangeGate;
      const names = Array.from({ length: 8 }, (_, index) => `person${index}`);
      beforeAll(async () => {
        slapd = await startSlapd();
        gate = await startValueRangeGate(slapd.port, 3);
        await slapd.add(names.map((name) => personLdif(name)).join('\n'));
        await slapd.add(
          [groupLdif('everybody', names.map(personDn)), groupLdif('three', names.slice(0, 3).map(personDn))].join('\n'),
        );
      });
      afterAll(async () => {
        gate.close();
        await slapd.stop();
      });

      test('have all their members', async () => {
        const { admin } = server();
        await makeLdapSource(admin, slapd, { server_uri: gate.url });
        expect((await ended(admin)).run).toMatchObject({ state: 'done', memberships: { added: 11, removed: 0 } });
        expect(gate.asked).toEqual(['member;range=3-*', 'member;range=6-*']);
        expect(await membersNamed(admin, 'everybody')).toEqual(names);
        expect(await membersNamed(admin, 'three')).toEqual(names.slice(0, 3));
        expect((await syncNow(admin)).memberships).toEqual({ added: 0, removed: 0 });
      });

      test('lose no members when the rest cannot be read', async () => {
        const { admin } = server();
        gate.isMute = true;
        const { state, messages } = await syncNow(admin);
        expect([state, messages.join()]).toEqual(['failed', expect.stringContaining('sent only a part of member')]);
        expect(await membersNamed(admin, 'everybody')).toEqual(names);
        gate.isMute = false;
      });

      test('do not fill the memory when there is no end of them', async () => {
        const { admin } = server();
        gate.isEndless = true;
        const { state, messages } = await syncNow(admin);
        expect([state, messages.join()]).toEqual(['failed', expect.stringContaining('sent too many values of member')]);
        expect(await membersNamed(admin, 'everybody')).toEqual(names);
      });
    },
    localDirectories,
  );
});
