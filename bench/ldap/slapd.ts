import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BenchClient } from './client.ts';

export interface Person {
  readonly username: string;
  readonly name: string;
  readonly email: string;
}

export interface Slapd {
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
}

const binary = '/usr/sbin/slapd';
export const slapdBase = 'dc=example,dc=com';
export const rootDn = `cn=root,${slapdBase}`;

/** Debian's slapd with its own database and the indexes that its documentation recommends, over these entries. */
export async function startSlapd(people: readonly Person[], password: string): Promise<Slapd> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bench-slapd-'));
  const [data, config, ldif] = ['data', 'slapd.conf', 'people.ldif'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  mkdirSync(data);
  writeFileSync(config, configuration(data, password));
  writeFileSync(ldif, [root, ...people.map((person) => entryOf(person, password))].join('\n'));
  const { status, stderr } = spawnSync('/usr/sbin/slapadd', ['-q', '-f', config, '-l', ldif], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`slapadd: ${status} ${stderr}`);
  const port = await freePort();
  const child = spawn(binary, ['-h', `ldap://127.0.0.1:${port}`, '-f', config, '-d', '0'], { stdio: 'ignore' });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  await answering(port);
  return {
    port,
    pid: child.pid as number,
    async stop() {
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const configuration = (data: string, password: string): string => `include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/inetorgperson.schema
modulepath /usr/lib/ldap
moduleload back_mdb
sizelimit unlimited
database mdb
maxsize 2147483648
suffix "${slapdBase}"
rootdn "${rootDn}"
rootpw ${password}
directory ${data}
index objectClass eq
index uid,mail,cn pres,eq,sub
`;

const root = `dn: ${slapdBase}
objectClass: dcObject
objectClass: organization
dc: example
o: example

dn: ou=users,${slapdBase}
objectClass: organizationalUnit
ou: users
`;

const entryOf = (
  { username, name, email }: Person,
  password: string,
): string => `dn: cn=${username},ou=users,${slapdBase}
objectClass: inetOrgPerson
cn: ${username}
uid: ${username}
sn: ${name}
displayName: ${name}
mail: ${email}
userPassword: ${password}
`;

async function answering(port: number): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const client = await BenchClient.open(port).catch(() => null);
    client?.close();
    if (client) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('slapd does not answer');
}

export async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((done) => probe.listen(0, '127.0.0.1', done));
  const { port } = probe.address() as AddressInfo;
  await new Promise<void>((done) => probe.close(() => done()));
  return port;
}
