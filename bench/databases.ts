import { createHash, randomBytes } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { cpuMsOf } from './processes.ts';

/** A store of its own for one part of the run; gone when the run ends. */
export interface BenchDatabase {
  readonly kind: 'sqlite' | 'postgres';
  /** Settings that make a server use it. */
  readonly settings: Record<string, string>;
  /** What the floor opens: a path or an address. */
  readonly place: string;
  /** What autovacuum would have done by the time a server has been in use. */
  settle(): Promise<void>;
  /**
   * The processor time that its own processes have used so far for those who have it open now; none where it has no
   * processes.
   */
  cpuMs(): Promise<number>;
  /** The same data once more; no process may have it open. */
  copy(): Promise<BenchDatabase>;
  drop(): Promise<void>;
}

export interface BenchDatabases {
  readonly kind: 'sqlite' | 'postgres';
  fresh(): Promise<BenchDatabase>;
  /** The one that belongs to a folder, which is there already if an earlier run has made it. */
  keptIn(folder: string): Promise<BenchDatabase>;
}

export function sqliteDatabases(): BenchDatabases {
  return {
    kind: 'sqlite',
    fresh: async () => sqliteDatabase(newFolder()),
    async keptIn(folder) {
      mkdirSync(folder, { recursive: true });
      return sqliteDatabase(folder);
    },
  };
}

function sqliteDatabase(folder: string): BenchDatabase {
  const place = join(folder, 'gatehouse.db');
  return {
    kind: 'sqlite',
    settings: { GATEHOUSE_DATA_DIR: folder },
    place,
    settle: async () => {},
    cpuMs: async () => 0,
    async copy() {
      const twin = sqliteDatabase(newFolder());
      copyFileSync(place, twin.place);
      return twin;
    },
    drop: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Databases of their own on a PostgreSQL server: what is there already is never touched. */
export function postgresDatabases(adminUrl: string): BenchDatabases {
  async function create(template: string): Promise<BenchDatabase> {
    const name = `gatehouse_bench_${randomBytes(5).toString('hex')}`;
    await query(adminUrl, `create database "${name}" template "${template}"`);
    return named(name, newFolder());
  }

  function named(name: string, folder: string): BenchDatabase {
    const url = new URL(adminUrl);
    url.pathname = `/${name}`;
    const cpuByProcess = new Map<number, number>();
    return {
      kind: 'postgres',
      settings: { GATEHOUSE_DATA_DIR: folder, DATABASE_URL: url.href },
      place: url.href,
      async settle() {
        await query(url.href, 'vacuum analyze');
      },
      async cpuMs() {
        const found = await query(adminUrl, `select pid from pg_stat_activity where datname = '${name}'`);
        for (const { pid } of found) cpuByProcess.set(pid, cpuMsOf(pid));
        // Those that have ended since stay with what they were last seen to have used.
        return cpuByProcess.values().reduce((sum, used) => sum + used, 0);
      },
      copy: () => create(name),
      async drop() {
        await query(adminUrl, `drop database if exists "${name}" with (force)`);
        rmSync(folder, { recursive: true, force: true });
      },
    };
  }
  return {
    kind: 'postgres',
    fresh: () => create('template1'),
    async keptIn(folder) {
      mkdirSync(folder, { recursive: true });
      const name = `gatehouse_bench_${createHash('sha256').update(resolve(folder)).digest('hex').slice(0, 10)}`;
      const found = await query(adminUrl, `select oid as pid from pg_database where datname = '${name}'`);
      if (found.length === 0) await query(adminUrl, `create database "${name}"`);
      return named(name, folder);
    },
  };
}

const newFolder = () => mkdtempSync(join(tmpdir(), 'gatehouse-bench-'));

async function query(url: string, text: string): Promise<{ pid: number }[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<{ pid: number }>(text)).rows;
  } finally {
    await client.end();
  }
}
