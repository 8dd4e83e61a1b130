import { afterAll, expect, test } from 'vitest';
import { startWebhookReceiver } from '../support/receivers.ts';
import { describeOnSqlite } from '../support/server.ts';

const hook = await startWebhookReceiver();
afterAll(() => hook.close());

describeOnSqlite('SSRF: webhooks cannot reach the server’s network', (server) => {
  test.each([
    ['this machine', () => hook.url],
    ['this machine by name', () => hook.url.replace('127.0.0.1', 'localhost')],
    ['this machine in disguise', () => hook.url.replace('127.0.0.1', '[::ffff:127.0.0.1]')],
    ['this machine as a number', () => hook.url.replace('127.0.0.1', '2130706433')],
    ['the metadata of clouds', () => 'http://169.254.169.254/latest/meta-data/'],
    ['a private network', () => 'http://10.0.0.1/'],
  ])('%s is not called', async (name, url) => {
    for (const mode of ['webhook', 'webhook_slack']) {
      const { body } = await server().admin.post('/events/transports/', {
        name: `${name} ${mode}`,
        mode,
        webhook_url: url(),
      });
      const answer = await server().admin.post(`/events/transports/${body.pk}/test/`);
      expect(answer.status).toBe(400);
    }
    expect(hook.bodies).toEqual([]);
  });
});
