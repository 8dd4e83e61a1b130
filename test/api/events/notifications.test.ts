import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { describeOnBoth } from '../../support/server.ts';

const path = '/events/notifications/';

describeOnBoth('notifications', (server) => {
  async function notify(user: number, body: string, severity = 'notice'): Promise<{ pk: string; event: string }> {
    const { world, admin } = server();
    const event = await admin.post('/events/events/', {
      action: 'configuration_error',
      app: 'x',
      context: { message: body },
    });
    const pk = crypto.randomUUID();
    await world.db.write((tx) =>
      sql`insert into notifications (pk, severity, body, created, event, "user", seen)
        values (${pk}, ${severity}, ${body}, ${world.clock.now()}, ${event.body.pk}, ${user}, ${false})`.execute(tx),
    );
    return { pk, event: event.body.pk };
  }

  test('show the event to their recipient only', async () => {
    const { user, admin, nobody } = server();
    const [owner, other] = [await user(), await user()];
    const { pk, event } = await notify(owner.pk, 'The door is open', 'alert');
    const { body } = await owner.api.get(`${path}${pk}/`);
    expect(body).toEqual({
      pk,
      severity: 'alert',
      body: 'The door is open',
      created: expect.stringMatching(/Z$/),
      event: expect.objectContaining({
        pk: event,
        action: 'configuration_error',
        context: { message: 'The door is open' },
        created: expect.stringMatching(/\.\d{6}Z$/),
      }),
      seen: false,
    });
    expect((await owner.api.get(path)).body.results).toEqual([body]);
    expect((await other.api.get(`${path}${pk}/`)).status).toBe(404);
    expect((await other.api.get(path)).body.results).toEqual([]);
    expect((await admin.get(`${path}?user=${owner.pk}`)).body.results).toEqual([body]);
    expect((await nobody.get(path)).status).toBe(403);
    await admin.delete(`/events/events/${event}/`);
    expect((await owner.api.get(`${path}${pk}/`)).body.event).toBeNull();
  });

  test('notifications are marked as seen and deleted by their owner only, not even by a superuser', async () => {
    const { user, admin } = server();
    const [owner, other] = [await user(), await user()];
    const { pk } = await notify(owner.pk, 'Only for me');
    for (const answer of [
      await admin.patch(`${path}${pk}/`, { seen: true }),
      await admin.put(`${path}${pk}/`, { seen: true }),
      await admin.delete(`${path}${pk}/`),
    ]) {
      expect(answer.status).toBe(403);
    }
    expect((await other.api.patch(`${path}${pk}/`, { seen: true })).status).toBe(404);
    const seen = await owner.api.patch(`${path}${pk}/`, {
      seen: true,
      body: 'Something else',
      severity: 'alert',
      user: other.pk,
      event: { action: 'login' },
    });
    expect(seen.body).toMatchObject({ seen: true, body: 'Only for me', severity: 'notice' });
    expect((await owner.api.get(path)).body.pagination.count).toBe(1);
    expect((await owner.api.post(path, {})).status).toBe(405);
    expect((await owner.api.delete(`${path}${pk}/`)).status).toBe(204);
    expect((await owner.api.get(`${path}${pk}/`)).status).toBe(404);
  });

  test('all notifications of the caller, and of no other user, are marked as seen at once', async () => {
    const { user, admin } = server();
    const [owner, other] = [await user(), await user()];
    for (const body of ['one', 'two']) await notify(owner.pk, body);
    await notify(other.pk, 'three');
    expect((await owner.api.post(`${path}mark_all_seen/?dry_run=true`)).status).toBe(204);
    expect((await owner.api.get(`${path}?seen=false`)).body.pagination.count).toBe(2);
    const answer = await owner.api.post(`${path}mark_all_seen/`);
    expect(answer.status).toBe(204);
    expect(answer.text).toBe('');
    expect((await owner.api.get(`${path}?seen=false`)).body.results).toEqual([]);
    expect((await owner.api.get(`${path}?seen=true`)).body.pagination.count).toBe(2);
    expect((await other.api.get(`${path}?seen=false`)).body.pagination.count).toBe(1);
    const { body } = await admin.get(`/events/events/?username=${owner.username}&context_model_name=notification`);
    expect(body.results.map(({ action }: { action: string }) => action)).toEqual(['model_updated']);
  });

  test('every filter narrows the list', async () => {
    const { user } = server();
    const owner = await user();
    const { pk, event } = await notify(owner.pk, 'narrow', 'warning');
    await notify(owner.pk, 'wide');
    const { body: one } = await owner.api.get(`${path}${pk}/`);
    for (const filter of [
      'body=narrow',
      'severity=warning',
      `event=${event}`,
      'seen=false&body=narrow',
      `user=${owner.pk}&body=narrow`,
      `created=${one.created}&body=narrow`,
      'search=arro',
    ]) {
      expect((await owner.api.get(`${path}?${filter}`)).body.results, filter).toEqual([one]);
    }
    expect((await owner.api.get(`${path}?severity=loud`)).status).toBe(400);
    const unknown = await owner.api.get(`${path}?event=00000000-0000-4000-8000-000000000000`);
    expect(unknown.status).toBe(400);
  });
});
