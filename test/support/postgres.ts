import { createHash, randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import type { PostgresAnswer } from './global-setup.ts';

export interface FreshDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** What many test files start from, made once in a run and copied for each of them in about 100 ms. */
export interface Template {
  readonly name: string;
  /** Fills an empty database. It must have closed its connections when it returns. */
  fill(url: string): Promise<void>;
}

/**
 * A separate database for each caller, empty or a copy of the template; null when this machine has no PostgreSQL, and
 * under CI an error then. Ask at the top level of the test file, so that its tests can be skipped:
 * `describe.skipIf(!database)`.
 */
export async function freshPostgresDatabase(template?: Template): Promise<FreshDatabase | null> {
  const answer = await askDesk();
  if ('reason' in answer) {
    if (process.env.CI) throw new Error(`No PostgreSQL to test with: ${answer.reason}`);
    return null;
  }
  const { adminUrl } = answer;
  const name = inject('postgresPrefix') + randomBytes(6).toString('hex');
  await withClient(adminUrl, async (client) => {
    const source = template ? await filledTemplate(client, adminUrl, template) : 'template0';
    await client.query(`create database "${name}" template "${source}"`);
  });
  return {
    url: urlOfDatabase(adminUrl, name),
    drop: () => withClient(adminUrl, (client) => client.query(`drop database if exists "${name}" with (force)`)),
  };
}

async function filledTemplate(client: pg.Client, adminUrl: string, { name, fill }: Template): Promise<string> {
  const database = `${inject('postgresPrefix')}t_${createHash('sha256').update(name).digest('hex').slice(0, 12)}`;
  // Two test files may ask at the same time: the second waits until the first has filled it.
  await client.query('select pg_advisory_lock(hashtext($1))', [database]);
  try {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [database]);
    if (rowCount === 0) {
      const draft = `${database}_draft`;
      await client.query(`drop database if exists "${draft}" with (force)`);
      await client.query(`create database "${draft}" template template0`);
      await fill(urlOfDatabase(adminUrl, draft));
      await client.query(`alter database "${draft}" rename to "${database}"`);
    }
    return database;
  } finally {
    await client.query('select pg_advisory_unlock(hashtext($1))', [database]);
  }
}

async function withClient(url: string, use: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await use(client);
  } finally {
    await client.end();
  }
}

function urlOfDatabase(adminUrl: string, name: string): string {
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return url.href;
}

async function askDesk(): Promise<PostgresAnswer> {
  const response = await fetch(inject('postgresDesk'));
  return (await response.json()) as PostgresAnswer;
}
