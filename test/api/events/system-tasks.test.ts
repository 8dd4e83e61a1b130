import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { eventsDuring } from '../../support/events.ts';

import { jobsOf, quiet, runJob, until } from '../../support/jobs.ts';
import { describeOnBoth } from '../../support/server.ts';

const path = '/events/system_tasks/';

describeOnBoth('system tasks', (server) => {
  async function taskOf(name: string, status?: string) {
    const { body } = await server().admin.get(`${path}?name=${name}${status ? `&status=${status}` : ''}`);
    return body.results[0];
  }

  test('show waiting scheduled jobs and the result of finished ones', async () => {
    const waiting = await taskOf('notification_cleanup');
    expect(waiting).toMatchObject({ name: 'notification_cleanup', status: 'unknown', messages: [], expiring: false });
    expect(waiting.description).toContain('notifications');
    await runJob(server(), 'notification_cleanup');
    const done = await taskOf('notification_cleanup', 'successful');
    expect(done).toMatchObject({ status: 'successful', expiring: true });
    expect(done.messages).toMatchObject([{ log_level: 'info', event: 'Nothing to do.' }]);
    expect(done.duration).toBeGreaterThanOrEqual(0);
    expect((await server().admin.get(`${path}${done.uuid}/`)).body).toEqual(done);
    expect((await server().admin.get(`${path}?uid=${done.uid}`)).body.results).toEqual([done]);
    expect((await server().admin.get(`${path}?status=nonsense`)).status).toBe(400);
  });

  test('can be run again when scheduled, which records one event', async () => {
    const task = await taskOf('notification_cleanup');
    await quiet(server());
    const before = (await jobsOf(server(), 'notification_cleanup')).filter(({ state }) => state === 'done').length;
    const events = await eventsDuring(server(), async () => {
      expect((await server().admin.post(`${path}${task.uuid}/run/`)).status).toBe(204);
    });
    expect(events.map(({ action }) => action)).toEqual(['system_task_execution']);
    await until(
      async () =>
        (await jobsOf(server(), 'notification_cleanup')).filter(({ state }) => state === 'done').length === before + 1,
    );
  });

  test('system tasks require permissions', async () => {
    const task = await taskOf('notification_cleanup');
    expect((await server().nobody.get(path)).status).toBe(403);
    const stranger = await server().user();
    expect((await stranger.api.get(path)).status).toBe(403);
    expect((await stranger.api.post(`${path}${task.uuid}/run/`)).status).toBe(403);
    const viewer = await server().user(['svc_events.view_systemtask']);
    expect((await viewer.api.get(path)).status).toBe(200);
    expect((await viewer.api.post(`${path}${task.uuid}/run/`)).status).toBe(403);
    const runner = await server().user(['svc_events.view_systemtask', 'svc_events.run_task']);
    expect((await runner.api.post(`${path}${task.uuid}/run/`)).status).toBe(204);
    expect((await runner.api.post(`${path}6b2f4f2e-0000-4000-8000-000000000000/run/`)).status).toBe(404);
  });

  test('cannot be run again when neither scheduled nor failed', async () => {
    const { db } = server().world;
    await runJob(server(), 'job_cleanup');
    const task = await taskOf('job_cleanup', 'successful');
    await db.write((tx) => sql`update jobs set kind = 'unknown_kind' where pk = ${task.uuid}`.execute(tx));
    const answer = await server().admin.post(`${path}${task.uuid}/run/`);
    expect(answer.status).toBe(400);
    await db.write((tx) => sql`update jobs set kind = 'job_cleanup' where pk = ${task.uuid}`.execute(tx));
  });
});
