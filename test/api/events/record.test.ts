import { expect, test } from 'vitest';
import { actorFacts } from '../../../src/core/event/record.ts';
import type { Actor } from '../../../src/resource/access/actor.ts';
import { masked } from '../../../src/resource/write/audit.ts';
import { eventsAbout } from '../../support/events.ts';

import { describeOnBoth } from '../../support/server.ts';

const behindProxy = { env: { GATEHOUSE_TRUSTED_PROXIES: '127.0.0.1/32,::1/128' } };

describeOnBoth(
  'recorded events',
  (server) => {
    test('name the client address behind a trusted proxy, its place, and the request', async () => {
      const made = await server().admin.post(
        '/policies/expression/?api_token=hidden&colour=blue',
        { name: 'from afar', expression: 'return true' },
        { 'x-forwarded-for': '8.8.8.8', 'user-agent': 'curl/8' },
      );
      expect(made.status).toBe(201);
      const { body } = await server().admin.get(`/events/events/?context_model_pk=${made.body.pk}`);
      const [event] = body.results;
      expect(event.client_ip).toBe('8.8.8.8');
      expect(event.context.geo).toMatchObject({ country: 'US' });
      expect(event.context.http_request).toMatchObject({
        args: { api_token: masked, colour: 'blue' },
        user_agent: 'curl/8',
      });
      expect(event.context.http_request.request_id).toMatch(/^[0-9a-f]{32}$/);
    });

    test('contain no secret of the row they describe', async () => {
      const { admin } = server();
      const made = await admin.post('/core/groups/', {
        name: 'with secrets inside',
        attributes: { nested: { api_keys: ['s3cret-1', { value: 'fine' }], pin_token: 4711 } },
      });
      const [event] = await eventsAbout(server(), made.body.pk);
      expect(event?.context.diff.attributes.new_value).toEqual({
        nested: { api_keys: [masked, { value: 'fine' }], pin_token: masked },
      });
    });

    test('an event expires by the retention setting at the time of writing', async () => {
      const { admin, world } = server();
      await world.db.write(async (tx) =>
        world.settings.save(tx, { ...(await world.settings.current()), event_retention: 'hours=2' }),
      );
      const made = await admin.post('/core/groups/', { name: 'kept briefly' });
      const { body } = await admin.get(`/events/events/?context_model_pk=${made.body.pk}`);
      const [event] = body.results;
      expect(Date.parse(event.expires) - Date.parse(event.created)).toBe(2 * 3_600_000);
    });

    test('refused requests and dry runs record nothing', async () => {
      const { admin } = server();
      const count = async () => (await admin.get('/events/events/?page_size=1')).body.pagination.count as number;
      const before = await count();
      await admin.post('/core/groups/', {});
      await admin.post('/core/groups/?dry_run=true', { name: 'only tried' });
      await admin.delete('/core/groups/00000000-0000-4000-8000-000000000000/');
      expect(await count()).toBe(before);
    });

    test('are found by a user name of any length', async () => {
      const { admin } = server();
      const username = 'long'.repeat(2000);
      const event = { action: 'login_failed', app: 'x', context: { username } };
      const made = await admin.post('/events/events/', event);
      expect(made.body.context.username).toBe(username);
      const { body } = await admin.get(`/events/events/?username=${username}`);
      expect(body.results.map(({ pk }: { pk: string }) => pk)).toEqual([made.body.pk]);
    });
  },
  behindProxy,
);

test('an impersonator is recorded as the actor', () => {
  const user = (pk: number, username: string) => ({
    pk,
    username,
    email: '',
    uuid: '',
    name: '',
    type: '',
    attributes: {},
  });
  const actor = { user: user(2, 'ada'), impersonator: { user: user(1, 'admin') } } as unknown as Actor;
  expect(actorFacts(actor)).toEqual({
    pk: 1,
    username: 'admin',
    email: '',
    on_behalf_of: { pk: 2, username: 'ada', email: '' },
  });
  expect(actorFacts(null)).toEqual({ pk: null, username: 'AnonymousUser', email: '', is_anonymous: true });
});
