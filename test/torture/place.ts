import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePort } from '../support/free-port.ts';
import { firstStart, type RunningServer, startServerProcess } from '../support/gatehouse-process.ts';
import { makeRoom } from '../support/large-file.ts';
import { findPostgres, startCluster, unprivilegedUser } from '../support/postgres-cluster.ts';

const run = promisify(execFile);

export interface Instance {
  readonly url: string;
  residentMegabytes(): number;
  kill(): Promise<void>;
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** Servers on one database, all of which can be made to fail. */
export interface Place {
  readonly instances: readonly Instance[];
  /** Null for SQLite, which lives in its server. */
  readonly killDatabase: (() => Promise<void>) | null;
  close(): Promise<void>;
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-torture-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function startInstance(settings: Record<string, string>, folder = newFolder()): Promise<Instance> {
  const port = String(await freePort());
  const env = {
    ...firstStart,
    GATEHOUSE_DATA_DIR: folder,
    // Each call can say that it comes from elsewhere: limits for strangers are not what is tortured.
    GATEHOUSE_TRUSTED_PROXIES: '127.0.0.1/32',
    ...settings,
    PORT: port,
  };
  const start = () => startServerProcess(env);
  let server: RunningServer = await start();
  async function end(signal: NodeJS.Signals): Promise<void> {
    server.kill(signal);
    await server.finished;
  }
  return {
    url: `http://127.0.0.1:${port}`,
    residentMegabytes() {
      const status = readFileSync(`/proc/${server.pid}/status`, 'utf8');
      return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024;
    },
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
    async start() {
      server = await start();
    },
  };
}

export async function sqlitePlace(): Promise<Place> {
  const folder = newFolder();
  const database = new DatabaseSync(join(folder, 'gatehouse.db'));
  database.exec(['pragma journal_mode = wal', ...makeRoom].join('; '));
  database.close();
  const instance = await startInstance({}, folder);
  return { instances: [instance], killDatabase: null, close: () => instance.stop() };
}

export async function postgresPlace(count: number): Promise<Place> {
  const found = await findPostgres();
  if ('reason' in found) throw new Error(found.reason);
  const cluster = await startCluster(found.programs);
  const folder = new URL(cluster.adminUrl).searchParams.get('host') ?? '';
  const client = new pg.Client({ connectionString: cluster.adminUrl });
  await client.connect();
  // The cluster of the tests promises nothing after a crash.
  await client.query('alter role gatehouse set synchronous_commit = on');
  await client.end();
  const settings = { DATABASE_URL: cluster.adminUrl, GATEHOUSE_SECRET_KEY: 'one key for all instances under torture' };
  const instances: Instance[] = [];
  for (let index = 0; index < count; index++) instances.push(await startInstance(settings));
  return {
    instances,
    async killDatabase() {
      const args = ['-D', join(folder, 'data'), '-m', 'immediate', '-w', '-l', join(folder, 'log'), 'restart'];
      await run(join(found.programs, 'pg_ctl'), args, { ...unprivilegedUser(), cwd: folder });
    },
    async close() {
      await Promise.all(instances.map((instance) => instance.stop()));
      await cluster.stop();
    },
  };
}
