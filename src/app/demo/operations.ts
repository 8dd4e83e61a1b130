import { sql } from 'kysely';
import type { Demo } from '../../core/kind/demo.ts';

/** Certificates, brands and notification rules. */
export async function makeOperations(demo: Demo): Promise<void> {
  const { api } = demo;
  const results = await api.list('/crypto/certificatekeypairs/?search=Demo');
  if (results.length === 0) {
    await api.post('/crypto/certificatekeypairs/generate/', {
      common_name: 'Demo Signing',
      subject_alt_name: 'demo.example.com',
      validity_days: 365,
      alg: 'ecdsa',
    });
  }
  await api.ensure('/core/brands/', { domain: 'demo.example.com' }, { branding_title: 'Demo Company' });
  await makeNotifications(demo);
}

async function makeNotifications(demo: Demo): Promise<void> {
  const { api, once, insert, now, people } = demo;
  const { ada, engineering } = people;
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
  // A notification as the rule would have sent it.
  const values = { severity: 'notice', body: 'Demo: something was changed', event, user: ada.pk, seen: false };
  await once('notifications', { user: ada.pk, body: values.body }, (tx) =>
    insert(tx, 'svc_events.notification', { ...values, created: now }),
  );
}

async function latestEvent({ db }: Demo): Promise<string | null> {
  const { rows } = await sql<{ pk: string }>`select pk from events order by created desc limit 1`.execute(db.read);
  return rows[0]?.pk ?? null;
}
