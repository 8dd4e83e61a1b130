import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { findPostgres, startCluster } from './postgres-cluster.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A socket that answers where PostgreSQL is; the first question starts it. */
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

/** Runs once, before all test files: opens the desk. A run that never asks for PostgreSQL does not pay for it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const id = randomBytes(4).toString('hex');
  const prefix = `gatehouse_test_${id}_`;
  const desk = join(tmpdir(), `gatehouse-test-${id}.sock`);
  let postgres: Promise<Postgres> | null = null;

  const server = createServer(async (_request, response) => {
    postgres ??= openPostgres(prefix);
    const { answer } = await postgres.catch((error: Error): Postgres => unavailable(error.message));
    if ('reason' in answer) project.provide('postgresMissing', answer.reason);
    response.end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(desk, resolve));
  server.unref();

  project.provide('postgresDesk', desk);
  project.provide('postgresPrefix', prefix);
  return async () => {
    server.close();
    server.closeAllConnections();
    await (await postgres?.catch(() => null))?.stop();
  };
}

async function openPostgres(prefix: string): Promise<Postgres> {
  const given = process.env.GATEHOUSE_TEST_POSTGRES;
  if (given) return { answer: { adminUrl: given }, stop: () => dropDatabases(given, prefix) };
  const found = findPostgres();
  if ('reason' in found) return unavailable(found.reason);
  const { adminUrl, stop } = await startCluster(found.programs);
  return { answer: { adminUrl }, stop };
}

function unavailable(reason: string): Postgres {
  return { answer: { reason }, stop: async () => undefined };
}

/** Somebody else's server must be left as it was found. */
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
