import { expect, test } from 'vitest';
import type { Api } from '../support/api.ts';
import { made, unique } from '../support/make-walk.ts';
import { describeOnSqlite } from '../support/server.ts';

const refusal = 'Changing where events are sent requires permission to view events.';
const refusalOfSync = 'Changing where users and groups are sent requires permission to view users and groups.';

// By one right each, a delegate had events, users and groups sent to themselves that they may not see.
describeOnSqlite('data exfiltration: changing a destination', (server) => {
  const application = (values: object) => ({ name: 'App', slug: unique('app'), ...values });
  const holder = (model: string, ...more: string[]) =>
    server().user([`svc_events.change_${model}`, `svc_events.view_${model}`, ...more]);

  test('events, by another address of a transport', async () => {
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

  test('events, by a rule of one’s own', async () => {
    const rights = [
      ...['svc_events.add_notificationtransport', 'svc_events.add_notificationrule'],
      ...['svc_events.change_notificationrule', 'svc_policies.add_policybinding', 'svc_core.view_group'],
    ];
    const group = (await made(server(), '/core/groups/', { name: unique('group') })).pk;
    const { api } = await server().user(rights);
    const sent = { name: unique('transport'), mode: 'webhook', webhook_url: 'https://evil.example.com/' };
    const transport = await api.post('/events/transports/', sent);
    const rule = await api.post('/events/rules/', { name: unique('rule'), group, transports: [transport.body.pk] });
    expect([transport.status, rule.status]).toEqual([201, 201]);
    const binding = { target: rule.body.pk, group, order: 0 };
    expect((await api.post('/policies/bindings/', binding)).status).toBe(403);
    const seeing = await server().user([...rights, 'svc_events.view_event']);
    expect((await seeing.api.post('/policies/bindings/', binding)).status).toBe(201);
  });

  test('events, by another group or transport of a rule', async () => {
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

  test('names of users, by where their pictures come from', async () => {
    const change = { avatars: 'https://evil.example.com/%(username)s, initials' };
    const editor = await server().user(['svc_rbac.edit_system_settings']);
    const refused = await editor.api.patch('/admin/settings/', change);
    expect([refused.status, refused.body.required]).toEqual([403, 'svc_core.view_user']);
    expect((await editor.api.patch('/admin/settings/', { avatars: 'attributes.avatar,initials' })).status).toBe(200);
    const seeing = await server().user(['svc_rbac.edit_system_settings', 'svc_core.view_user']);
    expect((await seeing.api.patch('/admin/settings/', change)).status).toBe(200);
    expect((await editor.api.patch('/admin/settings/', { ...change, impersonation: true })).status).toBe(200);
  });

  test('attributes of users, as the password that a proxy sends to an application', async () => {
    const path = '/providers/proxy/';
    const rights = ['view', 'add', 'change'].map((verb) => `svc_providers_proxy.${verb}_proxyprovider`);
    const basic = { basic_auth_user_attribute: 'login', basic_auth_password_attribute: 'password_of_another' };
    const { api } = await server().user([...rights, 'svc_core.view_user']);
    const provider = (values = {}) => {
      const name = unique('proxied');
      return { name, mode: 'forward_single', external_host: `https://${name}.example.com`, ...values };
    };
    const { pk } = await made(server(), path, provider());
    const used = await made(server(), path, provider({ ...basic, basic_auth_enabled: true }));
    const elsewhere = { external_host: `https://${unique('evil')}.example.com` };
    const refused = [
      await api.patch(`${path}${pk}/`, { ...basic, basic_auth_enabled: true }),
      await api.patch(`${path}${used.pk}/`, { basic_auth_password_attribute: 'password_of_another_one' }),
      await api.patch(`${path}${used.pk}/`, elsewhere),
      await api.post(path, provider({ ...basic, basic_auth_enabled: true })),
    ];
    for (const { status, body } of refused)
      expect([status, body.detail, body.required]).toEqual([403, refusalOfSync, 'svc_core.view_group']);
    expect((await api.patch(`${path}${used.pk}/`, { name: unique('proxied') })).status).toBe(200);
    expect((await api.post(path, provider())).status).toBe(201);
    const seeing = await server().user([...rights, 'svc_core.view_user', 'svc_core.view_group']);
    expect((await seeing.api.patch(`${path}${used.pk}/`, elsewhere)).status).toBe(200);
    expect((await api.patch(`${path}${used.pk}/`, { basic_auth_enabled: false })).status).toBe(200);
  });

  test('attributes of users, by the shipped mapping for proxies in the tokens of a client', async () => {
    const path = '/providers/oauth2/';
    const managed = 'gatehouse/providers/oauth2/scope-gatehouse_proxy';
    const list = await server().admin.get(`/propertymappings/provider/scope/?managed=${managed}`);
    const mapping = list.body.results[0].pk;
    const rights = ['view', 'add', 'change'].map((verb) => `svc_providers_oauth2.${verb}_oauth2provider`);
    const seesMappings = 'svc_core.view_propertymapping';
    const { api } = await server().user([...rights, seesMappings]);
    const client = (property_mappings: string[]) => ({ name: unique('client'), redirect_uris: [], property_mappings });
    const { pk } = await made(server(), path, client([]));
    for (const { status, body } of [
      await api.patch(`${path}${pk}/`, { property_mappings: [mapping] }),
      await api.post(path, client([mapping])),
    ])
      expect([status, body.detail, body.required]).toEqual([403, refusalOfSync, 'svc_core.view_user']);
    const seeing = await server().user([...rights, seesMappings, 'svc_core.view_user', 'svc_core.view_group']);
    expect((await seeing.api.patch(`${path}${pk}/`, { property_mappings: [mapping] })).status).toBe(200);
    expect((await api.patch(`${path}${pk}/`, { name: unique('client') })).status).toBe(200);
  });

  const credentials = { client_email: 'sync@example.com', private_key: 'a key' };
  test.each([
    [
      'scim',
      'svc_providers_scim',
      'scimprovider',
      { url: 'https://scim.example.com/v2', token: 'a token' },
      [{ url: 'https://evil.example.com/v2', token: 'my own' }],
    ],
    [
      'cloud_directory',
      'svc_providers_cloud_directory',
      'clouddirectoryprovider',
      { client_id: 'app', client_secret: 'a secret', tenant_id: 'ours' },
      [
        { tenant_id: 'mine', client_secret: 'my own' },
        { graph_url: 'https://evil.example.com/', client_secret: 'my own' },
      ],
    ],
    [
      'workspace_directory',
      'svc_providers_workspace_directory',
      'workspacedirectoryprovider',
      { delegated_subject: 'admin@example.com', credentials, default_group_email_domain: 'example.com' },
      [{ credentials: { ...credentials, private_key: 'my own' } }, { delegated_subject: 'me@evil.example.com' }],
    ],
  ])(
    'users and groups, by another target of a provider or without its limits: %s',
    async (path, app, model, values, changes) => {
      const { pk } = await made(server(), `/providers/${path}/`, { name: unique('provider'), ...values });
      const at = `/providers/${path}/${pk}/`;
      const rights = ['add', 'change', 'view']
        .map((verb) => `${app}.${verb}_${model}`)
        .concat('svc_core.add_application');
      const create = (api: Api) => api.post(`/providers/${path}/`, { name: unique('provider'), ...values });
      for (const seen of [[], ['svc_core.view_user'], ['svc_core.view_group']]) {
        const { api } = await server().user([...rights, ...seen]);
        // One that no application uses sends nothing.
        const own = await create(api);
        expect(own.status).toBe(201);
        for (const attached of [{ backchannel_providers: [own.body.pk] }, { provider: own.body.pk }]) {
          const { status, body } = await api.post('/core/applications/', application(attached));
          expect([status, body.detail]).toEqual([403, refusalOfSync]);
        }
        const one = { sync_object_model: 'svc.core.models.User', sync_object_id: '1' };
        const answers = [await api.post(`${at}sync/object/?dry_run=true`, one), await api.get(`${at}sync/ledger/`)];
        expect(answers.map(({ body }) => body.detail)).toEqual([refusalOfSync, refusalOfSync]);
        for (const change of changes) {
          const { status, body } = await api.patch(at, change);
          expect([status, body.detail], JSON.stringify(change)).toEqual([403, refusalOfSync]);
        }
        expect((await api.patch(at, { name: unique('provider') })).status).toBe(200);
      }
      const { pk: filter_group } = await made(server(), '/core/groups/', { name: unique('group') });
      await server().admin.patch(at, { filter_group });
      const deleter = await server().user(['svc_core.delete_group', 'svc_core.view_group']);
      for (const { api } of [deleter, { api: server().admin }]) {
        const { status, body } = await api.delete(`/core/groups/${filter_group}/`);
        expect([status, body.non_field_errors]).toEqual([400, [expect.stringContaining('depends on it')]]);
      }
      await server().admin.patch(at, { filter_group: null });
      expect((await deleter.api.delete(`/core/groups/${filter_group}/`)).status).toBe(204);
      const seeing = await server().user([...rights, 'svc_core.view_user', 'svc_core.view_group']);
      for (const change of changes) expect((await seeing.api.patch(at, change)).status).toBe(200);
      const attached = { backchannel_providers: [(await create(seeing.api)).body.pk] };
      expect((await seeing.api.post('/core/applications/', application(attached))).status).toBe(201);
    },
  );
});
