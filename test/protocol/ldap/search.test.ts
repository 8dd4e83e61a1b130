import { beforeAll, describe, expect, test } from 'vitest';
import { base, type Directory, ldapPorts, makeDirectory, password } from '../../support/ldap-directory.ts';
import { entriesIn, findLdapTools, runLdap } from '../../support/ldap-tools.ts';
import { describeOnBoth } from '../../support/server.ts';

const hasTools = await findLdapTools();

describeOnBoth(
  'LDAP searches',
  (server) => {
    let directory: Directory;
    const pks: Record<string, number> = {};
    const groups: Record<string, string> = {};

    beforeAll(async () => {
      if (!hasTools) return;
      const { admin } = server();
      directory = await makeDirectory(server(), { published_attributes: ['loginShell', 'nested', 'tags', 'a-b'] });
      await directory.service('reader');
      pks.ada = (
        await directory.person('ada', {
          name: 'Ada Lovelace',
          email: 'Ada@example.com',
          attributes: {
            ...{
              loginShell: '/bin/%s',
              nested: { secret: 1 },
              tags: ['one', 2, true],
              'a/b': 'slash',
              secret: 'hidden',
            },
            ...{ memberOf: 'cn=forged', uidNumber: '90001', objectClass: 'forged' },
          },
        })
      ).pk;
      pks.bob = (await directory.person('bob', { name: 'Bob Ross', attributes: { uidNumber: '0' } })).pk;
      pks.emile = (await directory.person('émile', { name: 'Émile Zola', email: 'zola@example.com' })).pk;
      pks.off = (await directory.person('off', { is_active: false })).pk;
      const group = async (name: string, users: number[], parent: string | null = null) => {
        const made = await admin.post('/core/groups/', { name, users, parent });
        groups[name] = made.body.pk;
        return made.body.pk as string;
      };
      const staff = await group('Staff', [pks.bob]);
      await group('Développement, "R&D"', [pks.ada, pks.emile], staff);
    });

    const find = async (filter: string, attributes: readonly string[] = ['cn'], username = 'reader', within = base) => {
      const answer = await runLdap('ldapsearch', directory.url, [
        ...['-LLL', '-o', 'ldif-wrap=no', '-D', directory.dnOf(username), '-w', password, '-b', within],
        ...[filter, ...attributes],
      ]);
      if (answer.code !== 0) throw new Error(`${answer.code} ${answer.stderr}`);
      return entriesIn(answer.stdout);
    };
    const names = async (filter: string, username?: string, within?: string) =>
      (await find(filter, ['cn'], username, within)).map(({ cn }) => cn);
    const within = async (container: string, filter: string, username: string) =>
      (await names(filter, username, `ou=${container},${base}`)).filter((name) => name !== container);
    const usersWith = (filter: string) => within('users', filter, 'reader');
    const groupsWith = (filter: string, username = 'reader') => within('groups', filter, username);

    test.runIf(hasTools)('names lead to no home directory of others, and stay as they are in attributes', async () => {
      for (const [username, home] of [
        ['../etc', undefined],
        ['..', undefined],
        ['a:0:0', undefined],
        ["$&$'x", "/home/$&$'x"],
      ] as const) {
        const { pk } = await directory.person(username, { attributes: { loginShell: '/bin/%s' } });
        const [user] = await find(`(uidNumber=${2_000 + pk})`, ['homeDirectory', 'loginShell']);
        expect([username, user?.homeDirectory, user?.loginShell]).toEqual([username, home, `/bin/${username}`]);
        await server().admin.delete(`/core/users/${pk}/`);
      }
    });

    test.runIf(hasTools)('a user', async () => {
      const [ada] = await find('(uid=ADA)', ['*', '+']);
      expect(ada).toMatchObject({
        dn: `cn=ada,ou=users,${base}`,
        cn: 'ada',
        sAMAccountName: 'ada',
        uid: 'ada',
        name: 'Ada Lovelace',
        displayName: 'Ada Lovelace',
        sn: 'Ada Lovelace',
        mail: 'Ada@example.com',
        uidNumber: '90001',
        gidNumber: '90001',
        homeDirectory: '/home/ada',
        'xak-active': 'TRUE',
        'xak-superuser': 'FALSE',
        objectClass: [
          ...['top', 'person', 'organizationalPerson', 'inetOrgPerson', 'user', 'posixAccount', 'gatehouse/ldap/user'],
        ],
        memberOf: [`cn=Développement\\, \\"R&D\\",ou=groups,${base}`, `cn=Staff,ou=groups,${base}`],
        distinguishedName: `cn=ada,ou=users,${base}`,
        entryDN: `cn=ada,ou=users,${base}`,
        loginShell: '/bin/ada',
        tags: ['one', '2', 'true'],
        'a-b': 'slash',
        hasSubordinates: 'FALSE',
      });
      expect(ada?.createTimestamp).toMatch(/^20\d{12}Z$/);
      for (const name of ['secret', 'nested', 'password', 'userPassword']) expect(ada).not.toHaveProperty(name);
    });

    test.runIf(hasTools)('the number of root is no user’s', async () => {
      const [bob] = await find('(cn=bob)', ['uidNumber', 'gidNumber']);
      expect(bob).toMatchObject({ uidNumber: String(2000 + (pks.bob ?? 0)) });
    });

    test.runIf(hasTools)('a group', async () => {
      const [staff] = await find('(&(objectClass=group)(cn=staff))', ['*']);
      expect(staff).toMatchObject({
        dn: `cn=Staff,ou=groups,${base}`,
        uid: groups.Staff,
        'xak-superuser': 'false',
        // Through groups below it, too, as `memberOf` of users says.
        member: [
          `cn=ada,ou=users,${base}`,
          `cn=bob,ou=users,${base}`,
          `cn=émile,ou=users,${base}`,
          `cn=Développement\\, \\"R&D\\",ou=groups,${base}`,
        ],
        memberUid: ['ada', 'bob', 'émile'],
      });
      expect(Number(staff?.gidNumber)).toBeGreaterThan(4000);
    });

    test.runIf(hasTools)('the primary group of a user', async () => {
      const [own] = await find('(&(objectClass=posixGroup)(gidNumber=90001))', ['*']);
      expect(own).toMatchObject({
        dn: `cn=ada,ou=virtual-groups,${base}`,
        member: `cn=ada,ou=users,${base}`,
        memberUid: 'ada',
        uid: 'ada',
      });
    });

    test.runIf(hasTools)('`uid` is the hashed id if the provider says so', async () => {
      await directory.change({ uid_source: 'hashed_user_id' });
      const [ada] = await find('(cn=ada)', ['uid']);
      expect(ada?.uid).toMatch(/^[0-9a-f]{64}$/);
      expect(await usersWith(`(uid=${ada?.uid})`)).toEqual(['ada']);
      expect(await usersWith('(uid=ada)')).toEqual([]);
      await directory.change({ uid_source: 'username' });
    });

    describe('filters', () => {
      test.runIf(hasTools).each<[filter: string, found: string[]]>([
        ['(cn=ada)', ['ada']],
        ['(CommonName= ADA )', ['ada']],
        ['(2.5.4.3=ada)', ['ada']],
        ['(cn=ÉMILE)', ['émile']],
        ['(mail=ada@EXAMPLE.com)', ['ada']],
        ['(mail=*)', ['ada', 'émile']],
        ['(!(mail=*))', ['reader', 'bob', 'off']],
        ['(mail=*@example.com)', ['ada', 'émile']],
        ['(cn=*d*)', ['reader', 'ada']],
        ['(cn=a*a)', ['ada']],
        ['(cn=a*ada)', []],
        ['(cn=*É*)', ['émile']],
        ['(cn=%)', []],
        ['(cn=_*)', []],
        ['(displayName=ada  lovelace)', ['ada']],
        ['(displayName=*LOVE*ce)', ['ada']],
        ['(name=*LOVE*)', ['ada']],
        ['(sn=émile zola)', ['émile']],
        ['(&(cn=ada)(mail=ada@example.com))', ['ada']],
        ['(&(cn=ada)(mail=zola@example.com))', []],
        ['(|(cn=ada)(cn=bob))', ['ada', 'bob']],
        ['(|(cn=ada)(loginShell=/bin/ada))', ['ada']],
        ['(&)', ['reader', 'ada', 'bob', 'émile', 'off']],
        ['(|)', []],
        ['(!(|(cn=reader)(cn=ada)))', ['bob', 'émile', 'off']],
        ['(xak-active=FALSE)', ['off']],
        ['(xak-superuser=TRUE)', []],
        ['(uidNumber=90001)', ['ada']],
        ['(uidNumber=090001)', ['ada']],
        ['(uidNumber>=90000)', ['ada']],
        ['(uidNumber=0)', []],
        ['(uidNumber=99999999999)', []],
        ['(gidNumber=90001)', ['ada']],
        ['(loginShell=/BIN/ada)', ['ada']],
        ['(loginShell=*)', ['ada']],
        ['(tags=2)', ['ada']],
        ['(secret=hidden)', []],
        ['(!(secret=*))', ['reader', 'ada', 'bob', 'émile', 'off']],
        ['(|(givenName=*d*)(sn=*LOVE*))', ['ada']],
        ['(cn:caseExactMatch:=ADA)', []],
        ['(cn:caseExactMatch:=ada)', ['ada']],
        ['(cn:=ADA)', ['ada']],
        ['(cn:1.2.3:=ada)', []],
        ['(:caseIgnoreMatch:=ada  LOVELACE)', ['ada']],
        ['(:caseExactMatch:=ada lovelace)', []],
        ['(:caseIgnoreMatch:=90001)', []],
        ['(:1.2.3:=ada)', []],
        ['(&(cn=ada)(:dn:2.5.13.2:=Users))', ['ada']],
        ['(&(cn=ada)(:2.5.13.2:=users))', []],
        ['(ou:dn:=users)', ['reader', 'ada', 'bob', 'émile', 'off']],
        ['(uidNumber:1.2.840.113556.1.4.803:=65537)', ['ada']],
        ['(objectClass=INETORGPERSON)', ['reader', 'ada', 'bob', 'émile', 'off']],
        ['(objectClass=group)', []],
        // Attributes of other servers.
        ['(&(cn=bob)(!(userAccountControl:1.2.840.113556.1.4.803:=2)))', ['bob']],
        ['(modifyTimestamp>=20200101000000Z)', ['reader', 'ada', 'bob', 'émile', 'off']],
        ['(modifyTimestamp<=20200101000000Z)', []],
        ['(memberOf=cn=forged)', []],
      ])('%s', async (filter, found) => {
        expect((await usersWith(filter)).filter((name) => !['admin', 'akadmin'].includes(String(name))).sort()).toEqual(
          [...found].sort(),
        );
      });

      test.runIf(hasTools)('memberships, through groups below too', async () => {
        const below = 'cn=d\\c3\\a9veloppement\\5c, \\5c"r&d\\5c",ou=groups';
        expect(await usersWith(`(memberOf=cn=staff,ou=groups,${base})`)).toEqual(['ada', 'bob', 'émile']);
        expect(await usersWith(`(memberOf:1.2.840.113556.1.4.1941:=cn=staff,ou=groups,${base})`)).toHaveLength(3);
        expect(await usersWith(`(memberOf:dn:1.2.840.113556.1.4.1941:=cn=staff,ou=groups,${base})`)).toHaveLength(3);
        expect(await usersWith(`(memberOf=${below},${base})`)).toEqual(['ada', 'émile']);
        expect(await usersWith(`(&(memberOf=cn=Staff,ou=groups,${base})(!(memberOf=${below},${base})))`)).toEqual([
          'bob',
        ]);
        expect(await usersWith(`(&(memberOf=cn=Staff,ou=groups,${base})(loginShell=*))`)).toEqual(['ada']);
        expect((await groupsWith(`(member=cn=ADA,ou=users,${base})`)).sort()).toEqual([
          'Développement, "R&D"',
          'Staff',
        ]);
        expect(await groupsWith(`(&(member=cn=ada,ou=users,${base})(cn=staff))`)).toEqual(['Staff']);
        expect(await groupsWith(`(&(member=cn=bob,ou=users,${base})(gidNumber>=1))`)).toEqual(['Staff']);
        expect(await groupsWith(`(memberOf=cn=staff,ou=groups,${base})`)).toEqual(['Développement, "R&D"']);
        expect(await groupsWith('(memberUid=bob)')).toEqual(['Staff']);
        expect((await groupsWith('(&(member=*)(cn=s*))')).sort()).toEqual(['Staff']);
        expect(await groupsWith('(member=nonsense)')).toEqual([]);
      });
    });

    describe('scopes', () => {
      const count = async (scope: string, within: string) => {
        const answer = await directory.search('reader', ['-s', scope, '-b', within, '(objectClass=*)', '1.1']);
        return answer.code === 0 ? entriesIn(answer.stdout).map(({ dn }) => dn) : answer.code;
      };

      test.runIf(hasTools)('select parts of the tree', async () => {
        expect(await count('base', base)).toEqual([base]);
        expect(await count('one', base)).toEqual(
          ['users', 'groups', 'virtual-groups'].map((one) => `ou=${one},${base}`),
        );
        const users = (await count('one', `ou=users,${base}`)) as string[];
        expect(users).toContain(`cn=ada,ou=users,${base}`);
        expect(await count('children', `ou=users,${base}`)).toEqual(users);
        expect(await count('sub', `ou=users,${base}`)).toEqual([`ou=users,${base}`, ...users]);
        expect(await count('base', `CN=Ada,OU=Users,${base}`)).toEqual([`cn=ada,ou=users,${base}`]);
        expect(await count('sub', `cn=ada,ou=users,${base}`)).toEqual([`cn=ada,ou=users,${base}`]);
        expect(await count('one', `cn=ada,ou=users,${base}`)).toEqual([]);
        expect(await count('base', `cn=staff,ou=groups,${base}`)).toEqual([`cn=Staff,ou=groups,${base}`]);
        expect(((await count('sub', base)) as string[]).length).toBeGreaterThan(2 * users.length);
      });

      test.runIf(hasTools).each([`cn=nobody,ou=users,${base}`, `ou=nothing,${base}`, `cn=a,cn=ada,ou=users,${base}`])(
        'there is no %s',
        async (within) => {
          expect(await count('base', within)).toBe(32);
        },
      );
    });

    test.runIf(hasTools)('entries are found by each of their attributes', async () => {
      for (const dn of [`cn=ada,ou=users,${base}`, `cn=staff,ou=groups,${base}`, `cn=ada,ou=virtual-groups,${base}`]) {
        const [entry] = await find(`(entryDN=${dn})`, ['*', '+']);
        const types = Object.keys(entry ?? {}).filter((type) => type !== 'dn');
        expect(types.length).toBeGreaterThan(12);
        expect(await find(`(&(entryDN=${dn})${types.map((type) => `(${type}=*)`).join('')})`)).toHaveLength(1);
      }
      // A published attribute stands in place of a computed one.
      await directory.change({ published_attributes: ['displayName'] });
      await server().admin.patch(`/core/users/${pks.bob}/`, { attributes: { displayName: 'Robert' } });
      expect(await usersWith('(displayName=*bert*)')).toEqual(['bob']);
      expect(await usersWith('(displayName=*ross*)')).toEqual([]);
      await server().admin.patch(`/core/users/${pks.bob}/`, { attributes: { uidNumber: '0' } });
      await directory.change({ published_attributes: ['loginShell', 'nested', 'tags', 'a-b'] });
    });

    test.runIf(hasTools)('attributes are selected', async () => {
      const keys = async (...attributes: string[]) => Object.keys((await find('(cn=bob)', attributes))[0] ?? {}).sort();
      expect(await keys('1.1')).toEqual(['dn']);
      expect(await keys('CN', 'uid')).toEqual(['cn', 'dn', 'uid']);
      expect(await keys('cn,mail,uid')).toEqual(['cn', 'dn', 'uid']);
      expect(await keys('*')).not.toContain('entryUUID');
      expect(await keys('+')).toEqual([
        ...['createTimestamp', 'dn', 'entryDN', 'entryUUID', 'hasSubordinates', 'modifyTimestamp'],
        ...['pwdChangedTime', 'structuralObjectClass', 'subschemaSubentry'],
      ]);
      expect(await keys('entryUUID', '*')).toContain('entryUUID');
      const typesOnly = await directory.search('reader', ['-A', '(cn=bob)', 'cn', 'memberOf']);
      expect(typesOnly.stdout).toBe(
        `dn: cn=bob,ou=users,${base}\ncn:\nmemberOf:\n\ndn: cn=bob,ou=virtual-groups,${base}\ncn:\n\n`,
      );
    });

    test.runIf(hasTools)('limits, pages and order', async () => {
      const search = (...args: string[]) => directory.search('reader', [...args, '-b', `ou=users,${base}`]);
      expect((await search('-z', '2', '(uid=*)', 'cn')).code).toBe(4);
      const all = entriesIn((await search('(uid=*)', 'cn')).stdout).map(({ cn }) => cn);
      const paged = entriesIn((await search('-E', 'pr=2/noprompt', '(uid=*)', 'cn')).stdout).map(({ cn }) => cn);
      expect(paged).toEqual(all);
      expect(all.length).toBeGreaterThan(4);
      const sorted = (...args: string[]) =>
        search(...args, '(uid=*)', 'cn').then(({ stdout }) => entriesIn(stdout).map(({ cn }) => String(cn)));
      const byName = [...all].map(String).sort();
      expect(await sorted('-E', '!sss=cn')).toEqual(byName);
      expect(await sorted('-E', '!sss=-cn')).toEqual(byName.toReversed());
      expect(await sorted('-E', '!sss=cn', '-E', 'pr=2/noprompt')).toEqual(byName);
      expect((await sorted('-E', 'sss=uidNumber')).at(-1)).toBe('ada');
    });

    test.runIf(hasTools)('a critical control that is not supported is refused', async () => {
      const search = (control: string) => directory.search('reader', ['-e', control, '(cn=ada)']);
      expect((await search('!1.2.3.4')).code).toBe(12);
      expect((await search('1.2.3.4')).code).toBe(0);
    });

    test.runIf(hasTools)('what the server can do', async () => {
      const [anonymous] = entriesIn(
        (await runLdap('ldapsearch', directory.url, ['-LLL', '-s', 'base', '-b', '', '*', '+'])).stdout.replace(
          'dn:\n',
          'dn: root\n',
        ),
      );
      expect(anonymous).toMatchObject({
        supportedLDAPVersion: '3',
        vendorName: 'Gatehouse',
        supportedControl: ['1.2.840.113556.1.4.319', '1.2.840.113556.1.4.473', '2.16.840.1.113730.3.4.2'],
        description: 'This LDAP server requires an authenticated session.',
      });
      expect(anonymous).not.toHaveProperty('namingContexts');
      const root = await directory.search('reader', ['-s', 'base', '-b', '', 'namingContexts']);
      expect(root.stdout).toContain(`namingContexts: ${base.toLowerCase()}\n`);
      const schema = await directory.search('reader', ['-s', 'base', '-b', 'cn=subschema', '*']);
      expect(schema.stdout).toContain("NAME 'inetOrgPerson'");
      // Clients that check names against the schema ask for what it consists of.
      const defined = [...schema.stdout.replaceAll('\n ', '').matchAll(/^attributeTypes: \( \S+ NAME '([^']+)'/gm)];
      expect(defined.map(([, name]) => name)).toEqual(
        expect.arrayContaining(['objectClasses', 'attributeTypes', 'ldapSyntaxes', 'namingContexts', 'uid']),
      );
      // What a provider publishes is for those who have bound to it.
      expect(schema.stdout).toContain("NAME 'loginShell'");
      const open = await runLdap('ldapsearch', directory.url, ['-LLL', '-s', 'base', '-b', 'cn=subschema', '*']);
      expect(open.stdout).toContain("NAME 'uid'");
      expect(open.stdout).not.toContain('loginShell');
    });

    describe('what others see', () => {
      test.runIf(hasTools)('anonymous clients see nothing', async () => {
        expect((await runLdap('ldapsearch', directory.url, ['-b', base])).code).toBe(50);
      });

      test.runIf(hasTools)('people see themselves, and themselves alone in their groups', async () => {
        const found = await find('(objectClass=*)', ['cn', 'member', 'memberUid', 'memberOf'], 'bob');
        expect(found.filter(({ cn }) => !['users', 'groups', 'virtual-groups'].includes(String(cn)))).toMatchObject([
          { dn: base },
          { dn: `cn=bob,ou=users,${base}`, memberOf: `cn=Staff,ou=groups,${base}` },
          { dn: `cn=Staff,ou=groups,${base}`, member: `cn=bob,ou=users,${base}`, memberUid: 'bob' },
          { dn: `cn=bob,ou=virtual-groups,${base}` },
        ]);
        for (const filter of [
          '(cn=ada)',
          `(member=cn=ada,ou=users,${base})`,
          '(memberUid=ada)',
          `(&(objectClass=group)(member=cn=ada,ou=users,${base}))`,
          `(&(cn=staff)(member=cn=D*))`,
        ])
          expect(await names(filter, 'bob')).toEqual([]);
        expect(await groupsWith(`(!(member=cn=ada,ou=users,${base}))`, 'bob')).toEqual(['Staff']);
        const other = await directory.search('bob', ['-s', 'base', '-b', `cn=ada,ou=users,${base}`]);
        expect(other.code).toBe(32);
      });

      test.runIf(hasTools)('superusers see everybody', async () => {
        const { admin } = server();
        const { pk } = await directory.person('boss');
        const group = (await admin.post('/core/groups/', { name: 'bosses', is_superuser: true, users: [pk] })).body.pk;
        expect(await names('(xak-superuser=TRUE)', 'boss', `ou=users,${base}`)).toContain('boss');
        expect(await names('(cn=ada)', 'boss', `ou=users,${base}`)).toEqual(['ada']);
        await admin.delete(`/core/groups/${group}/`);
        expect(await names('(cn=ada)', 'boss', `ou=users,${base}`)).toEqual([]);
      });

      test.runIf(hasTools)('a bind to one directory opens no other', async () => {
        const { admin } = server();
        const other = 'DC=elsewhere';
        const provider = (await admin.post('/providers/ldap/', { name: 'Elsewhere', base_dn: other })).body.pk;
        await admin.post('/core/applications/', { name: 'Elsewhere', slug: 'elsewhere', provider });
        expect((await directory.search('reader', ['-b', other])).code).toBe(50);
      });
    });

    test.runIf(hasTools)('values are compared', async () => {
      const compare = async (dn: string, assertion: string) =>
        (await runLdap('ldapcompare', directory.url, ['-D', directory.dnOf('reader'), '-w', password, dn, assertion]))
          .code;
      const staff = `cn=staff,ou=groups,${base}`;
      expect(await compare(staff, `member:cn=ADA,ou=users,${base}`)).toBe(6);
      expect(await compare(staff, `member:cn=reader,ou=users,${base}`)).toBe(5);
      expect(await compare(`cn=ada,ou=users,${base}`, 'mail:ADA@example.com')).toBe(6);
      expect(await compare(`cn=bob,ou=users,${base}`, 'mail:bob@example.com')).toBe(16);
      expect(await compare(`cn=nobody,ou=users,${base}`, 'cn:nobody')).toBe(32);
    });

    test.runIf(hasTools)('the directory is read-only', async () => {
      const change = `dn: cn=ada,ou=users,${base}\nchangetype: modify\nreplace: mail\nmail: x@example.com\n`;
      const args = ['-D', directory.dnOf('reader'), '-w', password];
      expect((await runLdap('ldapmodify', directory.url, args, change)).code).toBe(53);
    });
  },
  { env: ldapPorts },
);
