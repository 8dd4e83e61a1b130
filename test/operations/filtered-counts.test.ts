import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { addMilliseconds, systemClock } from '../../src/platform/clock.ts';
import { newKey, numbered } from '../support/many-rows.ts';
import { describeOnBoth, type TestServer } from '../support/server.ts';

const many = 102_000;
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

describeOnBoth('counts of filtered lists of a large table', (server) => {
  beforeAll(async () => {
    await addEvents(server(), 'Wide', many);
    await addEvents(server(), 'Narrow', few);
    // Their events would be counted too.
    await server().app.jobs.stop();
  });

  const page = async (query: string) => {
    const { status, body, headers } = await server().admin.get(`/events/events/?${query}`);
    expect(status, query).toBe(200);
    const { count, next, current } = body.pagination;
    const keys = body.results.map(({ pk }: { pk: string }) => pk);
    return { count, next, current, keys, isEstimate: headers.get('gatehouse-count') === 'estimate' };
  };
  const keysOf = async (brand: string, order: ReturnType<typeof sql>) => {
    const { rows } = await sql<{ pk: string }>`select pk from events where brand_name = ${brand}
      order by ${order} limit 20`.execute(server().world.db.read);
    return rows.map(({ pk }) => pk);
  };
  const newest = sql`created desc, pk`;
  const isNear = (count: number) => Math.abs(count - many) < many / 20;

  test('are estimates where many rows are left, and say so', async () => {
    const first = await page('brand_name=Wide&page_size=20');
    expect([first.isEstimate, first.next, isNear(first.count)]).toEqual([true, 2, true]);
    expect(first.keys).toEqual(await keysOf('Wide', newest));
    // From page to page it stays the same.
    const second = await page('brand_name=Wide&page_size=20&page=2');
    expect([second.count, second.isEstimate, second.next]).toEqual([first.count, true, 3]);
  });

  test('are exact where few rows are left, or none of the filters leaves any out', async () => {
    expect(await page('brand_name=Narrow&page_size=20')).toMatchObject({ count: few, isEstimate: false, next: 2 });
    expect(await page('brand_name=Narrow&page_size=20&page=last')).toMatchObject({ current: 7, isEstimate: false });
    expect(await page('brand_name=Nothing')).toMatchObject({ count: 0, isEstimate: false });
    const all = await page('page_size=20');
    expect(await page('page_size=20&brand_name=')).toMatchObject({ isEstimate: false, count: all.count });
  });

  test('leave no row out for who goes on as long as there is a next page', async () => {
    const size = 10_000;
    const pages = Math.ceil(many / size);
    const before = await page(`brand_name=Wide&page_size=${size}&page=${pages - 1}`);
    expect([before.next, before.keys.length]).toEqual([pages, size]);
    const last = await page(`brand_name=Wide&page_size=${size}&page=${pages}`);
    expect([last.next, last.count, last.keys.length]).toEqual([0, many, many % size]);
    expect(new Set([...before.keys, ...last.keys]).size).toBe(size + (many % size));
    expect((await server().admin.get(`/events/events/?brand_name=Wide&page_size=${size}&page=99`)).status).toBe(404);
  });

  test('give the last page the last rows', async () => {
    const { keys, next, isEstimate } = await page('brand_name=Wide&page_size=20&page=last');
    expect([next, isEstimate]).toEqual([0, true]);
    const oldest = (await keysOf('Wide', sql`created, pk desc`)).reverse();
    expect(keys).toEqual(oldest.slice(-keys.length));
  });
});
