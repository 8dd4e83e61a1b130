import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { addMilliseconds, systemClock } from '../../src/platform/clock.ts';
import { countAhead } from '../support/jobs.ts';
import { numbered } from '../support/many-rows.ts';
import { describeOnBoth, type TestServer } from '../support/server.ts';

const hourMs = 3_600_000;
const size = 700;
const ago = (hours: number) => addMilliseconds(systemClock.now(), -hours * hourMs);

/** Five of each moment, back from some hours ago, with three actions in turn. */
async function addEvents({ world: { db } }: TestServer, count: number, hoursAgo: number): Promise<void> {
  const isLite = db.dialect.name === 'sqlite';
  const at = isLite
    ? sql`strftime('%Y-%m-%dT%H:%M:%f', ${ago(hoursAgo)}, -(i / 5 * 400) || ' seconds') || '000Z'`
    : sql`${ago(hoursAgo)}::timestamptz - (i / 5 * 400) * interval '1 second'`;
  const key = isLite ? sql`printf('%08x-0000-4000-8000-%012x', abs(random()) >> 31, i)` : sql`gen_random_uuid()`;
  await db.write((tx) =>
    sql`insert into events (pk, "user", username, action, app, context, created, expires, brand, words)
      ${numbered(db.dialect, 1, count)} select ${key}, '{}', 'ann', 'custom_' || (i % 3), 'test', '{}', ${at},
        '2099-01-01T00:00:00.000000Z', '{}', '' from n`.execute(tx),
  );
}

/** Every third is not active, and only some have an address. */
async function addUsers({ world: { db } }: TestServer, count: number): Promise<void> {
  const isLite = db.dialect.name === 'sqlite';
  const text = db.dialect.toText(sql`i * 7919 % 12011`);
  await db.write((tx) =>
    sql`insert into users (uuid, username, name, email, password_change_date, is_active, date_joined, path, type, attributes)
      ${numbered(db.dialect, 1, count)} select ${isLite ? sql`'u' || i` : sql`gen_random_uuid()`}, ${text}, '',
        case when i % 100 = 0 then ${text} else '' end, '2026-01-01T00:00:00Z', i % 3 > 0, '2026-01-01T00:00:00Z', 'users', 'internal', '{}'
      from n`.execute(tx),
  );
}

describeOnBoth('pages far from both ends', (server) => {
  beforeAll(async () => {
    await addEvents(server(), 9_000, 3);
    await addUsers(server(), 6_000);
    await countAhead(server());
    await server().app.jobs.stop();
    // What is gone since, and what is not counted yet.
    await server().world.db.write((tx) =>
      sql`delete from events where action = 'custom_1' and created between ${ago(20)} and ${ago(10)}`.execute(tx),
    );
    await addEvents(server(), 50, 0);
  });

  /** The statements that found the keys of the page. */
  async function pageOf(query: string): Promise<{ keys: string[]; statements: string[] }> {
    const statements: string[] = [];
    const stop = server().world.db.onStatement((statement) => void statements.push(statement.sql));
    const { status, body } = await server().admin.get(`/events/events/?page_size=${size}&${query}`);
    stop();
    expect(status).toBe(200);
    return { keys: body.results.map(({ pk }: { pk: string }) => pk), statements };
  }
  const beginsAtAnHour = ({ statements }: { statements: string[] }) =>
    statements.some((text) => /created"? (<|>=) (\$\d+|\?)[^;]* order by /.test(text));

  test.each(['', 'action=custom_1', 'actions=custom_0&actions=custom_2'])('hold the same rows: %s', async (filter) => {
    const wanted = filter.match(/custom_\d/g) ?? [];
    const { rows } = await sql<{ pk: string }>`select pk from events
      where ${wanted.length > 0 ? sql`action in (${sql.join(wanted)})` : sql`1 = 1`} order by created desc, pk`.execute(
      server().world.db.read,
    );
    const all = rows.map(({ pk }) => pk);
    const pages = Math.ceil(all.length / size);
    const isByHour: boolean[] = [];
    for (let page = 1; page <= pages; page++) {
      const found = await pageOf(`${filter}&page=${page}`);
      expect(found.keys, `page ${page}`).toEqual(all.slice((page - 1) * size, page * size));
      isByHour.push(beginsAtAnHour(found));
    }
    // The first, the last and one in the middle, if there are enough.
    expect([isByHour[0], isByHour.at(-1)]).toEqual([false, false]);
    expect(isByHour[Math.floor(pages / 2)]).toBe(all.length > 5_000);
  });

  test.each(['username', '-username', 'email', 'username&is_active=true'])(
    'hold the same users by %s',
    async (order) => {
      const { db } = server().world;
      const [name = '', filter = ''] = order.replace('-', '').split('&');
      const direction = order.startsWith('-') ? sql`desc` : sql`asc`;
      const { rows } = await sql<{
        pk: number;
      }>`select pk from users where ${filter ? sql`is_active = true` : sql`1 = 1`}
      order by ${sql.ref(name)} ${direction}, pk`.execute(db.read);
      const size = 500;
      for (let page = 1; page <= Math.ceil(rows.length / size); page++) {
        const { body } = await server().admin.get(
          `/core/users/?include_groups=false&page_size=${size}&page=${page}&ordering=${order}`,
        );
        const found = body.results.map(({ pk }: { pk: number }) => pk);
        expect(found, `page ${page}`).toEqual(rows.slice((page - 1) * size, page * size).map(({ pk }) => pk));
      }
    },
  );

  test('are read from the first row in any other order', async () => {
    const found = await pageOf('ordering=action&page=6');
    expect(found.keys).toHaveLength(size);
    expect(beginsAtAnHour(found)).toBe(false);
  });
});
