import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { generateCertificate } from '../../../src/lib/certificate/generate-certificate.ts';
import { hasDebianPackage } from '../../../test/support/debian-package.ts';
import { runLdap } from '../../../test/support/ldap-tools.ts';
import { endOf } from '../peer.ts';

/** Samba listens on ports 389 and 636 alone: it gets an address of its own. */
const host = '127.0.0.55';
export const baseDn = 'DC=example,DC=test';
export const administrator = { name: 'Administrator@example.test', password: 'Passw0rd-of-the-domain' };

export interface Domain {
  readonly url: string;
  readonly tlsUrl: string;
  /** The certificate of the server, which is its own authority. */
  readonly certificate: string;
  /** Carries out LDIF: entries to add, or changes. */
  apply(ldif: string): Promise<void>;
  /** Whether the password is right for a user (user@example.test). */
  accepts(name: string, password: string): Promise<boolean>;
  stop(): Promise<void>;
}

/** Null when Samba's domain controller is installed, else the reason. */
export async function findSamba(): Promise<string | null> {
  if (process.getuid?.() !== 0) return 'its ports need root';
  const packages = 'samba samba-ad-dc samba-ad-provision ldap-utils';
  const files = ['/usr/sbin/samba', '/usr/bin/samba-tool', '/usr/share/samba/setup', '/usr/bin/ldapsearch'];
  return (await hasDebianPackage(packages, files)) ? null : 'there are no packages of Debian';
}

/** A new domain, example.test, whose controller serves LDAP alone. */
export async function startDomain(parent: string): Promise<Domain> {
  const folder = mkdtempSync(join(parent, 'samba-'));
  const data = join(folder, 'dc');
  provision(folder, data);
  const { certificate, key } = await generateCertificate({
    commonName: 'dc1.example.test',
    subjectAltNames: ['dc1.example.test', host],
    validityDays: 2,
    algorithm: 'rsa',
    rsaBits: 2048,
  });
  writeFileSync(join(folder, 'cert.pem'), certificate);
  writeFileSync(join(folder, 'key.pem'), key, { mode: 0o600 });
  mkdirSync(join(data, 'cache'), { recursive: true });
  const configuration = join(folder, 'serving.conf');
  writeFileSync(configuration, configurationOf(folder, data));
  const args = ['--interactive', '--model=single', `--configfile=${configuration}`, '--debug-stdout'];
  const child = spawn('/usr/sbin/samba', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  process.once('exit', () => child.kill());
  const tlsUrl = `ldaps://${host}`;
  const accepts = async (name: string, password: string) =>
    (await runLdap('ldapsearch', tlsUrl, ['-D', name, '-w', password, '-s', 'base', '-b', ''])).code === 0;
  for (let tries = 0; !(await accepts(administrator.name, administrator.password)); tries += 1) {
    if (tries > 100 || child.exitCode !== null) throw new Error('Samba does not start');
    await delay(300);
  }
  return {
    ...{ url: `ldap://${host}`, tlsUrl, certificate, accepts },
    async apply(ldif) {
      const account = ['-D', administrator.name, '-w', administrator.password];
      const { code, stderr } = await runLdap('ldapmodify', tlsUrl, account, ldif);
      if (code !== 0) throw new Error(stderr);
    },
    stop: () => endOf(child),
  };
}

function provision(folder: string, data: string): void {
  const args = ['domain', 'provision', `--targetdir=${data}`, '--realm=EXAMPLE.TEST', '--domain=EXAMPLE'];
  args.push('--server-role=dc', '--dns-backend=NONE', '--host-name=dc1', `--host-ip=${host}`);
  // Files of the domain keep their access lists in a database: file systems in containers have none.
  args.push(`--adminpass=${administrator.password}`, `--option=posix:eadb=${join(folder, 'eadb.tdb')}`);
  const { status, stderr } = spawnSync('samba-tool', args, { encoding: 'utf8', timeout: 300_000 });
  if (status !== 0) throw new Error(`samba-tool ended with ${status}: ${stderr}`);
}

const configurationOf = (folder: string, data: string): string => `[global]
netbios name = DC1
realm = EXAMPLE.TEST
workgroup = EXAMPLE
server role = active directory domain controller
server services = ldap
old password allowed period = 0
interfaces = ${host}/8
bind interfaces only = yes
tls certfile = ${folder}/cert.pem
tls keyfile = ${folder}/key.pem
tls cafile = ${folder}/cert.pem
private dir = ${data}/private
state directory = ${data}/state
cache directory = ${data}/cache
lock directory = ${data}
pid directory = ${data}
ncalrpc dir = ${data}/ncalrpc
binddns dir = ${data}/bind-dns
log file = ${folder}/log
`;

/** The value of `unicodePwd` that sets a password. */
const passwordValue = (password: string): string => Buffer.from(`"${password}"`, 'utf16le').toString('base64');

export const userLdif = (
  name: string,
  unit: string,
  password: string,
): string => `dn: CN=Person ${name},${unit},${baseDn}
changetype: add
objectClass: user
sAMAccountName: ${name}
userPrincipalName: ${name}@example.test
displayName: Person ${name}
givenName: Person
sn: ${name}
mail: ${name}@example.test
userAccountControl: 512
unicodePwd:: ${passwordValue(password)}
`;

export const unitLdif = (name: string): string => `dn: OU=${name},${baseDn}
changetype: add
objectClass: organizationalUnit
`;

export const groupLdif = (name: string, members: readonly string[]): string => `dn: CN=${name},OU=Groups,${baseDn}
changetype: add
objectClass: group
sAMAccountName: ${name}
${members.map((member) => `member: ${member},${baseDn}\n`).join('')}`;

export const passwordLdif = (dn: string, password: string): string => `dn: ${dn},${baseDn}
changetype: modify
replace: unicodePwd
unicodePwd:: ${passwordValue(password)}
`;

export const replaceLdif = (dn: string, attribute: string, value: string): string => `dn: ${dn},${baseDn}
changetype: modify
replace: ${attribute}
${attribute}: ${value}
`;
