import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { hasDebianPackage } from './debian-package.ts';

const run = promisify(execFile);

/** A PgBouncer that can be started: its program, and what comes before its own arguments. */
export interface PgBouncerProgram {
  readonly file: string;
  readonly args: readonly string[];
}

const installed: PgBouncerProgram = { file: '/usr/sbin/pgbouncer', args: [] };

/** Debian's, installed if need be. */
export async function findPgBouncer(): Promise<PgBouncerProgram | null> {
  return (await hasDebianPackage('pgbouncer', [installed.file])) ? installed : null;
}

/** One that takes care of prepared statements, which 1.21 was the first to do: Debian 12 has 1.18, Debian 13 has 1.24. */
export async function findPreparingPgBouncer(): Promise<PgBouncerProgram | null> {
  if (existsSync(installed.file) && versionOf(installed) >= 1021) return installed;
  const reason = await fetchFromTrixie().catch(
    (error: Error) => error.message.trim().split('\n').at(-1) ?? 'no reason',
  );
  if (reason === null) return trixie();
  const words = `No PgBouncer 1.21 or later: ${reason}`;
  if (process.env.CI) throw new Error(words);
  process.stderr.write(`${words}. Its tests are skipped.\n`);
  return null;
}

/** 1.18 as 1018. */
function versionOf({ file, args }: PgBouncerProgram): number {
  const said = execFileSync(file, [...args, '--version'], { encoding: 'utf8' });
  const [, major, minor] = /PgBouncer (\d+)\.(\d+)/.exec(said) ?? [];
  return Number(major) * 1000 + Number(minor);
}

const root = join(tmpdir(), 'gatehouse-tests-trixie-pgbouncer');
// With its C library, since that of Debian 12 is too old for it.
const packages = [
  ...['pgbouncer', 'libc6', 'libcares2', 'libevent-2.1-7t64', 'libpam0g', 'libssl3t64', 'libsystemd0'],
  ...['libcap2', 'libzstd1', 'libaudit1', 'libcap-ng0', 'zlib1g'],
];

/** Runs with the libraries that it was built for, whatever this machine has. */
function trixie(): PgBouncerProgram {
  const folder = readdirSync(join(root, 'usr/lib')).find((name) => name.endsWith('-linux-gnu')) ?? '';
  const libraries = join(root, 'usr/lib', folder);
  const loader = readdirSync(libraries).find((name) => name.startsWith('ld-linux')) ?? '';
  return { file: join(libraries, loader), args: ['--library-path', libraries, join(root, 'usr/sbin/pgbouncer')] };
}

/** Unpacks Debian 13's into a folder of its own; apt checks the signatures, and nothing is installed. Null when it is there. */
async function fetchFromTrixie(): Promise<string | null> {
  if (existsSync(root)) return null;
  const keys = '/usr/share/keyrings/debian-archive-keyring.gpg';
  if (!existsSync('/usr/bin/apt-get') || !existsSync(keys)) return 'this machine is no Debian';
  process.stderr.write('Fetching PgBouncer of Debian 13 for the tests: this takes half a minute, once.\n');
  const place = mkdtempSync(join(tmpdir(), 'gatehouse-trixie-'));
  try {
    for (const folder of ['lists/partial', 'cache/archives/partial', 'root']) {
      mkdirSync(join(place, folder), { recursive: true });
    }
    writeFileSync(join(place, 'sources.list'), `deb [signed-by=${keys}] http://deb.debian.org/debian trixie main\n`);
    const settings = {
      'Dir::Etc::SourceList': join(place, 'sources.list'),
      'Dir::Etc::SourceParts': '/dev/null',
      'Dir::State::Lists': join(place, 'lists'),
      'Dir::State::Status': '/dev/null',
      'Dir::Cache': join(place, 'cache'),
    };
    const options = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
    await run('apt-get', [...options, '-qq', 'update']);
    await run('apt-get', [...options, '-qq', 'download', ...packages], { cwd: place });
    for (const file of readdirSync(place).filter((name) => name.endsWith('.deb'))) {
      await run('dpkg-deb', ['-x', join(place, file), join(place, 'root')]);
    }
    // The database's user runs it.
    await run('chmod', ['-R', 'a+rX', join(place, 'root')]);
    if (!existsSync(root)) renameSync(join(place, 'root'), root);
    return null;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}
