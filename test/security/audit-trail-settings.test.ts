import { expect, test } from 'vitest';
import { describeOnSqlite } from '../support/server.ts';

// A delegate who may edit settings could shorten the audit trail, or let users take other names and addresses.

describeOnSqlite('settings of the audit trail and of proof', (server) => {
  const path = '/admin/settings/';

  test.each([
    { event_retention: 'days=1' },
    { gdpr_compliance: false },
    { impersonation: false },
    { impersonation_require_reason: true },
    { default_user_change_name: false },
    { default_user_change_email: true },
    { default_user_change_username: true },
  ])('%j is for superusers', async (values) => {
    const before = (await server().admin.get(path)).body;
    const { api } = await server().user(['svc_rbac.edit_system_settings']);
    const refused = await api.patch(path, values);
    expect([refused.status, refused.body.detail]).toEqual([
      403,
      `Only superusers may change ${Object.keys(values)[0]}.`,
    ]);
    expect((await server().admin.get(path)).body).toEqual(before);
    expect((await api.patch(path, { footer_links: [] })).status).toBe(200);
    expect((await server().admin.patch(path, values)).status).toBe(200);
    await server().admin.put(path, before);
  });

  test('events about sign-ins, passwords and secrets outlive a short retention', async () => {
    const { admin } = server();
    const before = (await admin.get(path)).body;
    expect((await admin.patch(path, { event_retention: 'days=1' })).status).toBe(200);
    const { body: token } = await admin.post('/core/tokens/', { identifier: 'viewed' });
    await admin.get(`/core/tokens/${token.identifier}/view_key/`);
    const days = async (action: string) => {
      const [event] = (await admin.get(`/events/events/?action=${action}&ordering=-created&page_size=1`)).body.results;
      return (Date.parse(event.expires) - Date.parse(event.created)) / 86_400_000;
    };
    expect(await days('model_created')).toBe(1);
    expect(await days('secret_view')).toBe(90);
    await admin.put(path, before);
  });
});
