import { type RawBuilder, sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { fillSearchIndexes } from '../../src/core/search/fill-search.job.ts';
import { describeOnBoth, type TestServer } from '../support/server.ts';
import { seededRandom } from '../torture/random.ts';

/** Letters that are folded differently, that mean something in a pattern or a query, and that have no case. */
const letters = [...'aAzZiIİıkK\u212asſßéÉ07.-_%\\\'"^[]$*( ~王伟ア한ªº𠮷🙂\u0307'];
const columns = ['username', 'name', 'email'];
const random = seededRandom(4711);
const text = () => Array.from({ length: random.below(5) }, () => random.oneOf(letters)).join('');

async function add({ world: { db, clock } }: TestServer, from: number, to: number): Promise<void> {
  await db.write(async (tx) => {
    for (let number = from; number < to; number++) {
      await sql`insert into users (uuid, username, name, email, password_change_date, is_active, date_joined, path, type, attributes)
        values (${crypto.randomUUID()}, ${`${number}${text()}`}, ${text()}, ${`${number}${text()}`}, ${clock.now()}, ${true}, ${clock.now()}, 'users', 'internal', '{}')`.execute(
        tx,
      );
    }
  });
}

describeOnBoth('two letters', (server) => {
  beforeAll(async () => {
    const { world, app } = server();
    await add(server(), 100, 500);
    await fillSearchIndexes(world.db, app.engine.registry);
    // On SQLite these wait to be indexed.
    await add(server(), 500, 600);
    for (let number = 450; number < 550; number++) {
      const where = sql`where username like ${`${number}%`}`;
      await world.db.write((tx) =>
        number % 4 === 0
          ? sql`delete from users ${where}`.execute(tx)
          : sql`update users set name = ${text()}, email = ${`${number}${text()}`} ${where}`.execute(tx),
      );
    }
  });

  const found = async (condition: RawBuilder<unknown>) => {
    const { rows } = await sql<{ pk: number }>`select t.pk from users as t where ${condition} order by t.pk`.execute(
      server().world.db.read,
    );
    return rows.map(({ pk }) => pk);
  };

  test('are found by the index in the same rows as without it', async () => {
    const { dialect } = server().world.db;
    const pairs = letters.flatMap((one) => letters.map((other) => one + other)).filter(dialect.findsPair);
    expect(pairs).toContain('zA');
    let rows = 0;
    for (const pair of pairs) {
      const scanned = await found(
        sql.join(
          columns.map((column) => dialect.contains(sql.ref(`t.${column}`), pair)),
          sql` or `,
        ),
      );
      expect(await found(dialect.indexedContains('users', 't', columns, pair)), JSON.stringify(pair)).toEqual(scanned);
      rows += scanned.length;
    }
    expect(rows).toBeGreaterThan(pairs.length);
  });

  test.each(['aZ', '07', '王伟', '%_', "'a", '\\"', '🙂a', '𠮷王', 'zi 07'])('list users with %s', async (terms) => {
    const { db } = server().world;
    const { body } = await server().admin.get(
      `/core/users/?search=${encodeURIComponent(terms)}&ordering=pk&page_size=1000&include_groups=false`,
    );
    const each = terms.split(' ').map(
      (term) =>
        sql`(${sql.join(
          columns.map((column) => db.dialect.contains(sql.ref(`t.${column}`), term)),
          sql` or `,
        )})`,
    );
    expect(body.results.map(({ pk }: { pk: number }) => pk)).toEqual(await found(sql.join(each, sql` and `)));
  });
});
