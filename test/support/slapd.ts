import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateCertificate } from '../../src/lib/certificate/generate-certificate.ts';
import { hasDebianPackage } from './debian-package.ts';
import { freePort } from './free-port.ts';
import { runLdap } from './ldap-tools.ts';

const binary = '/usr/sbin/slapd';
export const suffix = 'dc=example,dc=com';
export const rootDn = `cn=admin,${suffix}`;
export const rootPassword = 'the secret of the directory';

/** Whether OpenLDAP's server is there, installed if need be. Call it at the top level of a test file. */
export const findSlapd = (): Promise<boolean> => hasDebianPackage('slapd', [binary, '/etc/ldap/schema/core.schema']);

export interface Slapd {
  readonly url: string;
  readonly port: number;
  readonly tlsUrl: string;
  /** The certificate of the server, which is its own authority. */
  readonly certificate: string;
  /** Carries out LDIF: entries to add, or changes. */
  apply(ldif: string): Promise<void>;
  add(ldif: string): Promise<void>;
  remove(dn: string): Promise<void>;
  /** Whether the password is right for the entry. */
  accepts(dn: string, password: string): Promise<boolean>;
  stop(): Promise<void>;
}

interface SlapdOptions {
  /** The host name in the certificate. */
  readonly name?: string;
  /** Further lines of the configuration. */
  readonly global?: string;
  readonly database?: string;
}

/** A directory with the suffix and units for people and groups. */
export async function startSlapd({
  name = 'localhost',
  global = '',
  database = '',
}: SlapdOptions = {}): Promise<Slapd> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-slapd-'));
  mkdirSync(join(folder, 'data'));
  const { certificate, key } = await generateCertificate({
    commonName: name,
    subjectAltNames: [name],
    validityDays: 2,
    algorithm: 'rsa',
    rsaBits: 2048,
  });
  writeFileSync(join(folder, 'cert.pem'), certificate);
  writeFileSync(join(folder, 'key.pem'), key);
  const schemas = ['core', 'cosine', 'nis', 'inetorgperson'].map((each) => `include /etc/ldap/schema/${each}.schema`);
  writeFileSync(
    join(folder, 'slapd.conf'),
    `${schemas.join('\n')}
pidfile ${folder}/slapd.pid
modulepath /usr/lib/ldap
moduleload back_mdb
moduleload memberof
TLSCertificateFile ${folder}/cert.pem
TLSCertificateKeyFile ${folder}/key.pem
TLSVerifyClient never
attributetype ( 1.3.6.1.4.1.55555.1.1 NAME 'userAccountControl' EQUALITY integerMatch
  SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 SINGLE-VALUE )
attributetype ( 1.3.6.1.4.1.55555.1.2 NAME 'pwdLastSet' EQUALITY integerMatch
  SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 SINGLE-VALUE )
attributetype ( 1.3.6.1.4.1.55555.1.3 NAME 'nsAccountLock' EQUALITY caseIgnoreMatch
  SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 SINGLE-VALUE )
attributetype ( 1.3.6.1.4.1.55555.1.4 NAME 'accountExpires' EQUALITY integerMatch
  SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 SINGLE-VALUE )
attributetype ( 1.3.6.1.4.1.55555.1.5 NAME 'krbPrincipalExpiration' EQUALITY generalizedTimeMatch
  SYNTAX 1.3.6.1.4.1.1466.115.121.1.24 SINGLE-VALUE )
objectclass ( 1.3.6.1.4.1.55555.2.1 NAME 'vendorAccount' SUP top AUXILIARY
  MAY ( userAccountControl $ pwdLastSet $ nsAccountLock $ accountExpires $ krbPrincipalExpiration ) )
${global}
database mdb
suffix "${suffix}"
rootdn "${rootDn}"
rootpw "${rootPassword}"
directory ${folder}/data
maxsize 1073741824
dbnosync
index objectClass,entryUUID,uid,member eq
overlay memberof
${database}
`,
  );
  const [port, tlsPort] = [await freePort(), await freePort()];
  const url = `ldap://127.0.0.1:${port}`;
  const listening = `${url} ldaps://127.0.0.1:${tlsPort}`;
  const child = spawn(binary, ['-f', join(folder, 'slapd.conf'), '-h', listening, '-d', '0'], { stdio: 'ignore' });
  await accepting(port, child);
  const asRoot = ['-D', rootDn, '-w', rootPassword];
  const run = async (args: readonly string[], ldif: string) => {
    const { code, stderr } = await runLdap('ldapmodify', url, [...asRoot, ...args], ldif);
    if (code !== 0) throw new Error(stderr);
  };
  const slapd: Slapd = {
    ...{ url, port, certificate },
    tlsUrl: `ldaps://localhost:${tlsPort}`,
    apply: (ldif) => run([], ldif),
    add: (ldif) => run(['-a'], ldif),
    remove: (dn) => run([], `dn: ${dn}\nchangetype: delete\n`),
    accepts: async (dn, password) => (await runLdap('ldapwhoami', url, ['-D', dn, '-w', password])).code === 0,
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      if (child.exitCode === null && child.kill()) await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await slapd.add(`dn: ${suffix}
objectClass: dcObject
objectClass: organization
dc: example
o: Example

dn: ou=people,${suffix}
objectClass: organizationalUnit
ou: people

dn: ou=groups,${suffix}
objectClass: organizationalUnit
ou: groups
`);
  return slapd;
}

async function accepting(port: number, child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    if (child.exitCode !== null) break;
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true));
      socket.on('error', () => resolve(false));
      socket.on('connect', () => socket.destroy());
    });
    if (isOpen) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('slapd does not start');
}

/** A person for the directory. */
export const personLdif = (
  uid: string,
  { unit = 'ou=people', more = '', password = `${uid} has a long password` } = {},
): string =>
  `dn: uid=${uid},${unit},${suffix}
objectClass: inetOrgPerson
uid: ${uid}
cn: Person ${uid}
sn: ${uid}
mail: ${uid}@example.com
userPassword: ${password}
${more}
`;

export const groupLdif = (cn: string, members: readonly string[]): string =>
  `dn: cn=${cn},ou=groups,${suffix}
objectClass: groupOfNames
cn: ${cn}
${members.map((member) => `member: ${member}`).join('\n')}
`;

export const personDn = (uid: string): string => `uid=${uid},ou=people,${suffix}`;
