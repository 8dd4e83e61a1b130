import { sql } from 'kysely';
import type { DemoWorld } from './demo-world.ts';
import type { DemoPeople } from './people.ts';

/** Certificates, brands, connections to where outposts run, and who is told of what. */
export async function makeOperations(demo: DemoWorld, people: DemoPeople): Promise<void> {
  const { api } = demo;
  const { results } = (await api.get('/crypto/certificatekeypairs/?search=Demo')) as { results: unknown[] };
  if (results.length === 0) {
    await api.post('/crypto/certificatekeypairs/generate/', {
      common_name: 'Demo Signing',
      subject_alt_name: 'demo.example.com',
      validity_days: 365,
      alg: 'ecdsa',
    });
  }
  await api.ensure('/core/brands/', { domain: 'demo.example.com' }, { branding_title: 'Demo Company' });
  await api.ensure(
    '/outposts/service_connections/container/',
    { name: 'Demo containers' },
    { url: 'http://containers.example.com:2375' },
  );
  await api.ensure('/outposts/service_connections/cluster/', { name: 'Demo cluster' }, { kubeconfig });
  await makeNotifications(demo, people);
}

const kubeconfig = {
  'current-context': 'demo',
  contexts: [{ name: 'demo', context: { cluster: 'demo', user: 'demo' } }],
  clusters: [{ name: 'demo', cluster: { server: 'https://cluster.example.com' } }],
  users: [{ name: 'demo', user: { token: 'demo' } }],
};

async function makeNotifications(demo: DemoWorld, { ada, engineering }: DemoPeople): Promise<void> {
  const { api, once, insert, now } = demo;
  const mapping = await api.ensure(
    '/propertymappings/notification/',
    { name: 'Demo: chat message' },
    { expression: 'return { text: notification.body };' },
  );
  const transport = await api.ensure(
    '/events/transports/',
    { name: 'Demo: to the chat' },
    { mode: 'webhook', webhook_url: 'https://chat.example.com/hook', webhook_mapping: mapping.pk },
  );
  const rule = { group: engineering.pk, transports: [transport.pk], severity: 'notice' };
  await api.ensure('/events/rules/', { name: 'Demo: tell engineering' }, rule);
  const event = await latestEvent(demo);
  // As the rule would have told Ada of it.
  const values = { severity: 'notice', body: 'Demo: something was changed', event, user: ada.pk, seen: false };
  await once('notifications', { user: ada.pk, body: values.body }, (tx) =>
    insert(tx, 'svc_events.notification', { ...values, created: now }),
  );
}

async function latestEvent({ world }: DemoWorld): Promise<string | null> {
  const { rows } = await sql<{ pk: string }>`select pk from events order by created desc limit 1`.execute(
    world.db.read,
  );
  return rows[0]?.pk ?? null;
}
