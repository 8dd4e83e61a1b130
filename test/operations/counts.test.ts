import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { addMilliseconds, systemClock } from '../../src/platform/clock.ts';
import { randomUuid } from '../../src/platform/random.ts';
import { countAhead } from '../support/jobs.ts';
import { describeOnBoth, hasPostgres, startServer, type TestServer } from '../support/server.ts';

const hourMs = 3_600_000;
const ago = (hours: number) => addMilliseconds(systemClock.now(), -hours * hourMs);

async function counted(server: TestServer, path: string): Promise<number> {
  const { status, body } = await server.admin.get(`${path}page_size=1`);
  expect(status).toBe(200);
  return body.pagination.count;
}

async function stored({ world }: TestServer, table: string, where = sql`1 = 1`): Promise<number> {
  const { rows } = await sql<{
    n: number | string;
  }>`select count(*) as n from ${sql.table(table)} where ${where}`.execute(world.db.read);
  return Number(rows[0]?.n);
}

const addEvents = ({ world: { db } }: TestServer, action: string, hours: readonly number[]) =>
  db.write(async (tx) => {
    for (const hour of hours) {
      await sql`insert into events (pk, "user", username, action, app, context, created, expires, brand, words)
        values (${randomUuid()}, '{}', 'counted', ${action}, 'test', '{}', ${ago(hour)}, ${ago(-hour)}, '{}', '')`.execute(
        tx,
      );
    }
  });

const change = ({ world: { db } }: TestServer, statement: ReturnType<typeof sql>) =>
  db.write((tx) => statement.execute(tx));

describeOnBoth('counts of lists', (server) => {
  async function expectExact(): Promise<void> {
    const events = sql`username = 'counted'`;
    expect(await counted(server(), '/events/events/?action=custom_a&')).toBe(
      await stored(server(), 'events', sql`${events} and action = 'custom_a'`),
    );
    expect(await counted(server(), '/events/events/?actions=custom_a&actions=custom_b&')).toBe(
      await stored(server(), 'events', events),
    );
    // Parts of hours at both ends.
    const [since, before] = [ago(50.2), ago(1.9)];
    expect(
      await counted(server(), `/events/events/?actions=custom_a&created__gte=${since}&created__lt=${before}&`),
    ).toBe(
      await stored(
        server(),
        'events',
        sql`${events} and action = 'custom_a' and created >= ${since} and created < ${before}`,
      ),
    );
    expect(await counted(server(), `/events/events/?created__lt=${before}&username=counted&`)).toBe(
      await stored(server(), 'events', sql`${events} and created < ${before}`),
    );
    // The server may add some by itself meanwhile.
    await expect
      .poll(async () => (await counted(server(), '/events/events/?')) - (await stored(server(), 'events')))
      .toBe(0);
    expect(await counted(server(), '/core/users/?')).toBe(await stored(server(), 'users'));
    expect(await counted(server(), '/core/users/?is_active=true&')).toBe(
      await stored(server(), 'users', sql`is_active`),
    );
    expect(await counted(server(), '/core/users/?type=external&folder=far&')).toBe(
      await stored(server(), 'users', sql`type = 'external' and (path = 'far' or path like 'far/%')`),
    );
    expect(await counted(server(), '/core/users/?type=external&path_startswith=far&')).toBe(
      await stored(server(), 'users', sql`type = 'external' and path like 'far%'`),
    );
  }

  async function isCountedByHour(query: string): Promise<boolean> {
    const statements: string[] = [];
    const stop = server().world.db.onStatement((statement) => void statements.push(statement.sql));
    await counted(server(), `/events/events/?${query}&`);
    stop();
    return statements.some((text) => text.includes('event_hours'));
  }

  test('stay exact whatever is added, changed and deleted before and after rows are counted ahead', async () => {
    const one = server();
    await addEvents(one, 'custom_a', [0, 1, 2, 30, 50]);
    await addEvents(one, 'custom_b', [0, 3, 40]);
    for (const name of ['far-1', 'far-2', 'far-3', 'far-4']) {
      const made = await one.admin.post('/core/users/', { username: name, name, type: 'external', path: 'far/away' });
      expect(made.status).toBe(201);
    }
    await expectExact();
    await change(one, sql`update users set date_joined = ${ago(5)} where username in ('far-1', 'far-2')`);
    await countAhead(one);
    expect(await stored(one, 'event_counts')).toBeGreaterThan(1);
    expect(await stored(one, 'user_counts', sql`path = 'far/away'`)).toBe(1);
    await expectExact();
    expect(await isCountedByHour(`created__gte=${ago(55.3)}`)).toBe(true);
    expect(await isCountedByHour(`created__lt=${ago(1.4)}&action=custom_a`)).toBe(true);
    expect(await isCountedByHour(`created__gte=${ago(55.3)}&brand_name=x`)).toBe(false);
    expect(await isCountedByHour(`created__gte=${ago(0)}`)).toBe(false);

    // Of rows that are counted, and of others.
    await addEvents(one, 'custom_a', [0, 60, 70]);
    await change(one, sql`update events set action = 'custom_b' where action = 'custom_a' and created < ${ago(45)}`);
    await change(one, sql`delete from events where action = 'custom_b' and created < ${ago(35)}`);
    await change(one, sql`update users set is_active = (username in ('far-1', 'far-4')) where path = 'far/away'`);
    await change(one, sql`update users set path = 'farther' where username in ('far-2', 'far-3')`);
    await change(one, sql`delete from users where username in ('far-1', 'far-3')`);
    await expectExact();
    expect((await one.admin.get('/core/users/paths/')).body.paths).toContain('farther');
    await change(one, sql`delete from users where path = 'farther'`);
    expect((await one.admin.get('/core/users/paths/')).body.paths).not.toContain('farther');

    await change(one, sql`update users set date_joined = ${ago(1)} where username = 'far-4'`);
    await countAhead(one);
    await expectExact();
  });

  test('pages read from the end hold the rows that they hold when read from the start', async () => {
    const keys = async (page: string) => {
      const { body } = await server().admin.get(`/core/groups/?ordering=-name&page_size=3&page=${page}`);
      return body.results.map(({ name }: { name: string }) => name);
    };
    for (let number = 0; number < 7; number++) await server().admin.post('/core/groups/', { name: `page ${number}` });
    const { body } = await server().admin.get('/core/groups/?ordering=-name&page_size=100');
    const all: string[] = body.results.map(({ name }: { name: string }) => name);
    const pages = Math.ceil(all.length / 3);
    for (let page = 1; page <= pages; page++) {
      expect(await keys(String(page))).toEqual(all.slice((page - 1) * 3, page * 3));
    }
    expect(await keys('last')).toEqual(all.slice((pages - 1) * 3));
  });
});

describe.skipIf(!hasPostgres)('counts of lists on PostgreSQL', () => {
  test('stay exact while rows are counted ahead and others add and delete old rows', async () => {
    const server = await startServer('postgres');
    try {
      await addEvents(
        server,
        'custom_a',
        Array.from({ length: 100 }, (_, index) => 1 + index / 10),
      );
      let isOver = false;
      const writers = [1, 2, 3].map(async () => {
        while (!isOver) {
          await addEvents(server, 'custom_a', [2, 5, 9]);
          await change(
            server,
            sql`delete from events where pk in (select pk from events where action = 'custom_a' order by random() limit 2 for update skip locked)`,
          );
        }
      });
      for (let turn = 0; turn < 10; turn++) {
        // Anew each time, so that there is something to count.
        await server.world.db.write(async (tx) => {
          await sql`lock table events in share row exclusive mode`.execute(tx);
          await sql`delete from event_counts`.execute(tx);
          await sql`update counted_until set until = '0001-01-01T00:00:00Z' where pk = 'events'`.execute(tx);
        });
        await countAhead(server);
      }
      isOver = true;
      await Promise.all(writers);
      expect(await stored(server, 'event_counts')).toBeGreaterThan(0);
      expect(await counted(server, '/events/events/?action=custom_a&')).toBe(
        await stored(server, 'events', sql`action = 'custom_a'`),
      );
    } finally {
      await server.close();
    }
  });
});
