import { type RawBuilder, sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { grantOn } from '../support/grants.ts';
import { describeOnBoth, type TestServer } from '../support/server.ts';
import { seededRandom } from '../torture/random.ts';

/** Letters that are folded differently, that mean something in a pattern or a query, and that have no case. */
const letters = [...'aAzZiIİıkK\u212asſßéÉ07.-_%\\\'"^[]$*( ~王伟ア한ªº𠮷🙂\u0307'];
/** Those that both ways of searching fold alike. */
const plainLetters = [...'aAzZéÉ07.-_%\\\'"^[]$*(~王伟ア한𠮷🙂'];
const columns = ['username', 'name', 'email'];
const random = seededRandom(4711);
const textOf = (some: readonly string[], length: number) => Array.from({ length }, () => random.oneOf(some)).join('');
const text = () => textOf(letters, random.below(5));

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

describeOnBoth('the search index', (server) => {
  beforeAll(async () => {
    const { world } = server();
    await add(server(), 100, 600);
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

  /** Finds the same rows by the index as without it, and says how many. */
  async function compare(term: string): Promise<number> {
    const { dialect } = server().world.db;
    const scanned = await found(scanFor(term));
    const byIndex = sql`t.pk in (select t.pk from ${dialect.rowsWithWords('users', columns, [term])})`;
    expect(await found(byIndex), JSON.stringify(term)).toEqual(scanned);
    return scanned.length;
  }
  const scanFor = (term: string) =>
    sql`(${sql.join(
      columns.map((column) => server().world.db.dialect.contains(sql.ref(`t.${column}`), term)),
      sql` or `,
    )})`;

  test('finds three letters wherever they are', async () => {
    const terms = Array.from({ length: 400 }, () => textOf(plainLetters, 3));
    let rows = 0;
    for (const term of terms) rows += await compare(term);
    expect(rows).toBeGreaterThan(5);
  });

  test('finds words, and no others of the same trigrams', async () => {
    const { world } = server();
    const few = [...'aAb"%'];
    const names = Array.from({ length: 300 }, () => textOf(few, 5 + random.below(20)));
    await world.db.write(async (tx) => {
      for (const [at, name] of names.entries())
        await sql`update users set name = ${name} where username like ${`${100 + at}%`}`.execute(tx);
    });
    let rows = 0;
    for (let count = 0; count < 300; count++) {
      const name = random.oneOf(names);
      const from = random.below(name.length - 3);
      const word = count % 3 === 0 ? textOf(few, 3 + random.below(8)) : name.slice(from, from + 3 + random.below(12));
      rows += await compare(count % 2 === 0 ? word : word.toUpperCase());
    }
    expect(rows).toBeGreaterThan(300);
  });

  test('finds long words by their beginning, and no others that begin alike', async () => {
    const { world } = server();
    const names = ['a', 'aB', '王', 'é'].map((text) => text.repeat(80 / text.length));
    await world.db.write(async (tx) => {
      for (const [at, name] of names.entries())
        for (const [more, end] of ['x', 'y'].entries())
          await sql`update users set name = ${name + end} where username like ${`${200 + 2 * at + more}%`}`.execute(tx);
    });
    for (const name of names) {
      expect(await compare(name)).toBe(2);
      expect(await compare(`${name}x`)).toBe(1);
      expect(await compare(`${name}z`)).toBe(0);
    }
  });

  test.each(['aZ', '07', '王伟', '%_', "'a", '\\"', '🙂a', '𠮷王', 'zi 07'])('lists users with %s', async (terms) => {
    const { body } = await server().admin.get(
      `/core/users/?search=${encodeURIComponent(terms)}&ordering=pk&page_size=1000&include_groups=false`,
    );
    const expected = await found(sql.join(terms.split(' ').map(scanFor), sql` and `));
    expect(body.results.map(({ pk }: { pk: number }) => pk)).toEqual(expected);
  });

  test.each(['ZY', 'zyx', 'zyxwvut', 'z'])('shows a search for %s only what the caller may see', async (term) => {
    const { admin, user } = server();
    const make = async (name: string) => (await admin.post('/core/users/', { username: name, name })).body.pk;
    const [seen] = [await make(`seen-${term}-zyxwvut`), await make(`unseen-${term}-zyxwvut`)];
    const { pk, api: caller } = await user();
    await grantOn(server(), pk, 'svc_core.view_user', seen);
    const { body } = await caller.get(`/core/users/?search=${term}&page_size=1`);
    expect(body.results.map(({ pk }: { pk: number }) => pk)).toEqual([seen]);
    expect(body.pagination.count).toBe(1);
    const objects = await caller.get(`/admin/objects/?search=${term}`);
    expect(objects.body.map(({ pk }: { pk: string }) => pk)).toEqual([String(seen)]);
  });
});
