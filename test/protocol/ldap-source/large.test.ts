import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { slowness } from '../../support/cost-of-requests.ts';
import { ended, groupNamed, localDirectories, makeLdapSource, syncNow } from '../../support/ldap-source.ts';
import { describeOnSqlite } from '../../support/server.ts';
import { findSlapd, groupLdif, personDn, personLdif, type Slapd, startSlapd } from '../../support/slapd.ts';

const hasSlapd = await findSlapd();
/** More than two pages of users, and more members than one statement stores. */
const [count, members] = [450, 10_000];

describe.skipIf(!hasSlapd)('an LDAP source with hundreds of users', () => {
  describeOnSqlite(
    'in one group',
    (server) => {
      let slapd: Slapd;
      beforeAll(async () => {
        slapd = await startSlapd();
        const names = Array.from({ length: members }, (_, index) => `person${index}`);
        await slapd.add(
          names
            .slice(-count)
            .map((name) => personLdif(name))
            .join('\n'),
        );
        // The directory keeps the names of others, too.
        await slapd.add(groupLdif('everybody', names.map(personDn)));
      });
      afterAll(() => slapd.stop());

      test('reads them in pages, with all members, and then finds them unchanged', async () => {
        const { admin } = server();
        await makeLdapSource(admin, slapd);
        const { run } = await ended(admin);
        expect(run).toMatchObject({ state: 'done', users: { found: count, created: count, failed: 0 } });
        expect(run.memberships).toEqual({ added: count, removed: 0 });
        expect((await groupNamed(admin, 'everybody')).name).toBe('everybody');
        const before = process.threadCpuUsage();
        const again = await syncNow(admin);
        const { user, system } = process.threadCpuUsage(before);
        expect(again).toMatchObject({ state: 'done', users: { found: count, unchanged: count } });
        expect(again.memberships).toEqual({ added: 0, removed: 0 });
        // Took 20 s when each member was compared with all others, and nothing else was done meanwhile.
        expect((user + system) / 1_000 / slowness()).toBeLessThan(5_000);
      });
    },
    localDirectories,
  );
});
