import { expect, test } from 'vitest';
import { made, unique } from '../support/make-walk.ts';
import { describeOnSqlite } from '../support/server.ts';

const refusal = 'Whoever gets events reads them: changing that takes permission to see events.';

// By one right each, a delegate had events sent to themselves that they may not see.
describeOnSqlite('class 60: events are not led to whoever may not see them', (server) => {
  const holder = (model: string, ...more: string[]) =>
    server().user([`svc_events.change_${model}`, `svc_events.view_${model}`, ...more]);

  test('by another address of a transport', async () => {
    const values = { name: unique('transport'), mode: 'webhook', webhook_url: 'https://chat.example.com/' };
    const { pk } = await made(server(), '/events/transports/', values);
    const path = `/events/transports/${pk}/`;
    const { api } = await holder('notificationtransport');
    for (const change of [{ webhook_url: 'https://evil.example.com/' }, { mode: 'email' }]) {
      const { status, body } = await api.patch(path, change);
      expect([status, body.detail]).toEqual([403, refusal]);
    }
    expect((await api.patch(path, { name: unique('transport'), webhook_url: values.webhook_url })).status).toBe(200);
    const seeing = await holder('notificationtransport', 'svc_events.view_event');
    expect((await seeing.api.patch(path, { webhook_url: 'https://other.example.com/' })).status).toBe(200);
  });

  test('by another group or transport of a rule', async () => {
    const transport = await made(server(), '/events/transports/', { name: unique('transport'), mode: 'local' });
    const { api, pk: user } = await holder('notificationrule');
    const group = await made(server(), '/core/groups/', { name: unique('group'), users: [user] });
    const { pk } = await made(server(), '/events/rules/', { name: unique('rule'), transports: [transport.pk] });
    const path = `/events/rules/${pk}/`;
    for (const change of [{ group: group.pk }, { transports: [] }]) {
      const { status, body } = await api.patch(path, change);
      expect([status, body.detail]).toEqual([403, refusal]);
    }
    expect((await api.patch(path, { severity: 'alert', transports: [transport.pk] })).status).toBe(200);
    const seeing = await holder('notificationrule', 'svc_events.view_event');
    expect((await seeing.api.patch(path, { transports: [] })).status).toBe(200);
  });
});
