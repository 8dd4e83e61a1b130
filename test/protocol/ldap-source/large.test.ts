import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ended, groupNamed, localDirectories, makeLdapSource, syncNow } from '../../support/ldap-source.ts';
import { describeOnSqlite } from '../../support/server.ts';
import { findSlapd, groupLdif, personDn, personLdif, type Slapd, startSlapd } from '../../support/slapd.ts';

const hasSlapd = await findSlapd();
const count = 3_000;

describe.skipIf(!hasSlapd)('an LDAP source with 3,000 users', () => {
  describeOnSqlite(
    'in one group',
    (server) => {
      let slapd: Slapd;
      beforeAll(async () => {
        slapd = await startSlapd();
        const names = Array.from({ length: count }, (_, index) => `person${index}`);
        await slapd.add(names.map((name) => personLdif(name)).join('\n'));
        await slapd.add(groupLdif('everybody', names.map(personDn)));
      }, 300_000);
      afterAll(() => slapd.stop());

      test('reads them in pages, with all members, and then finds them unchanged', async () => {
        const { admin } = server();
        // The bind account has no size limit; searches of others end at 500 entries.
        await makeLdapSource(admin, slapd);
        const { run } = await ended(admin, 'directory', 300);
        expect(run).toMatchObject({ state: 'done', users: { found: count, created: count, failed: 0 } });
        expect(run.memberships).toEqual({ added: count, removed: 0 });
        expect((await groupNamed(admin, 'everybody')).name).toBe('everybody');
        const again = await syncNow(admin, {}, 'directory', 300);
        expect(again).toMatchObject({ state: 'done', users: { found: count, unchanged: count } });
        expect(again.memberships).toEqual({ added: 0, removed: 0 });
      }, 600_000);
    },
    localDirectories,
  );
});
