import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/platform/config.ts';
import { unique } from '../support/make-walk.ts';
import { freshPostgresDatabase } from '../support/postgres.ts';
import { hasPostgres, startServer } from '../support/server.ts';

const database = await freshPostgresDatabase();

describe.skipIf(!hasPostgres)('connections to PostgreSQL', () => {
  const client = new pg.Client({ connectionString: database?.url });
  const roles: string[] = [];
  beforeAll(() => client.connect());
  afterAll(async () => {
    for (const role of roles) await client.query(`drop owned by ${role} cascade; drop role ${role}`);
    await client.end();
    await database?.drop();
  });

  /** The database's URL for a role that may have so many connections. */
  async function limited(url: string, most: number): Promise<string> {
    const role = `limited_${crypto.randomUUID().slice(0, 8)}`;
    await client.query(`create role ${role} login superuser connection limit ${most}`);
    roles.push(role);
    const address = new URL(url);
    address.username = role;
    return address.href;
  }

  test('an instance opens at most the configured number, plus one that listens for notifications', async () => {
    const server = await startServer('postgres', { env: { GATEHOUSE_DATABASE_CONNECTIONS: '6' } });
    const name = new URL(server.world.config.databaseUrl ?? '').pathname.slice(1);
    const open = async () =>
      (await client.query('select count(*)::int as open from pg_stat_activity where datname = $1', [name])).rows[0]
        .open;
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, number) =>
        number % 2 ? server.admin.get('/core/users/') : server.admin.post('/core/groups/', { name: `group ${number}` }),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 201]));
    const count = await open();
    expect(count).toBeGreaterThan(2);
    expect(count).toBeLessThanOrEqual(7);
    await server.close();
  });

  test('five instances with default settings leave a connection for psql on a PostgreSQL with default settings', () => {
    const { databaseConnections } = readConfig({});
    const withListener = databaseConnections + 1;
    // max_connections is 100, of which 3 are kept for superusers; a backup or two wants some as well.
    expect(5 * withListener).toBeLessThanOrEqual(100 - 3 - 10);
  });

  test('when the database refuses another connection, requests wait for one that is open', async () => {
    const url = await limited(database?.url ?? '', 3);
    const server = await startServer('postgres', { env: { DATABASE_URL: url } });
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, number) =>
        number % 2
          ? server.admin.get('/core/users/')
          : server.admin.post('/core/groups/', { name: unique(`group-${number}`) }),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 201]));
    await server.close();
  });
});
