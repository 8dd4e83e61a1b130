import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { masked } from '../../../src/resource/write/audit.ts';
import { grantOn } from '../../support/grants.ts';
import { describeOnBoth, type TestServer } from '../../support/server.ts';
import { statementsOf } from '../../support/statements.ts';

describeOnBoth('events', (server) => {
  test('a write leaves an event that tells who did what from where', async () => {
    const { admin } = server();
    const made = await admin.post('/policies/password_expiry/', { name: 'told of', days: 3 });
    const { body } = await admin.get(`/events/events/?context_model_pk=${made.body.pk}`);
    expect(body.results).toEqual([
      {
        sentence: expect.any(String),
        pk: expect.any(String),
        user: { pk: expect.any(Number), username: 'admin', email: 'root@example.com' },
        action: 'model_created',
        app: 'svc_policies_expiry',
        context: {
          model: {
            app: 'svc_policies_expiry',
            model_name: 'passwordexpirypolicy',
            pk: made.body.pk.replaceAll('-', ''),
            name: 'told of',
          },
          diff: expect.objectContaining({ days: { previous_value: null, new_value: 3 } }),
          http_request: {
            path: '/api/v3/policies/password_expiry/',
            method: 'POST',
            args: {},
            user_agent: expect.any(String),
            request_id: expect.stringMatching(/^[0-9a-f]{32}$/),
          },
        },
        client_ip: '127.0.0.1',
        created: expect.stringMatching(/Z$/),
        expires: expect.stringMatching(/Z$/),
        brand: expect.any(Object),
      },
    ]);
    const [event] = body.results;
    const keptDays = (Date.parse(event.expires) - Date.parse(event.created)) / 86_400_000;
    expect(keptDays).toBe(365);
  });

  test('callers with permission create events, with secrets masked', async () => {
    const { admin, user } = server();
    const stranger = await user();
    const event = {
      action: 'custom_door',
      app: 'door',
      context: { room: 5, door_token: 't0p', list: [{ pin_key: 1 }] },
    };
    expect((await stranger.api.post('/events/events/', event)).status).toBe(403);
    const writer = await user(['svc_events.add_event']);
    const made = await writer.api.post('/events/events/', event);
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      action: 'custom_door',
      app: 'door',
      user: { username: writer.username },
      context: { room: 5, door_token: masked, list: [{ pin_key: masked }] },
      client_ip: null,
      brand: {},
    });
    const audit = await admin.get(`/events/events/?context_model_pk=${made.body.pk}&context_model_name=event`);
    expect(audit.body.results.map(({ action }: { action: string }) => action)).toEqual(['model_created']);
    const changed = await admin.patch(`/events/events/${made.body.pk}/`, { context: { room: 6 } });
    expect(changed.body.context).toEqual({ room: 6 });
    expect((await admin.delete(`/events/events/${made.body.pk}/`)).status).toBe(204);
    expect((await writer.api.get('/events/events/')).status).toBe(403);
  });

  test.each([
    [{}, { action: ['This field is required.'], app: ['This field is required.'] }],
    [
      { action: 'sneeze', app: '', client_ip: 'here', expires: 'soon', user: null },
      {
        action: [expect.stringContaining('"sneeze" is not a valid choice.')],
        app: ['This field may not be blank.'],
        client_ip: ['Enter a valid IPv4 or IPv6 address.'],
        expires: [expect.stringContaining('Datetime has wrong format.')],
        user: ['This field may not be null.'],
      },
    ],
    [{ action: { a: 1 }, app: 'x' }, { action: [expect.stringContaining('"{"a":1}" is not a valid choice.')] }],
  ])('%j is refused', async (body, complaints) => {
    const answer = await server().admin.post('/events/events/', body);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual(complaints);
  });

  test('odd but valid members are accepted', async () => {
    const { admin } = server();
    const body = { action: 'login', app: 'x', user: 'a text', context: [1, { model: 3 }], brand: 7 };
    const made = await admin.post('/events/events/', body);
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject(body);
  });

  test('every filter finds what it asks for and nothing else', async () => {
    const { admin } = server();
    const pk = '8b7ad0c8-19de-4e01-98d3-7a3c4bb4c2a1';
    const event = {
      action: 'login_failed',
      app: 'filters',
      user: { pk: 77, username: 'grace', email: '' },
      client_ip: '192.0.2.44',
      brand: { name: 'Brand filters.example' },
      context: {
        username: 'hopper',
        model: { app: 'svc_odd', model_name: 'odd', pk: pk.replaceAll('-', ''), name: 'Odd one' },
        authorized_application: { pk: '1234', name: 'Mail' },
      },
    };
    const { body: made } = await admin.post('/events/events/', event);
    const finding = [
      'action=login_failed&client_ip=192.0.2.44',
      'actions=login&actions=login_failed&client_ip=192.0.2.44',
      'brand_name=Brand%20filters.example',
      'client_ip=192.0.2.44',
      'context_authorized_app=1234',
      'context_model_app=svc_odd',
      'context_model_name=odd',
      `context_model_pk=${pk}`,
      `context_model_pk=${pk.replaceAll('-', '')}`,
      'username=grace',
      'username=hopper',
      'search=hopper',
      'search=odd+one',
    ];
    for (const filter of finding) {
      const { body } = await admin.get(`/events/events/?${filter}`);
      expect(
        body.results.map((row: { pk: string }) => row.pk),
        filter,
      ).toEqual([made.pk]);
    }
    const missing = [
      'username=Grace',
      'context_model_pk=8b7a',
      'brand_name=Brand',
      'search=hoppers',
      'action=login_fail',
    ];
    for (const filter of missing) {
      const { body } = await admin.get(`/events/events/?${filter}&client_ip=192.0.2.44`);
      expect(body.results, filter).toEqual([]);
    }
  });

  test('a list of events does not read the columns that only filters and search use', async () => {
    const { admin } = server();
    const sent = await statementsOf(server(), () => admin.get('/events/events/?page_size=1'));
    const lists = sent.filter((text) => text.includes('"t"."context"'));
    expect(lists).toHaveLength(1);
    expect(lists[0]).not.toMatch(/words|subject|model_app|user_pk/);
  });

  test('one event may be shown to a user without the others', async () => {
    const running = server();
    const { body: event } = await running.admin.post('/events/events/', { action: 'login', app: 'one of many' });
    const { body: other } = await running.admin.post('/events/events/', { action: 'login', app: 'another' });
    const viewer = await running.user();
    await grantOn(running, viewer.pk, 'svc_events.view_event', event.pk);
    const list = await viewer.api.get('/events/events/');
    expect(list.body.results.map((row: { pk: string }) => row.pk)).toEqual([event.pk]);
    expect((await viewer.api.get(`/events/events/${other.pk}/`)).status).toBe(404);
    const volume = await viewer.api.get('/events/events/volume/');
    expect(sum(volume.body)).toBe(1);
  });

  test('figures need the permission to view events', async () => {
    const { user, nobody } = server();
    const stranger = await user();
    for (const path of ['volume', 'per_month', 'top_per_user']) {
      expect((await stranger.api.get(`/events/events/${path}/`)).status, path).toBe(403);
      expect((await nobody.get(`/events/events/${path}/`)).status, path).toBe(403);
    }
    const actions = await stranger.api.get('/events/events/actions/');
    expect(actions.body).toContainEqual({
      name: 'Login Failed',
      description: '',
      component: 'login_failed',
      model_name: '',
    });
    expect(actions.body).toHaveLength(27);
  });

  test('volume counts the last week by thirds of a day, with the filters of the list', async () => {
    const running = server();
    const day = 86_400_000;
    for (const age of [0, 0, day, 6.9 * day, 8 * day]) await insertEvent(running, { app: 'volume', age });
    const { body } = await running.admin.get('/events/events/volume/?username=volume');
    expect(body).toHaveLength(21);
    expect(sum(body)).toBe(4);
    expect(body.at(-1).y_cord).toBe(2);
    expect(body[1].x_cord - body[0].x_cord).toBe(day / 3);
    const none = await running.admin.get('/events/events/volume/?username=volume&action=logout');
    expect(sum(none.body)).toBe(0);
  });

  test('per_month counts one action by day, narrowed by a closed list of conditions', async () => {
    const running = server();
    const day = 86_400_000;
    for (const age of [0, 3 * day, 3 * day, 31 * day]) await insertEvent(running, { app: 'monthly', age });
    const query = encodeURIComponent(JSON.stringify({ user__username: 'monthly' }));
    const { body } = await running.admin.get(`/events/events/per_month/?query=${query}`);
    expect(body).toHaveLength(30);
    expect(body.map((point: { y_cord: number }) => point.y_cord).slice(-4)).toEqual([2, 0, 0, 1]);
    expect(sum(body)).toBe(3);
    const bad = [
      '{bad',
      '[]',
      '{"password__startswith":"a"}',
      '{"user__pk":"x"}',
      '{"client_ip":{}}',
      '{"__proto__":1}',
    ];
    for (const text of bad) {
      const answer = await running.admin.get(`/events/events/per_month/?query=${encodeURIComponent(text)}`);
      expect(answer.status, text).toBe(400);
      expect(Object.keys(answer.body)).toEqual(['query']);
    }
  });

  test('top_per_user ranks applications by how often they are used', async () => {
    const running = server();
    const wiki = { pk: 'w1k1', name: 'Wiki' };
    const mail = { pk: 'ma11', name: 'Mail' };
    for (const [application, userPk] of [
      [wiki, 1],
      [mail, 1],
      [mail, 2],
      [mail, 2],
    ] as const) {
      await running.admin.post('/events/events/', {
        action: 'custom_top',
        app: 'x',
        user: { pk: userPk },
        context: { authorized_application: application },
      });
    }
    const path = '/events/events/top_per_user/?action=custom_top';
    expect((await running.admin.get(path)).body).toEqual([
      { application: mail, counted_events: 3, unique_users: 2 },
      { application: wiki, counted_events: 1, unique_users: 1 },
    ]);
    expect((await running.admin.get(`${path}&top_n=1`)).body).toHaveLength(1);
    expect((await running.admin.get(`${path}&top_n=x`)).body).toEqual({ top_n: ['A valid integer is required.'] });
  });
});

const sum = (points: { y_cord: number }[]) => points.reduce((total, { y_cord }) => total + y_cord, 0);

/** An event of the past, by a user called like its app. */
async function insertEvent({ world: { db } }: TestServer, { app, age }: { app: string; age: number }): Promise<void> {
  const created = new Date(Date.now() - age).toISOString();
  await db.write((tx) =>
    sql`insert into events (pk, "user", user_pk, username, action, app, context, client_ip, created, expires, brand, words)
      values (${crypto.randomUUID()}, '{}', null, ${app}, 'login', ${app}, '{}', null, ${created.replace('Z', '000Z')},
        '2099-01-01T00:00:00.000000Z', '{}', '')`.execute(tx),
  );
}
