import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { elementLength } from '../../../src/lib/ldap/ber.ts';
import { type Attribute, encodeEntry, encodeResult, readMessage, responses } from '../../../src/lib/ldap/message.ts';
import { ended, groupNamed, localDirectories, shippedMappings, userNamed } from '../../support/ldap-source.ts';
import { describeOnBoth } from '../../support/server.ts';

interface Entry {
  readonly dn: string;
  readonly attributes: readonly Attribute[];
}

const entry = (dn: string, attributes: Readonly<Record<string, string | readonly string[]>>): Entry => ({
  dn,
  attributes: Object.entries(attributes).map(([name, values]) => ({ name, values: [values].flat() })),
});
const person = (id: string, uid: string, dn = `uid=${id},dc=example`) =>
  entry(dn, { entryUUID: id, uid, cn: uid, mail: `${id}@example.com` });

/** A directory that takes every bind, and answers every search below its root with these entries, in one page. */
async function startDirectory(answers: { users: readonly Entry[]; groups: readonly Entry[] }): Promise<Server> {
  const server = createServer((socket) => {
    let bytes = Buffer.alloc(0);
    socket.on('error', () => {});
    socket.on('data', (data: Buffer) => {
      bytes = Buffer.concat([bytes, data]);
      const length = elementLength(bytes, 65_536);
      if (length === null || bytes.length < length) return;
      const { id, operation } = readMessage(bytes.subarray(0, length));
      bytes = bytes.subarray(length);
      if (operation.op === 'search') {
        const isForGroups = JSON.stringify(operation.filter).includes('groupOfNames');
        const found = operation.base === '' ? [] : answers[isForGroups ? 'groups' : 'users'];
        for (const { dn, attributes } of found) socket.write(encodeEntry(id, dn, attributes));
      }
      const done = operation.op === 'search' ? responses.searchDone : responses.bind;
      socket.write(encodeResult(id, done, { code: 'success' }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

/** Too long for an index of PostgreSQL, which compresses repetitions. */
const long = Array.from({ length: 4_000 }, (_, at) => String.fromCodePoint(0x3400 + ((at * 7_919) % 6_000))).join('');
const usual = Array.from({ length: 250 }, (_, at) => person(`usual-${at}`, `usual-${at}`));
const users: readonly Entry[] = [
  ...usual,
  person('usual-0', 'twin of the first'),
  person('of-a-superuser', 'admin'),
  person('no-name', 'named', 'no name at all'),
  person('long-name', 'long', `uid=${long},dc=example`),
  person('invisible', 'adm\u200bin'),
  person('too-long', long),
  entry('uid=nobody,dc=example', { uid: 'nobody' }),
  entry('uid=poison,dc=example', {
    ...{ entryUUID: 'poison', uid: 'poison', cn: 'Poison', mail: 'no address' },
    ...{ constructor: 'x', toString: 'x', hasOwnProperty: 'x' },
  }),
];
const groups: readonly Entry[] = [
  entry(`cn=${long},dc=example`, { entryUUID: 'long', cn: 'long', member: usual.map(({ dn }) => dn) }),
  entry('cn=staff,dc=example', {
    entryUUID: 'staff',
    cn: 'staff',
    member: ['uid=usual-1,dc=example', `uid=${long},dc=example`, 'no name at all', 'cn=admin,dc=example'],
  }),
  entry('cn=admins,dc=example', { entryUUID: 'admins', cn: 'Gatehouse Admins', member: ['uid=usual-1,dc=example'] }),
];

describeOnBoth(
  'a malicious directory',
  (server) => {
    let directory: Server;
    beforeAll(async () => {
      directory = await startDirectory({ users, groups });
    });
    afterAll(() => directory.close());

    test('takes over nobody, and each entry that cannot be used costs itself alone', async () => {
      const { admin } = server();
      const address = directory.address();
      const port = typeof address === 'object' ? address?.port : 0;
      const mappings = await shippedMappings(admin, ['openldap-uid', 'openldap-cn', 'default-mail']);
      const made = await admin.post('/sources/ldap/', {
        ...{ name: 'Directory', slug: 'directory', server_uri: `ldap://127.0.0.1:${port}`, base_dn: 'dc=example' },
        ...{ user_object_filter: '(objectClass=person)', group_object_filter: '(objectClass=groupOfNames)' },
        ...{
          object_uniqueness_field: 'entryUUID',
          user_matching_mode: 'username_link',
          group_matching_mode: 'name_link',
        },
        user_property_mappings: mappings,
        group_property_mappings: await shippedMappings(admin, ['openldap-cn']),
      });
      expect(made.status).toBe(201);
      const before = await userNamed(admin, 'admin');
      const { run } = await ended(admin, 'directory', 300);
      expect(run).toMatchObject({ state: 'done', users: { found: users.length }, groups: { found: groups.length } });
      expect(run.users.failed).toBeGreaterThanOrEqual(4);
      expect(await userNamed(admin, 'admin')).toEqual(before);
      expect(await userNamed(admin, 'usual-249')).toMatchObject({ name: 'usual-249' });
      expect(await userNamed(admin, 'usual-1')).toMatchObject({ is_superuser: false });
      const staff = await groupNamed(admin, 'staff');
      const members = staff.users_obj.map(({ username }: { username: string }) => username);
      expect(members).toContain('usual-1');
      expect(members).not.toContain('admin');
      const admins = await groupNamed(admin, 'Gatehouse Admins');
      expect(admins.users_obj.map(({ username }: { username: string }) => username)).toEqual(['admin']);
    });
  },
  localDirectories,
);
