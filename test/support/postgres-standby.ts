import { execFile } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { findPostgres, startCluster, unprivilegedUser } from './postgres-cluster.ts';

const run = promisify(execFile);

/** A PostgreSQL of its own with a standby that has every commit before it is acknowledged. */
export interface Pair {
  /** Names both hosts. */
  readonly url: string;
  readonly primaryUrl: string;
  readonly standbyUrl: string;
  /** As after a loss of power. */
  killPrimary(): Promise<void>;
  /** Starts it again as it was: it takes writes, and waits for no standby. */
  restartPrimary(): Promise<void>;
  promoteStandby(): Promise<void>;
  killStandby(): Promise<void>;
  stop(): Promise<void>;
}

export async function startPair(): Promise<Pair | null> {
  const found = await findPostgres();
  if ('reason' in found) return null;
  const { programs } = found;
  const primary = await startCluster(programs);
  const primaryFolder = new URL(primary.adminUrl).searchParams.get('host') as string;
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-standby-'));
  const owner = unprivilegedUser();
  if (owner) chownSync(folder, owner.uid, owner.gid);
  const options = { ...owner, cwd: folder };
  const control = (of: string, ...args: string[]) =>
    run(join(programs, 'pg_ctl'), ['-D', join(of, 'data'), ...args], options);

  await run(
    join(programs, 'pg_basebackup'),
    ['-h', primaryFolder, '-U', 'gatehouse', '-D', 'data', '-R', '--checkpoint=fast', '--no-sync'],
    options,
  );
  const flags = `-c listen_addresses='' -c unix_socket_directories=${folder} -c fsync=off -c max_connections=200`;
  await control(folder, '-w', '-l', 'log', '-o', flags, 'start');
  const client = new pg.Client({ connectionString: primary.adminUrl });
  await client.connect();
  await client.query("alter system set synchronous_standby_names = '*'");
  await client.query('alter role gatehouse set synchronous_commit = on');
  await client.query('select pg_reload_conf()');
  await client.end();

  // A test may have killed it before.
  const killStandby = () => control(folder, '-m', 'immediate', 'stop').catch(() => {});
  const urlOf = (...hosts: string[]) => `postgres://gatehouse@${hosts.map(encodeURIComponent).join(',')}/postgres`;
  return {
    url: urlOf(primaryFolder, folder),
    primaryUrl: urlOf(primaryFolder),
    standbyUrl: urlOf(folder),
    async killPrimary() {
      await control(primaryFolder, '-m', 'immediate', 'stop');
    },
    async restartPrimary() {
      const alone = `-c listen_addresses='' -c unix_socket_directories=${primaryFolder} -c fsync=off -c synchronous_standby_names=''`;
      await control(primaryFolder, '-w', '-l', join(primaryFolder, 'log'), '-o', alone, 'start');
    },
    async promoteStandby() {
      await control(folder, '-w', 'promote');
    },
    async killStandby() {
      await killStandby();
    },
    async stop() {
      await killStandby();
      await primary.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
