import { type RawBuilder, sql } from 'kysely';
import { expect, test } from 'vitest';
import { csvCell } from '../../../src/core/event/export.ts';
import { unique } from '../../support/make-walk.ts';
import { newKey, numbered } from '../../support/many-rows.ts';
import { adminToken, describeOnBoth } from '../../support/server.ts';

test.each([
  ['=1+1', "'=1+1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['-2', "'-2"],
  ['a "b", c', '"a ""b"", c"'],
  ['=a,b', `"'=a,b"`],
  [null, ''],
])('%s is written to CSV as %s', (value, cell) => {
  expect(csvCell(value)).toBe(cell);
});

describeOnBoth('exploring events', (server) => {
  const download = async (query: string) => {
    const headers = { authorization: `Bearer ${adminToken}` };
    return (await fetch(`${server().url}/api/v3/events/events/export/?${query}`, { headers })).text();
  };

  async function addEvents(count: number) {
    const action = `custom_${unique('explore')}`;
    const context = { message: '=cmd()', authorized_application: { pk: unique('app'), name: 'Wiki' } };
    for (let at = 0; at < count; at++)
      await server().admin.post('/events/events/', { action, app: 'test', context, client_ip: '192.0.2.7' });
    return { action, context };
  }

  test('counts filtered events over time and by their values', async () => {
    const { admin } = server();
    const { action } = await addEvents(3);
    const { status, body } = await admin.get(`/events/events/facets/?action=${action}`);
    expect(status).toBe(200);
    expect(body.interval_seconds).toBe(3600);
    expect(body.counts.reduce((sum: number, one: number) => sum + one)).toBe(3);
    expect(body.actions).toEqual([{ value: action, label: action, events: 3 }]);
    expect(body.client_ips).toEqual([{ value: '192.0.2.7', label: '192.0.2.7', events: 3 }]);
    expect(body.usernames).toEqual([{ value: 'admin', label: 'admin', events: 3 }]);
    const month = await admin.get('/events/events/facets/?created__gte=2026-01-01T00:00:00Z');
    expect(month.body.interval_seconds).toBe(86_400);
    const later = '2099-01-01T00:00:00Z';
    expect((await admin.get(`/events/events/?action=${action}&created__gte=${later}`)).body.results).toEqual([]);
    expect((await admin.get(`/events/events/?action=${action}&created__lt=${later}`)).body.results).toHaveLength(3);
    expect((await admin.get('/events/events/?created__lt=soon')).status).toBe(400);
  });

  test('counts to the end of the calendar', async () => {
    const { admin } = server();
    for (const name of ['created__gte', 'created__lt']) {
      const { status, body } = await admin.get(`/events/events/facets/?${name}=9999-12-31T23:30:00Z`);
      expect([name, status, body.actions]).toEqual([name, 200, []]);
    }
  });

  test('exports filtered events as CSV and NDJSON, without formulas', async () => {
    const { admin } = server();
    const { action } = await addEvents(2);
    const lines = (await download(`action=${action}`)).trim().split('\r\n');
    expect(lines[0]).toMatch(/^created,action,sentence,username,/);
    expect(lines.slice(1).map((line) => line.split(',').slice(1, 4))).toEqual([
      [action, "'=cmd()", 'admin'],
      [action, "'=cmd()", 'admin'],
    ]);
    const events = (await download(`as=ndjson&action=${action}`))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events.map((event) => [event.action, event.sentence])).toEqual([
      [action, '=cmd()'],
      [action, '=cmd()'],
    ]);
    expect((await admin.get('/events/events/export/?as=xml')).status).toBe(400);
    const group = (await admin.post('/core/groups/', { name: unique('group') })).body;
    const query = `as=ndjson&language=de&context_model_pk=${group.pk.replaceAll('-', '')}`;
    expect(await download(query)).toContain(`admin hat die Gruppe ${group.name} erstellt.`);
    expect((await admin.get('/events/events/export/?language=tlh')).status).toBe(400);
  });

  test('exports more than one batch, each event once', async () => {
    const { world } = server();
    const action = `custom_${unique('batch')}`;
    const now = world.clock.now();
    await world.db.write(async (tx) => {
      for (let at = 0; at < 1_100; at++)
        await sql`insert into events (pk, "user", action, app, context, brand, created, expires, username, words)
          values (${crypto.randomUUID()}, '{}', ${action}, 'test', '{}', '{}', ${now}, ${now}, '', '')`.execute(tx);
    });
    const keys = (await download(`as=ndjson&action=${action}`))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).pk);
    expect([keys.length, new Set(keys).size]).toEqual([1_100, 1_100]);
  });

  test('exports what has a letter', async () => {
    const { world } = server();
    const { dialect } = world.db;
    // Several of one moment, so that batches begin and end among them.
    const time = (moment: RawBuilder<unknown>) => sql`cast(${moment} as ${sql.raw(dialect.columnType('time'))})`;
    const created = time(
      sql`case when i % 3 = 0 then '2026-01-02T00:00:00.000000Z' else '2026-01-01T00:00:00.000000Z' end`,
    );
    const expires = time(sql`'2099-01-01T00:00:00.000000Z'`);
    const words = sql`case when i % 100 = 1 then ${'¤'} else '' end`;
    await world.db.write((tx) =>
      sql`insert into events (pk, "user", username, action, app, context, created, expires, brand, words)
        ${numbered(dialect, 1, 5_000)} select ${newKey(dialect)}, '{}', 'x', 'custom_letters', 'x', '{}', ${created}, ${expires}, '{}', ${words} from n`.execute(
        tx,
      ),
    );
    const text = await download(`as=ndjson&search=${encodeURIComponent('¤')}`);
    const keys = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).pk);
    expect([keys.length, new Set(keys).size]).toEqual([50, 50]);
  });

  test('shows events only to those who may see them', async () => {
    const { action } = await addEvents(1);
    const { api } = await server().user(['svc_core.view_group']);
    for (const path of ['facets', 'export'])
      expect((await api.get(`/events/events/${path}/?action=${action}`)).status).toBe(403);
  });
});
