import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { makeApplication } from '../../support/providers.ts';
import { describeOnBoth } from '../../support/server.ts';

const path = '/providers/workspace_directory/';
const credentials = { type: 'service_account', private_key: 'the-directory-private-key' };
const minimal = { delegated_subject: 'admin@example.com', credentials, default_group_email_domain: 'example.com' };

describeOnBoth('workspace directory providers', (server) => {
  test('a new provider has every member and every default', async () => {
    const { status, body } = await server().admin.post(path, { name: 'plain', ...minimal });
    expect(status).toBe(201);
    expect(body).toEqual({
      pk: expect.any(Number),
      name: 'plain',
      property_mappings: [],
      property_mappings_group: [],
      component: 'xak-provider-workspace-directory-form',
      assigned_backchannel_application_slug: '',
      assigned_backchannel_application_name: '',
      verbose_name: 'Workspace Directory Provider',
      verbose_name_plural: 'Workspace Directory Providers',
      meta_model_name: 'svc_providers_workspace_directory.workspacedirectoryprovider',
      delegated_subject: 'admin@example.com',
      credentials,
      scopes: [
        'https://www.googleapis.com/auth/admin.directory.user',
        'https://www.googleapis.com/auth/admin.directory.group',
        'https://www.googleapis.com/auth/admin.directory.group.member',
        'https://www.googleapis.com/auth/admin.directory.domain.readonly',
      ].join(','),
      exclude_users_service_account: false,
      filter_group: null,
      user_delete_action: 'delete',
      group_delete_action: 'delete',
      default_group_email_domain: 'example.com',
    });
    const events = await server().admin.get('/events/events/?action=model_created&page_size=1000');
    const ours = events.body.results.filter(
      ({ context }: { context: { model: { pk: unknown; model_name: string } } }) =>
        context.model.model_name === 'workspacedirectoryprovider' && context.model.pk === body.pk,
    );
    expect(ours).toHaveLength(1);
    expect(JSON.stringify(ours)).not.toContain('the-directory-private-key');
  });

  test('every optional member is taken', async () => {
    const { admin } = server();
    const group = await admin.post('/core/groups/', { name: `filter ${Math.random()}` });
    const mapping = await admin.post('/propertymappings/provider/workspace_directory/', {
      name: `mapping ${Math.random()}`,
      expression: 'return {}',
    });
    const values = {
      name: 'whole',
      ...minimal,
      property_mappings: [mapping.body.pk],
      property_mappings_group: [mapping.body.pk],
      scopes: 'a,b',
      exclude_users_service_account: true,
      filter_group: group.body.pk,
      user_delete_action: 'suspend',
      group_delete_action: 'do_nothing',
    };
    const { body } = await admin.post(path, values);
    expect(body).toMatchObject(values);
    for (const query of [
      'name=whole',
      'exclude_users_service_account=true',
      `filter_group=${group.body.pk}`,
      'delegated_subject=admin@example.com&name=whole',
    ]) {
      const found = (await admin.get(`${path}?${query}`)).body.results.map(({ pk }: { pk: number }) => pk);
      expect(found).toEqual([body.pk]);
    }
    expect((await admin.put(`${path}${body.pk}/`, { name: 'whole', ...minimal })).body).toEqual(body);
  });

  test('credentials are an object with any members, and are sealed', async () => {
    const { admin, world } = server();
    for (const [index, value] of [{ a: [1, { b: null }] }, {}].entries()) {
      const { status, body } = await admin.post(path, { ...minimal, name: `any ${index}`, credentials: value });
      expect([status, body.credentials]).toEqual([201, value]);
    }
    for (const credentials of [[], 'text', 7, false, '', '{}']) {
      const { status, body } = await admin.post(path, { ...minimal, name: 'no object', credentials });
      const complaint = 'Value must be a dictionary, and not have any duplicate keys.';
      expect([credentials, status, body]).toEqual([credentials, 400, { credentials: [complaint] }]);
    }
    const refused = await admin.post(path, { ...minimal, name: 'null', credentials: null });
    expect(refused.body).toEqual({ credentials: ['This field may not be null.'] });
    const { rows } = await sql<{ credentials: string }>`select credentials from provider_workspace_directory`.execute(
      world.db.read,
    );
    for (const row of rows) expect(row.credentials).not.toContain('service_account');
  });

  test('bad bodies are refused with every complaint', async () => {
    const { admin } = server();
    const required = ['This field is required.'];
    expect((await admin.post(path, {})).body).toEqual({
      name: required,
      delegated_subject: required,
      credentials: required,
      default_group_email_domain: required,
    });
    await admin.post(path, { ...minimal, name: 'taken' });
    const missing = '00000000-0000-0000-0000-000000000000';
    const refusals: [Record<string, unknown>, Record<string, unknown>][] = [
      [{ name: 'taken' }, { name: ['provider with this name already exists.'] }],
      [{ name: ' ' }, { name: ['This field may not be blank.'] }],
      [{ delegated_subject: 'nobody' }, { delegated_subject: ['Enter a valid email address.'] }],
      [
        { delegated_subject: `${'a'.repeat(250)}@example.com` },
        { delegated_subject: ['Ensure this field has no more than 254 characters.'] },
      ],
      [
        { scopes: '', default_group_email_domain: '' },
        { scopes: ['This field may not be blank.'], default_group_email_domain: ['This field may not be blank.'] },
      ],
      [
        { user_delete_action: 'forget' },
        { user_delete_action: [expect.stringContaining('"forget" is not a valid choice.')] },
      ],
      [{ filter_group: missing }, { filter_group: [`Invalid pk "${missing}" - object does not exist.`] }],
      [{ property_mappings_group: ['x'] }, { property_mappings_group: ['“x” is not a valid UUID.'] }],
      [{ exclude_users_service_account: 'x' }, { exclude_users_service_account: ['Must be a valid boolean.'] }],
    ];
    for (const [change, complaints] of refusals) {
      const { status, body } = await admin.post(path, { ...minimal, name: 'refused', ...change });
      expect([status, body]).toEqual([400, complaints]);
    }
  });

  test('creating one requires permission to add', async () => {
    const body = { ...minimal, name: 'by another' };
    expect((await server().nobody.post(path, body)).status).toBe(403);
    expect((await (await server().user()).api.post(path, body)).status).toBe(403);
    const adder = await server().user(['svc_providers_workspace_directory.add_workspacedirectoryprovider']);
    expect((await adder.api.post(path, body)).status).toBe(201);
    expect((await adder.api.get(path)).status).toBe(403);
  });

  test('the ledger complains of keys that are none', async () => {
    const { body: provider } = await server().admin.post(path, { name: 'ledger', ...minimal });
    for (const [name, text, complaint] of [
      ['user', 'ab', 'Enter a number.'],
      ['group', 'nobody', 'Enter a valid UUID.'],
      ['after', 'nowhere', 'Enter a valid UUID.'],
      ['after', '\0', 'Null characters are not allowed.'],
    ] as const) {
      const query = new URLSearchParams({ [name]: text });
      const { status, body } = await server().admin.get(`${path}${provider.pk}/sync/ledger/?${query}`);
      expect([status, body]).toEqual([400, { [name]: [complaint] }]);
    }
  });

  test('a provider names the application that it serves as a backchannel', async () => {
    const { admin } = server();
    const { body } = await admin.post(path, { ...minimal, name: 'serves' });
    const { slug, name } = await makeApplication(server(), { backchannel_providers: [body.pk] });
    expect((await admin.get(`${path}${body.pk}/`)).body).toMatchObject({
      assigned_backchannel_application_slug: slug,
      assigned_backchannel_application_name: name,
    });
    const second = await admin.post('/core/applications/', { name: 'n', slug: 'n', backchannel_providers: [body.pk] });
    expect(second.body).toEqual({
      backchannel_providers: [`Provider ${body.pk} is a backchannel provider of another application.`],
    });
  });

  test('link records name a remote object', async () => {
    const { admin } = server();
    const provider = (await admin.post(path, { ...minimal, name: 'links' })).body.pk;
    const linked = await server().user();
    const group = (await admin.post('/core/groups/', { name: `linked ${Math.random()}` })).body;
    const users = '/providers/workspace_directory_users/';
    const groups = '/providers/workspace_directory_groups/';
    const link = await admin.post(users, { google_id: 'remote-1', user: linked.pk, provider });
    expect(link.status).toBe(201);
    expect(link.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      google_id: 'remote-1',
      user: linked.pk,
      user_obj: expect.objectContaining({ pk: linked.pk, username: linked.username }),
      provider,
      attributes: {},
    });
    expect(link.body.user_obj).not.toHaveProperty('groups');
    const groupLink = await admin.post(groups, { google_id: 'remote-2', group: group.pk, provider });
    expect(groupLink.body).toMatchObject({ group: group.pk, group_obj: { name: group.name }, attributes: {} });
    expect(groupLink.body.group_obj).not.toHaveProperty('users');
    const again = await admin.post(users, { google_id: 'remote-1', user: linked.pk, provider });
    expect([again.status, again.body]).toEqual([
      400,
      { non_field_errors: ['The fields google_id, user, provider must make a unique set.'] },
    ]);
    const oauth2 = await admin.get(`${users}?provider__id=${provider}&user__username=${linked.username}`);
    expect(oauth2.body.results).toEqual([link.body]);
    expect((await admin.get(`${users}?user__id=${linked.pk}`)).body.results).toHaveLength(1);
    expect((await admin.get(`${groups}?group__name=${group.name}`)).body.results).toHaveLength(1);
    expect((await admin.get(`${groups}?group__group_uuid=${group.pk}`)).body.results).toHaveLength(1);
    expect((await admin.patch(`${users}${link.body.id}/`, { google_id: 'x' })).status).toBe(405);
    expect((await admin.delete(`${users}${link.body.id}/`)).status).toBe(204);
    expect((await admin.get(`${users}${link.body.id}/`)).status).toBe(404);
  });
});
