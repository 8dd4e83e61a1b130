import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { rollUpEvents } from '../../src/core/event/rollup.jobs.ts';
import { addMilliseconds, systemClock } from '../../src/platform/clock.ts';
import { runJob } from '../support/jobs.ts';
import { newKey, numbered } from '../support/many-rows.ts';
import { describeOnBoth, type TestServer } from '../support/server.ts';
import { statementsOf } from '../support/statements.ts';

const hourMs = 3_600_000;
const maxCount = 100_000;
const atOnce = 17_000;
const ago = (hours: number) => addMilliseconds(systemClock.now(), -hours * hourMs);

interface Some {
  readonly action: string;
  readonly count: number;
  /** One every so many hours, back from now. */
  readonly step: number;
  /** They are visits of so many applications in turn. */
  readonly applications?: number;
}

/** Two of three are by `ann`, the others by `ben`; each by another user. */
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

const rollUp = async (server: TestServer) => expect((await runJob(server, 'roll_up_events')).message).toBe('Done.');

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

describeOnBoth('charts of events', (server) => {
  const get = async (path: string, api = server().admin) => {
    const { status, body, headers } = await api.get(path);
    expect(status, path).toBe(200);
    return { body, header: headers.get('gatehouse-count') };
  };
  const exact = async (path: string) => {
    const { body, header } = await get(path);
    expect(header, path).toBeNull();
    return body;
  };
  const later = addMilliseconds(systemClock.now(), 24 * hourMs);
  const monthAgo = ago(700);
  const partly = [ago(60.4), ago(20.3)];
  /** All charts that show events of an action. */
  const charts = async (action: string) => {
    const facets = (query: string) => exact(`/events/events/facets/?${query}`);
    const points = async (name: string) => sum((await exact(`/events/events/${name}/?action=${action}`)).map(height));
    const month = `created__gte=${monthAgo}&created__lt=${later}`;
    return {
      // The hours at both ends are shown in part.
      part: await facets(`action=${action}&created__gte=${partly[0]}&created__lt=${partly[1]}`),
      month: await facets(`action=${action}&${month}`),
      year: await facets(`actions=${action}&created__gte=${ago(9_000)}`),
      ofOne: await facets(`action=${action}&context_authorized_app=app1&${month}`),
      volume: await points('volume'),
      perMonth: await points('per_month'),
      top: await exact(`/events/events/top_per_user/?action=${action}`),
    };
  };
  const stored = async (action: string, since: string) => {
    const { rows } = await sql<{ n: number | string }>`select count(*) as n from events where action = ${action}
      and created >= ${since}`.execute(server().world.db.read);
    return Number(rows[0]?.n);
  };

  test('are the same before and after events are rolled up, and follow changes after a recount', async () => {
    const one = server();
    const action = 'custom_chart';
    await addEvents(one, { action, count: 150, step: 4.9, applications: 2 });
    await addEvents(one, { action, count: 12, step: 700, applications: 2 });
    // None near the edge of the week, which moves on meanwhile.
    await change(one, sql`delete from events where action = ${action} and created between ${ago(180)} and ${ago(150)}`);
    const before = await charts(action);
    expect([sum(before.part.counts), sum(before.month.counts) > 120]).toEqual([8, true]);
    expect(sum(before.ofOne.counts)).toBeLessThan(sum(before.month.counts));
    await rollUp(one);
    const { rows } = await sql`select 1 from event_rollup where action = ${action} and unit = 'hour'`.execute(
      one.world.db.read,
    );
    expect(rows.length).toBeGreaterThan(120);
    expect(await charts(action)).toEqual(before);
    const read = await statementsOf(one, () => exact(`/events/events/volume/?action=${action}`));
    expect(read.filter((text) => text.includes('event_rollup as t'))).toHaveLength(1);

    await change(one, sql`delete from events where action = ${action} and username = 'ben'`);
    await change(one, sql`update events set action = 'custom_other' where action = ${action} and user_pk % 5 = 0`);
    // Older than all others.
    await addEvents(one, { action, count: 2, step: 9_500 });
    expect((await runJob(one, 'recount_events')).message).toMatch(/^The counts of \d+ days have changed\.$/);
    expect((await runJob(one, 'recount_events')).message).toBe('Nothing to do.');
    const after = await charts(action);
    const events = await stored(action, monthAgo);
    expect([sum(after.month.counts), after.month.actions]).toEqual([
      events,
      [{ value: action, label: action, events }],
    ]);
    expect(after).not.toEqual(before);
    await change(one, sql`delete from event_rollup`);
    await change(one, sql`update event_rollup_state set until = '0001-01-01T00:00:00.000000Z'`);
    expect(await charts(action)).toEqual(after);
  });

  test('count later events directly, each once', async () => {
    const one = server();
    const action = 'custom_later';
    await addEvents(one, { action, count: 40, step: 0.25 });
    const count = async () => sum((await exact(`/events/events/volume/?action=${action}`)).map(height));
    expect(await count()).toBe(40);
    // As of some hours ago.
    await rollUpEvents(one.world.db, ago(3));
    expect(await count()).toBe(40);
    await rollUpEvents(one.world.db, ago(1));
    await addEvents(one, { action, count: 4, step: 0.01 });
    expect(await count()).toBe(44);
    await rollUp(one);
    expect(await count()).toBe(44);
  });

  test('tell who may see single events about these alone', async () => {
    const one = server();
    const action = 'custom_seen';
    await addEvents(one, { action, count: 90, step: 1, applications: 3 });
    await rollUp(one);
    const delegate = await one.user();
    await letSee(one, delegate, sql`e.action = ${action} and e.user_pk < 30`);
    const { body } = await get(`/events/events/top_per_user/?action=${action}`, delegate.api);
    const ofEach = { counted_events: 10, unique_users: 10 };
    expect(body).toMatchObject([ofEach, ofEach, ofEach]);
    const { body: facets } = await get(`/events/events/facets/?action=${action}`, delegate.api);
    expect(sum(facets.counts)).toBe(30);
  });
});

describeOnBoth('charts of more than 100,000 events', (server) => {
  const get = async (path: string, api = server().admin) => {
    const { status, body, headers } = await api.get(path);
    expect(status, path).toBe(200);
    return { body, header: headers.get('gatehouse-count') };
  };
  const visits = 110_000;
  beforeAll(async () => {
    await addEvents(server(), {
      ...{ action: 'authorize_application', count: visits, step: 160 / visits, applications: 2 },
    });
    await rollUp(server());
  });

  test('are exact where they are rolled up, and else show the newest and say so', async () => {
    const { body, header } = await get('/events/events/facets/?action=authorize_application');
    expect([header, body.at_least]).toEqual(['at-least', ['usernames', 'client_ips']]);
    expect(body.actions).toMatchObject([{ value: 'authorize_application', events: visits }]);
    expect(sum(body.counts)).toBe(visits);
    expect(body.applications.map(({ events }: { events: number }) => events)).toEqual([visits / 2, visits / 2]);
    expect(sum(body.usernames.map(({ events }: { events: number }) => events))).toBe(20_001);

    const { body: points, header: ofPoints } = await get(`/events/events/volume/?action=authorize_application`);
    expect([ofPoints, sum(points.map(height))]).toEqual([null, visits]);
  });

  test('show the newest 100,000 of what is not rolled up', async () => {
    await change(server(), sql`update events set brand_name = 'counted' where action = 'authorize_application'`);
    const { body, header } = await get('/events/events/facets/?brand_name=counted');
    expect([header, body.at_least]).toEqual([
      'at-least',
      ['counts', 'actions', 'usernames', 'client_ips', 'applications'],
    ]);
    expect(sum(body.counts)).toBe(maxCount + 1);
    expect(body.counts[body.counts.length - 3]).toBeGreaterThan(0);
    expect((await get('/events/events/volume/?brand_name=counted')).header).toBe('at-least');
  });

  test('the start page counts the users of applications among the newest 100,000 visits, and says so', async () => {
    const { body, header } = await get('/admin/overview/');
    expect([header, body.at_least]).toEqual(['at-least', ['top_applications']]);
    const figures = { events: visits / 2, users: expect.toSatisfy((users: number) => Math.abs(users - 50_000) < 2) };
    expect(body.top_applications).toMatchObject([figures, figures]);
    expect(sum(body.week.authorizations)).toBe(visits);
    const delegate = await server().user();
    await letSee(server(), delegate, sql`e.action = 'authorize_application'`);
    expect((await get('/admin/overview/', delegate.api)).body.at_least).toEqual(['week', 'top_applications']);
    expect((await get('/admin/metrics/', delegate.api)).header).toBe('at-least');
    expect((await get('/admin/metrics/')).header).toBeNull();
  });
});
