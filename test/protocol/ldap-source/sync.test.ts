import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  ended,
  groupNamed,
  localDirectories,
  makeLdapSource,
  membersNamed,
  shippedMappings,
  syncNow,
  userNamed,
} from '../../support/ldap-source.ts';
import { describeOnBoth, describeOnSqlite } from '../../support/server.ts';
import { findSlapd, groupLdif, personDn, personLdif, type Slapd, startSlapd, suffix } from '../../support/slapd.ts';

const hasSlapd = await findSlapd();

/** Starts a directory for the tests of a block. */
function directory(options: Parameters<typeof startSlapd>[0] = {}): () => Slapd {
  let slapd: Slapd;
  beforeAll(async () => {
    slapd = await startSlapd(options);
  });
  afterAll(() => slapd.stop());
  return () => slapd;
}

describe.skipIf(!hasSlapd)('an LDAP source', () => {
  describeOnBoth(
    'that reads OpenLDAP',
    (server) => {
      const slapd = directory();

      test('takes over users, groups and memberships, of nested groups too', async () => {
        const { admin } = server();
        await slapd().add([personLdif('ada'), personLdif('Grace'), personLdif('linus')].join('\n'));
        await slapd().add(
          [
            groupLdif('inner', ['UID=Ada, OU=People, dc=example,dc=com']),
            groupLdif('outer', [personDn('grace'), `cn=inner,ou=groups,${suffix}`]),
            // Circles end.
            groupLdif('circle', [`cn=circle,ou=groups,${suffix}`, personDn('linus')]),
          ].join('\n'),
        );
        await makeLdapSource(admin, slapd());
        const { run } = await ended(admin);
        expect(run).toMatchObject({ state: 'done', messages: [] });
        expect(run.users).toMatchObject({ found: 3, created: 3, failed: 0 });
        expect(run.groups).toMatchObject({ found: 3, created: 3, failed: 0 });
        expect(await userNamed(admin, 'ada')).toMatchObject({
          name: 'Person ada',
          email: 'ada@example.com',
          path: 'gatehouse/sources/directory',
          is_active: true,
        });
        expect(await membersNamed(admin, 'inner')).toEqual(['ada']);
        expect(await membersNamed(admin, 'outer')).toEqual(['Grace', 'ada']);
        expect(await membersNamed(admin, 'circle')).toEqual(['linus']);
        expect((await admin.get('/sources/ldap/directory/')).body.connectivity).toMatchObject({
          [slapd().url]: { vendor: 'OpenLDAP', status: 'ok' },
        });
      });

      test('changes nothing when nothing has changed', async () => {
        const { admin } = server();
        const { users, memberships } = await syncNow(admin);
        expect(users).toMatchObject({ found: 3, unchanged: 3, updated: 0 });
        expect(memberships).toEqual({ added: 0, removed: 0 });
      });

      test('follows changes, renames, moves and members, and keeps local members', async () => {
        const { admin } = server();
        const { pk } = await userNamed(admin, 'ada');
        const local = await admin.post('/core/users/', { username: 'local', name: 'Local' });
        const outer = await groupNamed(admin, 'outer');
        await admin.post(`/core/groups/${outer.pk}/add_user/`, { pk: local.body.pk });
        await slapd().apply(`dn: ${personDn('ada')}
changetype: modify
replace: mail
mail: countess@example.com

dn: ${personDn('ada')}
changetype: modrdn
newrdn: uid=lovelace
deleteoldrdn: 1

dn: ou=staff,ou=people,${suffix}
changetype: add
objectClass: organizationalUnit
ou: staff

dn: uid=Grace,ou=people,${suffix}
changetype: modrdn
newrdn: uid=Grace
deleteoldrdn: 0
newsuperior: ou=staff,ou=people,${suffix}

dn: cn=inner,ou=groups,${suffix}
changetype: modify
replace: member
member: uid=lovelace,ou=people,${suffix}
member: uid=linus,ou=people,${suffix}

dn: cn=outer,ou=groups,${suffix}
changetype: modify
replace: member
member: uid=Grace,ou=staff,ou=people,${suffix}
`);
        const { users, memberships } = await syncNow(admin);
        expect(users).toMatchObject({ updated: 2, unchanged: 1, failed: 0 });
        // Linus joins inner; Ada leaves outer.
        expect(memberships).toEqual({ added: 1, removed: 1 });
        expect(await userNamed(admin, 'lovelace')).toMatchObject({ pk, email: 'countess@example.com' });
        expect(await userNamed(admin, 'ada')).toBeNull();
        expect(await membersNamed(admin, 'inner')).toEqual(['linus', 'lovelace']);
        expect(await membersNamed(admin, 'outer')).toEqual(['Grace', 'local']);
      });

      test('deletes no users by default, and counts those missing in the directory', async () => {
        const { admin } = server();
        await slapd().remove(personDn('linus'));
        const { users } = await syncNow(admin);
        expect(users).toMatchObject({ missing: 1, deleted: 0 });
        expect(await userNamed(admin, 'linus')).not.toBeNull();
      });

      test('deletes missing users if it may, but never more than the limit', async () => {
        const { admin } = server();
        await admin.patch('/sources/ldap/directory/', { delete_not_found_objects: true });
        const stopped = (await ended(admin)).run;
        expect(stopped.users).toMatchObject({ missing: 1, deleted: 0 });
        expect(stopped.messages.join()).toContain(
          '1 of 3 users are missing in the directory. None of them are deleted',
        );
        // A dry run shows what would happen.
        await admin.patch('/sources/ldap/directory/', { deletion_limit: 40, enabled: false });
        await ended(admin);
        const dry = await syncNow(admin, { preview: true });
        expect(dry).toMatchObject({ is_dry: true, users: { missing: 1, deleted: 1 }, groups: { missing: 0 } });
        expect(dry.messages).toEqual([]);
        expect(await userNamed(admin, 'linus')).not.toBeNull();
        await admin.patch('/sources/ldap/directory/', { enabled: true });
        expect((await ended(admin)).run.users).toMatchObject({ missing: 1, deleted: 1 });
        expect(await userNamed(admin, 'linus')).toBeNull();
      });

      test('a dry run counts the changes of members, and makes none', async () => {
        const { admin } = server();
        await slapd().apply(
          `dn: cn=outer,ou=groups,${suffix}\nchangetype: modify\nadd: member\nmember: uid=lovelace,ou=people,${suffix}\n`,
        );
        expect((await syncNow(admin, { preview: true })).memberships).toEqual({ added: 1, removed: 0 });
        expect(await membersNamed(admin, 'outer')).toEqual(['Grace', 'local']);
      });

      test('a group that cannot be mapped is not missing', async () => {
        const { admin } = server();
        const fails = await admin.post('/propertymappings/source/ldap/', {
          name: 'fails for circle',
          expression: 'if (ldap.cn[0] === "circle") throw new Error("not circle"); return { name: ldap.cn[0] };',
        });
        await admin.patch('/sources/ldap/directory/', { group_property_mappings: [fails.body.pk] });
        expect((await ended(admin)).run.groups).toMatchObject({ found: 3, failed: 1, missing: 0, deleted: 0 });
        expect(await groupNamed(admin, 'circle')).not.toBeNull();
      });

      test('an empty response deletes no users', async () => {
        const { admin } = server();
        await admin.patch('/sources/ldap/directory/', { deletion_limit: 100, user_object_filter: '(uid=nobody)' });
        const { users, messages } = (await ended(admin)).run;
        expect(users).toMatchObject({ found: 0, missing: 2, deleted: 0 });
        expect(messages.join()).toContain('an empty answer deletes nothing');
        expect(await userNamed(admin, 'lovelace')).not.toBeNull();
      });

      test('shows samples of entries without passwords', async () => {
        const { admin, user } = server();
        await admin.patch('/sources/ldap/directory/', { user_object_filter: '(objectClass=inetOrgPerson)' });
        await ended(admin);
        const { body, status } = await admin.get('/sources/ldap/directory/debug/');
        expect(status).toBe(200);
        expect(body.user[0]).toMatchObject({ dn: expect.any(String), sn: [expect.any(String)] });
        expect(JSON.stringify(body)).not.toContain('userPassword');
        expect(body.membership[0].member).toHaveLength(2);
        const stranger = await user([]);
        expect((await stranger.api.get('/sources/ldap/directory/debug/')).status).toBe(403);
        expect((await server().nobody.get('/sources/ldap/directory/debug/')).status).toBe(403);
      });
    },
    localDirectories,
  );

  describeOnSqlite(
    'that meets local users',
    (server) => {
      const slapd = directory();

      test('merges no users by default, and reports the conflict', async () => {
        const { admin } = server();
        const here = await admin.post('/core/users/', { username: 'ada', name: 'Here', email: 'ada@example.com' });
        await slapd().add(personLdif('ada'));
        await makeLdapSource(admin, slapd());
        const { run } = await ended(admin);
        expect(run.users).toMatchObject({ found: 1, failed: 1, created: 0 });
        expect(run.messages[0]).toMatch(/^Failed to create user uid=ada,ou=people,dc=example,dc=com: .*\(entryUUID: /);
        expect((await admin.get(`/core/users/${here.body.pk}/`)).body.name).toBe('Here');
      });

      test('links by username if set so, but never superusers', async () => {
        const { admin } = server();
        const [superuser] = (await admin.get('/core/users/?is_superuser=true')).body.results;
        await slapd().add(personLdif(superuser.username));
        await admin.patch('/sources/ldap/directory/', { user_matching_mode: 'username_link' });
        const { run } = await ended(admin);
        expect(await userNamed(admin, 'ada')).toMatchObject({ name: 'Person ada' });
        const about = run.messages.filter((text: string) => text.includes(`uid=${superuser.username},`));
        expect(about.join()).toContain('The matching mode username_link does not allow it');
        const connections = (await admin.get('/sources/user_connections/ldap/?page_size=100')).body.results;
        expect(connections.map(({ user }: { user: number }) => user)).not.toContain(superuser.pk);
      });

      test('links by address only if addresses of the directory count as verified', async () => {
        const { admin } = server();
        const here = await admin.post('/core/users/', {
          username: 'other',
          name: 'Here',
          email: 'linus@example.com',
          email_verified: true,
        });
        await slapd().add(personLdif('linus'));
        await admin.patch('/sources/ldap/directory/', { user_matching_mode: 'email_link' });
        expect((await ended(admin)).run.messages.join()).toContain('addresses of this source do not count as verified');
        await admin.patch('/sources/ldap/directory/', { trust_emails: true });
        await ended(admin);
        expect((await admin.get(`/core/users/${here.body.pk}/`)).body.username).toBe('linus');
      });

      test('deactivates who is locked there, and activates only whom it has deactivated', async () => {
        const { admin, as } = server();
        const { pk } = await userNamed(admin, 'ada');
        const token = await admin.post('/core/tokens/', { identifier: 'of-ada', user: pk, intent: 'api' });
        const { key } = (await admin.get('/core/tokens/of-ada/view_key/')).body;
        expect(token.status).toBe(201);
        const set = async (attribute: string, value: string) => {
          const dn = personDn('ada');
          await slapd().apply(`dn: ${dn}\nchangetype: modify\nreplace: ${attribute}\n${attribute}: ${value}\n`);
          await syncNow(admin);
          return (await userNamed(admin, 'ada')).is_active;
        };
        await slapd().apply(
          `dn: ${personDn('ada')}\nchangetype: modify\nadd: objectClass\nobjectClass: vendorAccount\n`,
        );
        expect((await as(key).get('/core/users/me/')).status).toBe(200);
        expect(await set('userAccountControl', '514')).toBe(false);
        expect((await as(key).get('/core/users/me/')).status).toBe(403);
        expect(await set('userAccountControl', '512')).toBe(true);
        // Locked out after wrong passwords.
        expect(await set('userAccountControl', '528')).toBe(false);
        // Activating the user here does not override the directory.
        await admin.patch(`/core/users/${pk}/`, { is_active: true });
        expect(await set('nsAccountLock', 'TRUE')).toBe(false);
        expect(await set('userAccountControl', '512')).toBe(false);
        expect(await set('nsAccountLock', 'FALSE')).toBe(true);
        // Accounts that have expired; in Active Directory, zero and the largest number mean never.
        const filetimeIn = (ms: number) => String((Date.now() + ms + 11_644_473_600_000) * 10_000);
        expect(await set('accountExpires', filetimeIn(-60_000))).toBe(false);
        expect(await set('accountExpires', filetimeIn(3_600_000))).toBe(true);
        expect(await set('accountExpires', filetimeIn(-60_000))).toBe(false);
        expect(await set('accountExpires', '9223372036854775807')).toBe(true);
        expect(await set('accountExpires', '0')).toBe(true);
        expect(await set('krbPrincipalExpiration', '20200102030405Z')).toBe(false);
        expect(await set('krbPrincipalExpiration', '29990102030405Z')).toBe(true);
        // Whom an administrator deactivates stays so.
        await admin.patch(`/core/users/${pk}/`, { is_active: false });
        expect(await set('mail', 'new@example.com')).toBe(false);
        await admin.patch(`/core/users/${pk}/`, { is_active: true });
      });

      test('a mapping that fails costs one entry, and properties that do not exist are reported once', async () => {
        const { admin } = server();
        const fails = await admin.post('/propertymappings/source/ldap/', {
          name: 'fails for one',
          expression:
            'if (ldap.uid[0] === "linus") throw new Error("not linus"); return { is_superuser: true, type: "internal_service_account", name: ["First", "Second"] };',
        });
        const usual = await shippedMappings(admin, ['openldap-uid', 'default-mail']);
        await admin.patch('/sources/ldap/directory/', { user_property_mappings: [...usual, fails.body.pk] });
        const { run } = await ended(admin);
        expect(run.messages.filter((text: string) => text.includes('not linus'))).toHaveLength(1);
        expect(run.messages.filter((text: string) => text.includes('is_superuser'))).toHaveLength(1);
        expect(await userNamed(admin, 'ada')).toMatchObject({ name: 'First', is_superuser: false, type: 'internal' });
      });
    },
    localDirectories,
  );
});
