import { expect, test } from 'vitest';
import { describeOnBoth } from '../../support/server.ts';

const path = '/events/transports/';

describeOnBoth('notification transports', (server) => {
  test('transports are local by default', async () => {
    const made = await server().admin.post(path, { name: 'plain' });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      pk: expect.any(String),
      name: 'plain',
      mode: 'local',
      mode_verbose: 'Local (in-app) notification',
      webhook_url: '',
      webhook_mapping: null,
      send_once: false,
    });
  });

  test('a webhook requires an address, in the request or stored before', async () => {
    const { admin } = server();
    const complaint = { webhook_url: ['Webhook URL may not be empty.'] };
    for (const mode of ['webhook', 'webhook_slack']) {
      const answer = await admin.post(path, { name: `without address ${mode}`, mode });
      expect(answer.status).toBe(400);
      expect(answer.body).toEqual(complaint);
    }
    const { body: hook } = await admin.post(path, {
      name: 'hook',
      mode: 'webhook',
      webhook_url: 'https://example.org/in',
    });
    expect((await admin.patch(`${path}${hook.pk}/`, { webhook_url: '' })).body).toEqual(complaint);
    expect((await admin.patch(`${path}${hook.pk}/`, { send_once: true })).status).toBe(200);
    const { body: local } = await admin.post(path, { name: 'local first' });
    expect((await admin.patch(`${path}${local.pk}/`, { mode: 'webhook_slack' })).body).toEqual(complaint);
  });

  test.each(['ftp://example.org/', 'javascript:alert(1)', 'file:///etc/passwd', 'example.org', 'http://'])(
    '%s is refused as an address',
    async (url) => {
      const answer = await server().admin.post(path, { name: 'wrong', mode: 'webhook', webhook_url: url });
      expect(answer.status).toBe(400);
      expect(answer.body).toEqual({ webhook_url: ['Enter a valid URL.'] });
    },
  );

  test('deleting a mapping keeps the transport that uses it', async () => {
    const { admin } = server();
    const mapping = await admin.post('/propertymappings/notification/', { name: 'body', expression: 'return {}' });
    const { body } = await admin.post(path, { name: 'mapped', webhook_mapping: mapping.body.pk });
    expect(body.webhook_mapping).toBe(mapping.body.pk);
    await admin.delete(`/propertymappings/all/${mapping.body.pk}/`);
    expect((await admin.get(`${path}${body.pk}/`)).body.webhook_mapping).toBeNull();
  });

  test('every filter narrows the list, and only those who may see it', async () => {
    const { admin, user } = server();
    const { body: made } = await admin.post(path, {
      name: 'narrow',
      mode: 'webhook',
      webhook_url: 'https://narrow.example/',
      send_once: true,
    });
    for (const filter of [
      'name=narrow',
      'mode=webhook&name=narrow',
      'send_once=true&name=narrow',
      'webhook_url=https%3A%2F%2Fnarrow.example%2F',
      'search=narrow.example',
    ]) {
      expect((await admin.get(`${path}?${filter}`)).body.results, filter).toEqual([made]);
    }
    expect((await admin.get(`${path}?mode=pigeon`)).status).toBe(400);
    expect((await (await user()).api.get(path)).status).toBe(403);
  });
});
