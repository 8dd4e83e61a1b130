import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { addMilliseconds, systemClock } from '../../src/platform/clock.ts';
import { newKey, numbered } from '../support/many-rows.ts';
import { describeOnBoth, type TestServer } from '../support/server.ts';

const maxCount = 100_000;
const many = maxCount + 2_050;
const few = 130;

/** Events of a brand within some minutes, the first of them the newest. */
async function addEvents({ world: { db } }: TestServer, brand: string, count: number): Promise<void> {
  const isLite = db.dialect.name === 'sqlite';
  const atOnce = 17_000;
  const start = addMilliseconds(systemClock.now(), -200_000);
  const at = isLite
    ? sql`strftime('%Y-%m-%dT%H:%M:%f', ${start}, (-i * 0.001) || ' seconds') || '000Z'`
    : sql`${start}::timestamptz - i * interval '1 millisecond'`;
  for (let from = 0; from < count; from += atOnce) {
    const last = Math.min(count, from + atOnce) - 1;
    await db.write((tx) =>
      sql`insert into events (pk, "user", user_pk, username, action, app, context, created, expires, brand, brand_name, words)
        ${numbered(db.dialect, from, last)} select ${newKey(db.dialect)}, '{}', i, 'ann', 'custom_counted', 'test', '{}', ${at}, '2099-01-01T00:00:00.000000Z', '{}', ${brand}, ''
        from n`.execute(tx),
    );
  }
}

describeOnBoth('counts of lists', (server) => {
  beforeAll(async () => {
    await addEvents(server(), 'Wide', many);
    await addEvents(server(), 'Narrow', few);
    await addEvents(server(), 'Limit', maxCount);
    // Their events would be counted too.
    await server().app.jobs.stop();
  });

  const page = async (query: string) => {
    const { status, body, headers } = await server().admin.get(`/events/events/?${query}`);
    expect(status, query).toBe(200);
    const keys: string[] = body.results.map(({ pk }: { pk: string }) => pk);
    return { ...body.pagination, keys, header: headers.get('gatehouse-count') };
  };
  const keysOf = async (brand: string) => {
    const { rows } = await sql<{ pk: string }>`select pk from events where brand_name = ${brand}
      order by created desc, pk`.execute(server().world.db.read);
    return rows.map(({ pk }) => pk);
  };

  test('are exact up to 100,000 rows', async () => {
    const exactly = (count: number) => ({ count, header: null });
    expect(await page('brand_name=Narrow&page_size=20')).toMatchObject({ ...exactly(few), next: 2, total_pages: 7 });
    expect(await page('brand_name=Narrow&page_size=20&page=last')).toMatchObject({ ...exactly(few), current: 7 });
    expect(await page('brand_name=Nothing')).toMatchObject(exactly(0));
    expect(await page('brand_name=Limit&page_size=20')).toMatchObject({ ...exactly(maxCount), total_pages: 5_000 });
    const last = await page('brand_name=Limit&page_size=20&page=5000');
    expect(last).toMatchObject({ ...exactly(maxCount), next: 0, end_index: maxCount });
    expect((await server().admin.get('/events/events/?brand_name=Limit&page_size=20&page=5001')).status).toBe(404);
  });

  test('stop at 100,000 rows and say so, with filters and without', async () => {
    const first = await page('brand_name=Wide&page_size=20');
    expect(first).toMatchObject({ count: maxCount, header: 'at-least', next: 2, total_pages: 5_000 });
    expect(first.keys).toEqual((await keysOf('Wide')).slice(0, 20));
    expect(await page('page_size=20')).toMatchObject({ count: maxCount, header: 'at-least' });
    expect(await page('brand_name=Wide&page_size=20&page=last')).toMatchObject({ current: 5_000, next: 5_001 });
    const query = new URLSearchParams({ path: '/events/events/?brand_name=Wide&page_size=1' });
    const { body } = await server().admin.get(`/admin/page/?${query}`);
    expect(body.answers[0]).toMatchObject({ is_at_least: true });
  });

  test('leave out no row for clients that follow `next` to the end', async () => {
    const size = 10_000;
    const seen: string[] = [];
    let current = 8;
    for (let next = current; next > 0; ) {
      const found = await page(`brand_name=Wide&page_size=${size}&page=${next}`);
      expect(found).toMatchObject({ count: maxCount, header: 'at-least', current: next });
      seen.push(...found.keys);
      current = found.current;
      next = found.next;
    }
    expect(current).toBe(11);
    expect(seen).toEqual((await keysOf('Wide')).slice(7 * size));
    expect((await server().admin.get(`/events/events/?brand_name=Wide&page_size=${size}&page=12`)).status).toBe(404);
  });

  test.each(['username', '-name', 'name&is_active=true'])('pages hold the users in their order: %s', async (order) => {
    const { db } = server().world;
    if ((await server().admin.get('/core/users/?search=paged-')).body.pagination.count === 0) await addUsers(server());
    const [name = '', filter = ''] = order.replace('-', '').split('&');
    const direction = order.startsWith('-') ? sql`desc` : sql`asc`;
    const { rows } = await sql<{ pk: number }>`select pk from users
      where ${filter ? sql`is_active = true` : sql`1 = 1`} order by ${sql.ref(name)} ${direction}, pk`.execute(db.read);
    const size = 70;
    const found: number[] = [];
    for (let page = 1; page > 0; ) {
      const { body } = await server().admin.get(
        `/core/users/?include_groups=false&page_size=${size}&page=${page}&ordering=${order}`,
      );
      found.push(...body.results.map(({ pk }: { pk: number }) => pk));
      page = body.pagination.next;
    }
    expect(found).toEqual(rows.map(({ pk }) => pk));
  });
});

/** Every third is not active, and many share a name. */
async function addUsers({ world: { db } }: TestServer): Promise<void> {
  const uuid = db.dialect.name === 'sqlite' ? sql`'u' || i` : sql`gen_random_uuid()`;
  const text = db.dialect.toText;
  await db.write((tx) =>
    sql`insert into users (uuid, username, name, email, password_change_date, is_active, date_joined, path, type, attributes)
      ${numbered(db.dialect, 1, 400)} select ${uuid}, 'paged-' || ${text(sql`i * 7919 % 12011`)}, ${text(sql`i % 40`)}, '',
        '2026-01-01T00:00:00Z', i % 3 > 0, '2026-01-01T00:00:00Z', 'users', 'internal', '{}' from n`.execute(tx),
  );
}
