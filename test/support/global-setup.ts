import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { findPostgres, startCluster } from './postgres-cluster.ts';
import { openRunFolder } from './run-folder.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The URL that answers where PostgreSQL is; the first question starts it. */
    postgresDesk: string;
    /** Every database of this run has a name that starts so. */
    postgresPrefix: string;
    /** Why tests on PostgreSQL were skipped, if they were. */
    postgresMissing?: string;
  }
}

/** What the desk answers. */
export type PostgresAnswer = { adminUrl: string } | { reason: string };

interface Postgres {
  answer: PostgresAnswer;
  stop(): Promise<void>;
}

/**
 * Runs once, before all test files: makes the run's temporary folder, builds the bundle, sees that there is a
 * PostgreSQL and opens the desk. A run that never asks there does not pay for starting it.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const removeFolder = await openRunFolder();
  // Pages and processes of tests are those of the sources as they are now.
  const bundler = fileURLToPath(new URL('../../scripts/bundle.mjs', import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, [bundler], { encoding: 'utf8' });
  // Else the tests would see the pages of an earlier build.
  if (status === 1) throw new Error(stderr);
  const prefix = `gatehouse_test_${randomBytes(4).toString('hex')}_`;
  const open = await wayToPostgres(prefix);
  let postgres: Promise<Postgres> | null = null;

  const server = createServer(async (_request, response) => {
    postgres ??= open().catch((error: Error) => unavailable(error.message));
    const { answer } = await postgres;
    if ('reason' in answer) project.provide('postgresMissing', answer.reason);
    // Test files ask seconds apart: one would send on a connection that this side is about to close.
    response.setHeader('connection', 'close').end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  const { port } = server.address() as AddressInfo;
  project.provide('postgresDesk', `http://127.0.0.1:${port}/`);
  project.provide('postgresPrefix', prefix);
  return async () => {
    server.close();
    server.closeAllConnections();
    await (await postgres)?.stop();
    await removeFolder();
  };
}

async function wayToPostgres(prefix: string): Promise<() => Promise<Postgres>> {
  const given = process.env.GATEHOUSE_TEST_POSTGRES;
  if (given) return async () => ({ answer: { adminUrl: given }, stop: () => dropDatabases(given, prefix) });
  const found = await findPostgres();
  if ('reason' in found) return async () => unavailable(found.reason);
  return async () => {
    const { adminUrl, stop } = await startCluster(found.programs);
    return { answer: { adminUrl }, stop };
  };
}

function unavailable(reason: string): Postgres {
  return { answer: { reason }, stop: async () => undefined };
}

/** Another process's server must be left as it was found. */
async function dropDatabases(adminUrl: string, prefix: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    const { rows } = await client.query('select datname from pg_database where starts_with(datname, $1)', [prefix]);
    for (const { datname } of rows) await client.query(`drop database "${datname}" with (force)`);
  } finally {
    await client.end();
  }
}
