import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { countUsers, estimateUsers } from '../../src/core/event/applications.ts';
import { addMilliseconds, systemClock } from '../../src/platform/clock.ts';
import { countAhead } from '../support/jobs.ts';
import { newKey, numbered } from '../support/many-rows.ts';
import { describeOnBoth, type TestServer } from '../support/server.ts';
import { statementsOf } from '../support/statements.ts';

const hourMs = 3_600_000;
const atOnce = 3_000;
const ago = (hours: number) => addMilliseconds(systemClock.now(), -hours * hourMs);

interface Some {
  readonly action: string;
  readonly count: number;
  /** One every so many hours, back from now. */
  readonly step: number;
  /** They are visits of so many applications in turn. */
  readonly applications?: number;
}

/** Two of three are by `ann`, the others by `ben`. */
async function addEvents({ world: { db } }: TestServer, { action, count, step, applications }: Some): Promise<void> {
  const isLite = db.dialect.name === 'sqlite';
  const app = applications ? sql`'app' || (i % ${sql.lit(applications)})` : sql`null`;
  const at = isLite
    ? sql`strftime('%Y-%m-%dT%H:%M:%f', ${systemClock.now()}, -(i * ${step * 3600}) || ' seconds') || '000Z'`
    : sql`now() - i * ${step}::double precision * interval '1 hour'`;
  for (let from = 0; from < count; from += atOnce) {
    const last = Math.min(count, from + atOnce) - 1;
    await db.write((tx) =>
      sql`insert into events (pk, "user", user_pk, username, action, app, context, created, expires, brand, words, authorized_app)
        ${numbered(db.dialect, from, last)} select ${newKey(db.dialect)}, '{}', i, case when i % 3 < 2 then 'ann' else 'ben' end, ${action}, 'test', '{}', ${at},
          '2099-01-01T00:00:00.000000Z', '{}', '', ${app} from n`.execute(tx),
    );
  }
}

const change = ({ world: { db } }: TestServer, statement: ReturnType<typeof sql>) =>
  db.write((tx) => statement.execute(tx));

/** As before they are counted for the first time. */
const forgetHours = ({ world: { db } }: TestServer) =>
  db.write(async (tx) => {
    await sql`delete from event_hours`.execute(tx);
    await sql`update counted_until set until = '0001-01-01T00:00:00.000000Z' where pk = 'event_hours'`.execute(tx);
  });

/** Gives somebody the right to view single events `e`, and PostgreSQL the statistics that autovacuum would. */
async function letSee(one: TestServer, { pk }: { pk: number }, where: ReturnType<typeof sql>): Promise<void> {
  await change(
    one,
    sql`insert into user_object_permissions ("user", permission, object_pk) select cast(${pk} as integer), p.pk, e.pk
      from events e join permissions p on p.codename = 'view_event' where ${where}`,
  );
  if (one.world.db.dialect.name === 'postgres') await change(one, sql`analyze user_object_permissions`);
}

const height = (point: { y_cord: number }) => point.y_cord;
const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);

test('users that a sample of visits misses are estimated', () => {
  // Each of 2,000 users has ten visits, of which one in ten is in the sample.
  const visits = Array.from({ length: 20_000 }, (_, at) => at % 2_000);
  const seen = new Map<number, number>();
  for (const [at, user] of visits.entries())
    if (((at + 1) * 0.6180339887) % 1 < 0.1) seen.set(user, (seen.get(user) ?? 0) + 1);
  const times = (count: number) => [...seen.values()].filter((one) => one === count).length;
  const estimate = estimateUsers({ users: seen.size, once: times(1), twice: times(2) });
  expect(Math.abs(estimate - 2_000)).toBeLessThan(300);
  expect(estimateUsers({ users: 40, once: 0, twice: 40 })).toBe(40);
});

describeOnBoth('charts of events', (server) => {
  const get = async (path: string) => {
    const { status, body, headers } = await server().admin.get(path);
    expect(status, path).toBe(200);
    return { body, isEstimate: headers.get('gatehouse-count') === 'estimate' };
  };
  const exact = async (path: string) => {
    const { body, isEstimate } = await get(path);
    expect(isEstimate, path).toBe(false);
    return body;
  };
  const later = addMilliseconds(systemClock.now(), 24 * hourMs);
  const monthAgo = ago(700);
  const partly = [ago(60.4), ago(20.3)];
  /** All charts that show events of an action. */
  const charts = async (action: string) => {
    const facets = (since = '', before = '') =>
      exact(`/events/events/facets/?action=${action}&created__gte=${since}&created__lt=${before}`);
    const points = async (name: string) => sum((await exact(`/events/events/${name}/?action=${action}`)).map(height));
    return {
      // The hours at both ends are shown in part.
      part: await facets(...partly),
      month: await facets(monthAgo, later),
      volume: await points('volume'),
      perMonth: await points('per_month'),
    };
  };
  const stored = async (action: string, since: string) => {
    const { rows } = await sql<{ n: number | string }>`select count(*) as n from events where action = ${action}
      and created >= ${since}`.execute(server().world.db.read);
    return Number(rows[0]?.n);
  };

  test('show the same before and after events are counted ahead, whatever is changed and deleted', async () => {
    const one = server();
    const action = 'custom_chart';
    await addEvents(one, { action, count: 150, step: 4.9, applications: 2 });
    const { perMonth, volume } = await charts(action);
    expect([perMonth > 130, volume > 30, volume < 40]).toEqual([true, true, true]);
    // None near the edge of the week, which moves on meanwhile.
    await change(one, sql`delete from events where action = ${action} and created between ${ago(180)} and ${ago(150)}`);
    const before = await charts(action);
    expect(sum(before.month.counts)).toBeGreaterThan(120);
    expect(sum(before.part.counts)).toBe(8);
    await countAhead(one);
    const { rows } = await sql`select 1 from event_hours where action = ${action}`.execute(one.world.db.read);
    expect(rows.length).toBeGreaterThan(120);
    expect(await charts(action)).toEqual(before);

    await change(one, sql`delete from events where action = ${action} and username = 'ben'`);
    await change(one, sql`update events set action = 'custom_other' where action = ${action} and user_pk % 5 = 0`);
    await change(
      one,
      sql`update events set created = ${ago(50)} where action = ${action} and user_pk between 20 and 40`,
    );
    await addEvents(one, { action, count: 25, step: 5.1 });
    const after = await charts(action);
    const events = await stored(action, monthAgo);
    expect([sum(after.month.counts), after.month.actions]).toEqual([
      events,
      [{ value: action, label: action, events }],
    ]);
    expect(after).not.toEqual(before);
    // Counted anew from the events, they are the same.
    await forgetHours(one);
    expect(await charts(action)).toEqual(after);
    await countAhead(one);
    expect(await charts(action)).toEqual(after);
  });

  test('count a sample where there are too many events, and say so', async () => {
    const one = server();
    const action = 'custom_many';
    await addEvents(one, { action, count: 36_000, step: 160 / 36_000, applications: 4 });
    await countAhead(one);
    const { body, isEstimate } = await get(`/events/events/facets/?action=${action}`);
    expect(isEstimate).toBe(true);
    // The others are counted ahead.
    expect(body.estimated).toEqual(['usernames', 'client_ips', 'applications']);
    expect(body.actions).toEqual([{ value: action, label: action, events: 36_000 }]);
    expect(sum(body.counts)).toBe(36_000);
    const near = (found: { value: string; events: number }[]) =>
      found.map(({ value, events }) => [value, Math.round(events / 2_000)]).sort();
    expect(near(body.usernames)).toEqual([
      ['ann', 12],
      ['ben', 6],
    ]);
    expect(body.applications).toHaveLength(4);
    for (const { events } of body.applications) expect(Math.abs(events - 9_000)).toBeLessThan(700);

    // Each event is by another user.
    const top = (most: number) => get(`/events/events/top_per_user/?action=${action}&top_n=${most}`);
    const exactly = { counted_events: 9_000, unique_users: 9_000 };
    expect(await top(2)).toMatchObject({ body: [exactly, exactly], isEstimate: false });
    const ofThree = await top(3);
    expect([ofThree.body.length, ofThree.isEstimate]).toEqual([3, true]);
    for (const { counted_events, unique_users } of ofThree.body)
      expect([counted_events, Math.round(unique_users / 1_000)]).toEqual([9_000, 9]);

    const others = await get('/events/events/facets/?username=ann');
    expect(others.isEstimate).toBe(true);
    expect(others.body.estimated).toEqual(['counts', 'actions', 'usernames', 'client_ips', 'applications']);
    expect(Math.abs(sum(others.body.counts) - 24_000)).toBeLessThan(1_500);
    expect((await get('/events/events/volume/?username=ann')).isEstimate).toBe(true);
    const volume = async () => sum((await exact(`/events/events/volume/?action=${action}`)).map(height));
    expect(await volume()).toBe(36_000);

    // As after an upgrade that adds the counts.
    await forgetHours(one);
    const uncounted = await get(`/events/events/volume/?action=${action}`);
    expect(uncounted.isEstimate).toBe(true);
    expect(Math.abs(sum(uncounted.body.map(height)) - 36_000)).toBeLessThan(2_000);
    await countAhead(one);
    expect(await volume()).toBe(36_000);
  });

  test('the start page shows the applications used most in the week, estimated where there are too many visits', async () => {
    const one = server();
    const read = async () => {
      const { body, isEstimate } = await get('/admin/overview/');
      expect(isEstimate).toBe(body.estimated.length > 0);
      return { top: body.top_applications as { events: number; users: number }[], estimated: body.estimated };
    };
    await addEvents(one, { action: 'authorize_application', count: 600, step: 0.2, applications: 2 });
    const figures = [300, 300].map((events) => ({ name: '', events, users: events }));
    expect(await read()).toEqual({ top: figures, estimated: [] });
    await addEvents(one, { action: 'authorize_application', count: 30_000, step: 160 / 30_000, applications: 2 });
    await countAhead(one);
    const { top, estimated } = await read();
    // The week by hour is counted ahead.
    expect([top.length, estimated]).toEqual([2, ['top_applications']]);
    for (const { events, users } of top) {
      expect(Math.abs(events - 15_300)).toBeLessThan(1_000);
      expect([users > 10_000, users <= events]).toEqual([true, true]);
    }
  });

  test('say on the start page and in the metrics of a delegate whether a sample was counted', async () => {
    const one = server();
    // Somebody with a right to single events sees those alone, which are not counted ahead.
    const delegate = await one.user();
    const { rows } = await sql<{ pk: string }>`select pk from events limit 1`.execute(one.world.db.read);
    await one.admin.post(`/rbac/permissions/assigned_by_users/${delegate.pk}/assign/`, {
      ...{ permissions: ['svc_events.view_event'], model: 'svc_events.event', object_pk: rows[0]?.pk },
    });
    const isEstimate = async (path: string, api = delegate.api) =>
      (await api.get(path)).headers.get('gatehouse-count') === 'estimate';
    await addEvents(one, { action: 'login', count: 36_000, step: 160 / 36_000 });
    await countAhead(one);
    expect(await isEstimate('/admin/metrics/', one.admin)).toBe(false);
    // What is rare is found by an index, and counted.
    expect(await isEstimate('/admin/metrics/')).toBe(false);
    const many = await one.user();
    await letSee(one, many, sql`e.action = 'login'`);
    for (const path of ['/admin/overview/', '/admin/metrics/'])
      expect(await isEstimate(path, many.api), path).toBe(true);
  });

  test('say which applications are used most, with an estimate of their users where there are too many visits', async () => {
    const top = async () => get('/events/events/top_per_user/?action=custom_visit&top_n=2');
    const one = server();
    await addEvents(one, { action: 'custom_visit', count: 900, step: 0.2, applications: 3 });
    const figures = [300, 300].map((events) => ({ counted_events: events, unique_users: events }));
    expect(await top()).toMatchObject({ body: figures, isEstimate: false });
    await countAhead(one);
    const sent = await statementsOf(one, async () => {
      expect(await top()).toMatchObject({ body: figures, isEstimate: false });
    });
    // Two statements would count some visits twice if more were counted ahead in between.
    expect(sent.filter((text) => /counted_until|event_applications/.test(text))).toHaveLength(1);
    await change(
      one,
      sql`delete from events where action = 'custom_visit' and authorized_app = 'app0' and user_pk < 600`,
    );
    await change(one, sql`update events set user_pk = 7 where action = 'custom_visit' and authorized_app = 'app1'`);
    await addEvents(one, { action: 'custom_visit', count: 30, step: 1, applications: 3 });
    expect((await top()).body).toMatchObject([
      { counted_events: 310, unique_users: 10 },
      { counted_events: 310, unique_users: 300 },
    ]);
    const { world } = one;
    for (const share of [1, 0.2]) {
      const found = await countUsers(world.db.read, 'custom_visit', [
        { authorized_app: 'app1', share: 1 },
        { authorized_app: 'app2', share },
      ]);
      expect(found.get('app1')).toBe(10);
      expect(Math.abs((found.get('app2') ?? 0) - 300), String(share)).toBeLessThan(share === 1 ? 1 : 40);
    }
  });

  test('say which applications are used most in the events that a delegate sees, in a sample where there are too many', async () => {
    const one = server();
    const action = 'custom_seen';
    await addEvents(one, { action, count: 30_000, step: 160 / 30_000, applications: 3 });
    const seenBy = async (where: ReturnType<typeof sql>) => {
      const delegate = await one.user();
      await letSee(one, delegate, sql`e.action = ${action} and ${where}`);
      const { status, body, headers } = await delegate.api.get(`/events/events/top_per_user/?action=${action}`);
      expect(status).toBe(200);
      return { body, isEstimate: headers.get('gatehouse-count') === 'estimate' };
    };
    const few = await seenBy(sql`user_pk < 30`);
    const ofFew = { counted_events: 10, unique_users: 10 };
    expect(few).toMatchObject({ isEstimate: false, body: [ofFew, ofFew, ofFew] });
    const many = await seenBy(sql`authorized_app <> 'app2'`);
    expect([many.isEstimate, many.body.length]).toEqual([true, 2]);
    for (const { counted_events } of many.body) expect(Math.abs(counted_events - 10_000)).toBeLessThan(2_000);
  });
});
