import { expect, test } from 'vitest';
import { describeOnBoth } from '../../support/server.ts';

describeOnBoth('property mappings', (server) => {
  test('a webhook mapping shows its three members, and more in the list of all kinds', async () => {
    const { admin } = server();
    const made = await admin.post('/propertymappings/notification/', {
      name: 'chat text',
      expression: '  return {text: notification.body}  ',
      managed: 'not/yours',
    });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      pk: expect.any(String),
      name: 'chat text',
      expression: 'return {text: notification.body}',
    });
    const one = await admin.get(`/propertymappings/all/${made.body.pk}/`);
    expect(one.body).toEqual({
      ...made.body,
      managed: null,
      component: 'xak-property-mapping-notification-form',
      verbose_name: 'Webhook Mapping',
      verbose_name_plural: 'Webhook Mappings',
      meta_model_name: 'svc_events.notificationwebhookmapping',
    });
  });

  test('all errors are reported at once', async () => {
    const { admin } = server();
    await admin.post('/propertymappings/notification/', { name: 'taken', expression: 'return 1' });
    const clash = await admin.post('/propertymappings/notification/', { name: 'taken', expression: 'return (' });
    expect(clash.status).toBe(400);
    expect(clash.body).toEqual({
      name: ['Property Mapping with this name already exists.'],
      expression: [expect.stringMatching(/^Expression Syntax Error: .+ \(line 1\)$/)],
    });
    const empty = await admin.post('/propertymappings/notification/', {});
    expect(empty.body).toEqual({
      name: ['This field is required.'],
      expression: ['This field is required.'],
    });
  });

  test('the list of all kinds is filtered by name and by who manages them', async () => {
    const { admin } = server();
    await admin.post('/propertymappings/notification/', { name: 'findable', expression: 'return 1' });
    const named = await admin.get('/propertymappings/all/?name=findable');
    expect(named.body.results).toHaveLength(1);
    const free = await admin.get('/propertymappings/all/?name=findable&managed__isnull=true');
    expect(free.body.results).toHaveLength(1);
    const managed = await admin.get('/propertymappings/all/?name=findable&managed__isnull=false');
    expect(managed.body.results).toEqual([]);
    const ours = await admin.get('/propertymappings/all/?managed=a&managed=b&name=findable');
    expect(ours.body.results).toEqual([]);
  });

  test('a mapping can be tried by those who may change it', async () => {
    const { admin, user } = server();
    const { body: mapping } = await admin.post('/propertymappings/notification/', {
      name: 'tried',
      expression: 'return {who: user.username, groups: user.groups.length, word: word, again: request.context.word}',
    });
    const path = `/propertymappings/all/${mapping.pk}/test/`;
    const subject = await user([], { username: 'tried-subject' });
    const good = await admin.post(path, { user: subject.pk, context: { word: 'x' } });
    expect(good.status).toBe(200);
    expect(good.body.successful).toBe(true);
    expect(JSON.parse(good.body.result)).toEqual({ who: 'tried-subject', groups: 0, word: 'x', again: 'x' });
    const formatted = await admin.post(`${path}?format_result=true`, { user: subject.pk, context: { word: 'x' } });
    expect(formatted.body.result).toContain('\n    "who"');
    const bad = await admin.post(path, { user: null });
    expect(bad.body).toEqual({ result: expect.stringContaining('TypeError'), successful: false });
    const missing = await admin.post(path, { user: 999999 });
    expect(missing.status).toBe(400);
    expect(missing.body).toEqual({ user: ['Invalid pk "999999" - object does not exist.'] });
  });

  test('a transport refuses a mapping that does not exist', async () => {
    const { admin } = server();
    const transport = await admin.post('/events/transports/', {
      name: 'no such mapping',
      webhook_mapping: '3f9d86a4-6a26-4d10-9a9f-8d9e8d6c1c11',
    });
    expect(transport.body).toEqual({
      webhook_mapping: ['Invalid pk "3f9d86a4-6a26-4d10-9a9f-8d9e8d6c1c11" - object does not exist.'],
    });
  });
});
