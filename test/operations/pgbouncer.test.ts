import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPostgres } from '../../src/platform/db/postgres/postgres.ts';
import { unique } from '../support/make-walk.ts';
import { type PgBouncer, startPgBouncer } from '../support/pgbouncer.ts';
import { findPgBouncer, findPreparingPgBouncer } from '../support/pgbouncer-programs.ts';
import { type FreshDatabase, freshPostgresDatabase } from '../support/postgres.ts';
import { hasPostgres, startServer, type TestServer } from '../support/server.ts';

const ways = [
  {
    title: 'without support for prepared statements',
    program: await findPgBouncer(),
    settings: {},
    prepares: false,
  },
  {
    title: 'with support for prepared statements (PgBouncer 1.21 and later)',
    program: await findPreparingPgBouncer(),
    settings: { max_prepared_statements: '100' },
    prepares: true,
  },
];

describe.each(ways)('behind PgBouncer in transaction mode, $title', ({ program, settings, prepares }) => {
  if (!program || !hasPostgres) return test.skip('there is no PgBouncer or no PostgreSQL here');
  let database: FreshDatabase;
  let bouncer: PgBouncer;
  let server: TestServer;

  beforeAll(async () => {
    database = (await freshPostgresDatabase()) as FreshDatabase;
    bouncer = await startPgBouncer(program, database.url, settings);
    // Connections that PgBouncer opens have another zone and style than ours.
    const direct = openPostgres(database.url);
    const name = new URL(database.url).pathname.slice(1);
    await direct.write((tx) => sql.raw(`alter database "${name}" set timezone = 'Asia/Tokyo'`).execute(tx));
    await direct.write((tx) => sql.raw(`alter database "${name}" set datestyle = 'German'`).execute(tx));
    await direct.close();
    server = await startServer('postgres', { env: { DATABASE_URL: bouncer.url } });
  });
  afterAll(async () => {
    await server.close();
    await bouncer.stop();
    await database.drop();
  });

  test('many concurrent reads and writes are answered over few connections', async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, async (_, number) => {
        const name = unique(`group-${number}`);
        const { status } = await server.admin.post('/core/groups/', { name });
        const { body } = await server.admin.get(`/core/groups/?name=${name}`);
        return [status, body.pagination.count];
      }),
    );
    expect(answers).toEqual(Array.from({ length: 40 }, () => [201, 1]));
  });

  test('times are read as stored, and expired rows stay expired', async () => {
    const identifier = unique('new-one');
    const { body: before } = await server.admin.post('/core/tokens/', { identifier, intent: 'api' });
    const { body: after } = await server.admin.get(`/core/tokens/${identifier}/`);
    expect(after.expires).toBe(before.expires);
    const ada = await server.user();
    expect((await ada.api.get('/core/users/me/')).status).toBe(200);
    const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
    await server.world.db.write((tx) =>
      sql`update tokens set expiring = ${true}, expires = ${ago(2)} where "user" = ${ada.pk}`.execute(tx),
    );
    expect((await ada.api.get('/core/users/me/')).status).toBe(403);
  });

  test(prepares ? 'statements are prepared' : 'statements are not prepared', async () => {
    // In one transaction, so that all of them go to one connection of PgBouncer's.
    const { rows } = await server.world.db.write(async (tx) => {
      for (let turn = 0; turn < 8; turn++) await sql`select ${turn}::int as turn`.execute(tx);
      return sql`select 1 from pg_prepared_statements where statement = 'select $1::int as turn'`.execute(tx);
    });
    expect(rows.length > 0).toBe(prepares);
  });
});
