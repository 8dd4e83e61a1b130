import { spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PgBouncerProgram } from './pgbouncer-programs.ts';
import { unprivilegedUser } from './postgres-cluster.ts';

export interface PgBouncer {
  /** The database's URL, by way of PgBouncer. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Puts PgBouncer in transaction mode in front of a database, on a socket of its own. */
export async function startPgBouncer(
  { file: program, args }: PgBouncerProgram,
  databaseUrl: string,
  settings: Record<string, string>,
): Promise<PgBouncer> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-pgbouncer-'));
  const target = new URL(databaseUrl);
  const name = target.pathname.slice(1);
  const all = {
    listen_addr: '',
    unix_socket_dir: folder,
    auth_type: 'trust',
    auth_file: join(folder, 'users'),
    pool_mode: 'transaction',
    // Fewer than clients, and more than the transactions that one instance runs at a time.
    default_pool_size: '10',
    ...settings,
  };
  const host = target.searchParams.get('host') ?? target.hostname;
  writeFileSync(join(folder, 'users'), `"${target.username}" "${target.password}"\n`);
  writeFileSync(
    join(folder, 'ini'),
    `[databases]\n${name} = host=${host} port=${target.port || 5432}\n[pgbouncer]\n${Object.entries(all)
      .map(([key, value]) => `${key} = ${value}\n`)
      .join('')}`,
  );
  const owner = unprivilegedUser();
  if (owner) for (const file of ['', 'users', 'ini']) chownSync(join(folder, file), owner.uid, owner.gid);
  const child = spawn(program, [...args, 'ini'], { ...owner, cwd: folder, stdio: 'ignore' });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  process.once('exit', () => child.kill('SIGKILL'));
  const socket = join(folder, '.s.PGSQL.6432');
  for (let turn = 0; !existsSync(socket); turn++) {
    if (turn === 500 || child.exitCode !== null) throw new Error('PgBouncer did not start');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return {
    url: `postgres://${target.username}@localhost:6432/${name}?host=${encodeURIComponent(folder)}`,
    async stop() {
      child.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
