import { equal, match, ok, throws } from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hasDebianPackage } from '../../../test/support/debian-package.ts';
import { until } from '../../../test/support/jobs.ts';
import { dovecot } from '../../../web/admin/applications/templates/dovecot.ts';
import { sssd } from '../../../web/admin/applications/templates/sssd.ts';
import { endOf, failureOf, installPython, type Peer, pythonPrograms } from '../peer.ts';
import { ada, type Served, serveDirectory } from './directory.ts';

const beside = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/**
 * ldap3 (PyPI), sssd and Dovecot (Debian) read the directory that Gatehouse serves; the latter with the text of their
 * templates.
 */
export const ldapClients: Peer = {
  name: 'LDAP clients',
  async prepare(folder) {
    if (process.getuid?.() !== 0) return 'sssd and Dovecot need root';
    const packages = 'sssd-ldap libnss-sss libpam-sss pamtester dovecot-core dovecot-ldap';
    const files = [
      '/usr/sbin/sssd',
      '/usr/bin/pamtester',
      '/usr/sbin/dovecot',
      '/usr/lib/dovecot/modules/auth/libauthdb_ldap.so',
    ];
    if (!(await hasDebianPackage(packages, files))) return 'there are no packages of Debian';
    return installPython(folder, 'ldap3', ['ldap3==2.9.1']);
  },
  async run(parent) {
    const folder = mkdtempSync(join(parent, 'ldap-'));
    const served = await serveDirectory(folder);
    let hasPassed = true;
    try {
      for (const [name, run] of Object.entries({ ldap3: throughLdap3, Dovecot: throughDovecot, sssd: throughSssd })) {
        try {
          await run(served, parent);
          console.log(`${name}: passed`);
        } catch (error) {
          hasPassed = false;
          console.log(`${name}: FAILED`);
          console.error(error);
        }
      }
    } finally {
      await served.stop();
    }
    return hasPassed;
  },
};

async function throughLdap3(served: Served, parent: string): Promise<void> {
  const { base, bindDn, password } = await served.connect({ ...sssd, id: 'ldap3', name: 'ldap3', setup: '' });
  const env = {
    ...{ LDAP_BASE: base, LDAP_DN: bindDn, LDAP_PASSWORD: password, LDAP_CA: served.authority },
    ...{ LDAP_PORT: String(served.port), LDAPS_PORT: String(served.tlsPort) },
    ...{ ADA_PASSWORD: ada.passwords[0], ADA_NEW_PASSWORD: ada.passwords[1] },
  };
  equal(await failureOf(join(pythonPrograms(parent, 'ldap3'), 'python'), [beside('check-ldap3.py')], env), null);
}

/** The output of a program that succeeds. */
function outputOf(program: string, args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', timeout: 120_000 });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}: ${stdout}${stderr}`);
  return stdout;
}

async function throughDovecot(served: Served): Promise<void> {
  const { setup } = await served.connect(dovecot);
  const folder = join(served.folder, 'dovecot');
  mkdirSync(folder);
  const file = join(folder, 'dovecot-ldap.conf.ext');
  writeFileSync(file, `${setup}\ntls_ca_cert_file = ${served.authority}\n`, { mode: 0o600 });
  const database = (kind: string) => `${kind} {\n  driver = ldap\n  args = ${file}\n}\n`;
  const configuration = join(folder, 'dovecot.conf');
  writeFileSync(
    configuration,
    `protocols =
base_dir = ${folder}/run
state_dir = ${folder}/state
log_path = ${folder}/log
ssl = no
auth_mechanisms = plain
service auth {
  user = root
}
${database('passdb')}${database('userdb')}`,
  );
  const child = spawn('/usr/sbin/dovecot', ['-F', '-c', configuration], { stdio: ['ignore', 'inherit', 'inherit'] });
  const ask = (...args: string[]) => outputOf('doveadm', ['-c', configuration, ...args]);
  try {
    await until(() => existsSync(join(folder, 'run', 'auth-userdb')));
    const [, password] = ada.passwords;
    for (const name of ['ada', 'ada@example.com']) {
      match(ask('auth', 'test', name, password), /passdb: ada.* auth succeeded/);
      match(ask('user', name), /home\s+\/home\/ada/);
    }
    throws(() => ask('auth', 'test', 'ada', ada.passwords[0]), /auth failed/);
    throws(() => ask('auth', 'test', '*', password), /auth failed/);
    const everybody = ask('user', '*').trim().split('\n');
    ok(everybody.includes('ada') && everybody.includes('person29'));
  } finally {
    await endOf(child);
  }
}

async function throughSssd(served: Served): Promise<void> {
  const { setup } = await served.connect(sssd);
  const folder = join(served.folder, 'sssd');
  mkdirSync(folder);
  const configuration = `${setup}\nldap_tls_cacert = ${served.authority}\n`;
  writeFileSync(join(folder, 'sssd.conf'), configuration, { mode: 0o600 });
  const [, before, after] = ada.passwords;
  const output = outputOf('unshare', ['--mount', 'sh', beside('check-sssd.sh'), folder, before, after]);
  match(output, /^ada:[^:]*:\d+:\d+:Ada Löwe:\/home\/ada:/m);
  match(output, /^keepers:[^:]*:\d+:ada$/m);
  match(output, /^ada keepers$/m);
}
