import { expect, test } from 'vitest';
import { describeOnBoth } from '../../support/server.ts';

const event = {
  action: 'model_created',
  app: 'svc_core',
  client_ip: '192.0.2.7',
  context: { model: { app: 'svc_core', model_name: 'group', pk: '1', name: 'g' } },
};

describeOnBoth('event matcher policies', (server) => {
  let count = 0;
  async function matches(criteria: Record<string, unknown>, context: unknown = { event }) {
    count += 1;
    const created = await server().admin.post('/policies/event_matcher/', { name: `matcher-${count}`, ...criteria });
    expect(created.status).toBe(201);
    const { body: me } = await server().admin.get('/core/users/me/');
    const { body } = await server().admin.post(`/policies/all/${created.body.pk}/test/`, { user: me.user.pk, context });
    return body;
  }

  test('match when every configured condition is met', async () => {
    const all = { action: 'model_created', app: 'svc.core', model: 'svc_core.group', client_ip: '192.0.2.7' };
    expect((await matches(all)).passing).toBe(true);
    for (const name of Object.keys(all)) {
      const only = { [name]: all[name as keyof typeof all] };
      expect([name, (await matches(only)).passing]).toEqual([name, true]);
    }
    const wrong = { action: 'login', app: 'svc.events', model: 'svc_core.user', client_ip: '192.0.2.8' };
    for (const [name, value] of Object.entries(wrong)) {
      const { passing, messages } = await matches({ ...all, [name]: value });
      expect([name, passing, messages.length]).toEqual([name, false, 1]);
    }
  });

  test('match every custom event of expressions by the custom prefix', async () => {
    expect((await matches({ action: 'custom_' }, { event: { ...event, action: 'custom_mine' } })).passing).toBe(true);
    expect((await matches({ action: 'custom_' })).passing).toBe(false);
  });

  test('do not match without an event', async () => {
    for (const context of [{}, { event: null }, { event: 'login' }, { event: [] }])
      expect((await matches({ action: 'login' }, context)).passing).toBe(false);
  });

  test('refuse unknown actions, apps and models', async () => {
    const answer = await server().admin.post('/policies/event_matcher/', {
      name: 'bad',
      action: 'nonsense',
      app: 'svc.nothing',
      model: 'svc_core.nothing',
    });
    expect(answer.status).toBe(400);
    expect(Object.keys(answer.body).sort()).toEqual(['action', 'app', 'model']);
  });

  test('are bound five times to rules on a fresh install', async () => {
    const { body } = await server().admin.get('/policies/event_matcher/?ordering=name&search=default-match');
    expect(body.results.map(({ name, action, bound_to }: Record<string, unknown>) => [name, action, bound_to])).toEqual(
      [
        ['default-match-access-request', 'custom_', 1],
        ['default-match-configuration-error', 'configuration_error', 1],
        ['default-match-policy-exception', 'policy_exception', 1],
        ['default-match-property-mapping-exception', 'property_mapping_exception', 1],
        ['default-match-update', 'update_available', 1],
      ],
    );
  });
});

describeOnBoth('dummy policies', (server) => {
  test('return their configured result', async () => {
    const { body: me } = await server().admin.get('/core/users/me/');
    for (const result of [true, false]) {
      const { body } = await server().admin.post('/policies/dummy/', {
        name: `d-${result}`,
        result,
        wait_min: -3,
        wait_max: 0,
      });
      const tried = await server().admin.post(`/policies/all/${body.pk}/test/`, { user: me.user.pk });
      expect(tried.body).toMatchObject({ passing: result, messages: ['dummy'] });
    }
  });
});
