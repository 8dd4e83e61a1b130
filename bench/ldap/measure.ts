import { randomUUID } from 'node:crypto';
import { emailKey, usernameKey } from '../../src/core/directory/name-keys.ts';
import { insertMany, storedRow } from '../bulk.ts';
import type { BenchDatabase } from '../databases.ts';
import { commonSettings, makeObject, withApp } from '../open-app.ts';
import type { BenchOptions } from '../options.ts';
import { buildBundle, cpuMsOf, startServer } from '../processes.ts';
import { BenchClient, type BenchSearch, contains, equals } from './client.ts';
import { freePort, type Person, rootDn, slapdBase, startSlapd } from './slapd.ts';

export const usualEntries = 10_000;
const base = 'DC=ldap,DC=example,DC=com';
const password = commonSettings.GATEHOUSE_BOOTSTRAP_PASSWORD;
const pageSize = 500;

/** Of one operation (of one entry, for the export). Processor time includes that of the database's processes. */
export interface LdapCost {
  readonly aSecond: number;
  readonly cpuMs: number;
}

export interface MeasuredLdap {
  readonly entries: number;
  readonly connections: number;
  readonly rows: readonly { readonly title: string; readonly server: LdapCost; readonly slapd: LdapCost | null }[];
  /** The processor time of one password hash, which a bind of the server verifies. */
  readonly hashMs: number;
  /** Of the server, before and at most during the paged export of all entries. */
  readonly residentBytes: { readonly before: number; readonly most: number };
}

interface Side {
  readonly port: number;
  readonly users: string;
  readonly bindDn: string;
  nameOf(person: Person): string;
  cpuMs(): Promise<number>;
  residentBytes?(): number;
}

/** The same searches and binds over the same entries, here and at Debian's slapd. */
export async function measureLdap(options: BenchOptions, entries: number): Promise<MeasuredLdap> {
  const { databases, profileFolder, say } = options;
  const { connections } = options.rounds;
  buildBundle();
  const database = await databases.fresh();
  try {
    say(`Adding ${entries} users`);
    const people = Array.from({ length: entries }, (_, index) => personOf(index));
    const hashMs = await withApp(database, async ({ db, passwords }, _app, url) => {
      const provider = (await makeObject(url, '/providers/ldap/', { name: 'Bench', base_dn: base })).pk;
      await makeObject(url, '/core/applications/', { name: 'Bench', slug: 'bench', provider });
      const hash = await passwords.hash(password);
      const { pk } = await makeObject(url, '/core/users/', { username: 'template', name: 'Template' });
      await db.write(async (tx) => {
        const template = await storedRow(tx, 'users', Number(pk));
        const rows = people.map(({ username, name, email }) => ({
          ...template,
          ...{ uuid: randomUUID(), password: hash, username, name, email },
          ...{ username_key: usernameKey.of(username), email_key: emailKey.of(email) },
        }));
        await insertMany(tx, databases.kind, 'users', rows);
      });
      const before = process.cpuUsage();
      for (let count = 0; count < 20; count++) await passwords.verify(hash, password);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1_000 / 20;
    });
    await database.settle();
    const server = await onServer(database, profileFolder, (side) => measureSide(side, people, options));
    const slapd = await startSlapd(people, password);
    try {
      const other: Side = {
        ...{ port: slapd.port, users: `ou=users,${slapdBase}`, bindDn: rootDn },
        nameOf: ({ username }) => `cn=${username},ou=users,${slapdBase}`,
        cpuMs: async () => cpuMsOf(slapd.pid),
      };
      const theirs = await measureSide(other, people, options);
      return {
        ...{ entries: people.length, connections, hashMs, residentBytes: server.residentBytes },
        rows: server.rows.map(({ title, cost }, index) => ({
          ...{ title, server: cost, slapd: theirs.rows[index]?.cost ?? null },
        })),
      };
    } finally {
      await slapd.stop();
    }
  } finally {
    await database.drop();
  }
}

const given = ['Ada', 'Ben', 'Chloe', 'Dora', 'Emil', 'Fatima', 'Goran', 'Hana', 'Ivo', 'Jana', 'Kofi', 'Lena', 'Mika'];
const family = ['Abbott', 'Brandt', 'Castro', 'Dufour', 'Eriksen', 'Fischer', 'Grant', 'Hoffman', 'Ito', 'Jensen'];

function personOf(index: number): Person {
  const [first = '', last = ''] = [given[index % given.length], family[index % family.length]];
  const username = `${first}.${last}.${index}`.toLowerCase();
  return { username, name: `${first} ${last}`, email: `${username}@example.com` };
}

async function onServer<T>(
  database: BenchDatabase,
  profileFolder: string | null,
  work: (side: Side) => Promise<T>,
): Promise<T> {
  const port = await freePort();
  const ldap = { GATEHOUSE_LDAP_PORT: String(port) };
  const server = await startServer({ ...commonSettings, ...database.settings, ...ldap }, profileFolder);
  try {
    return await work({
      ...{ port, users: `ou=users,${base}`, bindDn: `cn=admin,ou=users,${base}` },
      nameOf: ({ username }) => `cn=${username},ou=users,${base}`,
      cpuMs: async () => cpuMsOf(server.pid) + (await database.cpuMs()),
      residentBytes: () => server.residentBytes(),
    });
  } finally {
    await server.stop();
  }
}

async function measureSide(
  side: Side,
  people: readonly Person[],
  { only, rounds: { connections }, say }: Pick<BenchOptions, 'only' | 'rounds' | 'say'>,
) {
  const clients = await Promise.all(Array.from({ length: connections }, () => BenchClient.open(side.port)));
  try {
    for (const client of clients) await client.bind(side.bindDn, password);
    const personAt = (index: number) => people[(index * 7_919) % people.length] as Person;
    const find = (filter: Buffer): BenchSearch => ({ base: side.users, filter });
    const one = async (client: BenchClient, filter: Buffer) => {
      const { entries } = await client.search(find(filter));
      if (entries !== 1) throw new Error(`found ${entries} entries`);
    };
    const parts = ['bra', 'cas', 'duf', 'eri', 'fis', 'gra', 'hof'];
    const jobs: readonly [string, number, (client: BenchClient, index: number) => Promise<unknown>][] = [
      ['search by `uid`', 4_000, (client, index) => one(client, equals('uid', personAt(index).username))],
      ['search by `mail`', 4_000, (client, index) => one(client, equals('mail', personAt(index).email))],
      [
        'search for three letters in `cn`',
        70,
        (client, at) => client.search(find(contains('cn', parts[at % 7] ?? ''))),
      ],
      ['bind', 200, (client, index) => client.bind(side.nameOf(personAt(index)), password)],
    ];
    const rows: { title: string; cost: LdapCost }[] = [];
    for (const [title, count, work] of jobs.filter((job) => job[0].includes(only))) {
      say(title);
      await drain(clients, Math.ceil(count / 10), work);
      rows.push({ title, cost: await costOf(side, count, () => drain(clients, count, work)) });
    }
    const [client] = clients as [BenchClient];
    await client.bind(side.bindDn, password);
    const before = side.residentBytes?.() ?? 0;
    let most = before;
    let exported = 0;
    const watch = setInterval(() => {
      most = Math.max(most, side.residentBytes?.() ?? 0);
    }, 50);
    say('paged export');
    const cost = await costOf(side, people.length, async () => {
      exported = await exportAll(client, side.users);
    });
    clearInterval(watch);
    if (exported < people.length) throw new Error(`exported ${exported} entries`);
    rows.push({ title: `paged export of ${people.length.toLocaleString('en')} entries, for each`, cost });
    return { rows, residentBytes: { before, most } };
  } finally {
    for (const client of clients) client.close();
  }
}

async function exportAll(client: BenchClient, users: string): Promise<number> {
  let cookie: Buffer = Buffer.alloc(0);
  let exported = 0;
  do {
    const page = await client.search({
      ...{ base: users, filter: equals('objectClass', 'inetOrgPerson') },
      paging: { size: pageSize, cookie },
    });
    exported += page.entries;
    cookie = page.cookie;
  } while (cookie.length > 0);
  return exported;
}

async function drain(
  clients: readonly BenchClient[],
  count: number,
  work: (client: BenchClient, index: number) => Promise<unknown>,
): Promise<void> {
  const queue = Array.from({ length: count }, (_, index) => index).values();
  await Promise.all(
    clients.map(async (client) => {
      for (const index of queue) await work(client, index);
    }),
  );
}

async function costOf(side: Side, count: number, work: () => Promise<void>): Promise<LdapCost> {
  const [begin, used] = [performance.now(), await side.cpuMs()];
  await work();
  const seconds = (performance.now() - begin) / 1_000;
  return { aSecond: count / seconds, cpuMs: ((await side.cpuMs()) - used) / count };
}
