import { execFile, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { installDebianPackage } from './debian-package.ts';
import { folderForDatabases } from './run-folder.ts';

const run = promisify(execFile);

/** A PostgreSQL that lives as long as the test run. */
export interface Cluster {
  /** Of the database `postgres`, as a superuser. */
  readonly adminUrl: string;
  stop(): Promise<void>;
}

/** The folder of the server's programs, installed if need be, or the reason why there is none. */
export async function findPostgres(): Promise<{ programs: string } | { reason: string }> {
  const found = programsFolder();
  if (found) return { programs: found };
  const reason = await installDebianPackage('postgresql');
  if (reason) return { reason: `no PostgreSQL server programs on this machine, and ${reason}` };
  const installed = programsFolder();
  return installed ? { programs: installed } : { reason: "Debian's postgresql brought no server programs" };
}

function programsFolder(): string | null {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => join(debian, version, 'bin')),
    ...(process.env.PATH ?? '').split(delimiter),
  ];
  return folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'pg_ctl'))) ?? null;
}

/** Makes a cluster in a temporary folder and starts it; a second or so. */
export async function startCluster(programs: string): Promise<Cluster> {
  const folder = mkdtempSync(join(folderForDatabases(), 'gatehouse-postgres-'));
  const owner = unprivilegedUser();
  if (owner) chownSync(folder, owner.uid, owner.gid);
  const options = { ...owner, cwd: folder };

  // However this process ends, its end of the pipe closes, and the guard takes the cluster down and its folder away.
  const takeDown = `cat >/dev/null; '${programs}/pg_ctl' -D data -m immediate stop >/dev/null 2>&1; cd /; rm -rf '${folder}'`;
  const guard = spawn('sh', ['-c', takeDown], { ...options, detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  const guardEnded = new Promise<void>((resolve) => guard.once('exit', () => resolve()));
  const stop = async () => {
    guard.stdin.end();
    await guardEnded;
  };

  try {
    // ICU's order of words, as most installations have it, so that code which needs another one has to ask for it.
    const locale = ['--locale=C.UTF-8', '--locale-provider=icu', '--icu-locale=en-US'];
    const access = ['--username=gatehouse', '--auth=trust'];
    await run(join(programs, 'initdb'), ['-D', 'data', '--no-sync', '--encoding=UTF8', ...locale, ...access], options);
    const settings = {
      listen_addresses: '',
      unix_socket_directories: folder,
      max_connections: 200,
      fsync: 'off',
      synchronous_commit: 'off',
      full_page_writes: 'off',
      // Its log is in memory too.
      max_wal_size: '256MB',
    };
    const flags = Object.entries(settings).map(([name, value]) => `-c ${name}=${value === '' ? "''" : value}`);
    await run(join(programs, 'pg_ctl'), ['-D', 'data', '-w', '-l', 'log', '-o', flags.join(' '), 'start'], options);
  } catch (error) {
    const log = join(folder, 'log');
    const said = existsSync(log) ? readFileSync(log, 'utf8').trim() : '';
    await stop();
    throw new Error(`PostgreSQL did not start. ${said}`, { cause: error });
  }
  return { adminUrl: `postgres://gatehouse@localhost/postgres?host=${encodeURIComponent(folder)}`, stop };
}

/** PostgreSQL and PgBouncer refuse to run as root. */
export function unprivilegedUser(): { uid: number; gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const user = users.find(([name]) => name === 'postgres') ?? users.find(([name]) => name === 'nobody');
  if (!user) throw new Error('PostgreSQL cannot run as root, and there is no user "postgres" or "nobody"');
  return { uid: Number(user[2]), gid: Number(user[3]) };
}
