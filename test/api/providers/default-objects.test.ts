import { expect, test } from 'vitest';
import { makeProvider } from '../../support/providers.ts';
import { describeOnBoth } from '../../support/server.ts';

const scopes = '/propertymappings/provider/scope/';
const workspace = '/propertymappings/provider/workspace_directory/';

describeOnBoth('a fresh install', (server) => {
  test('a fresh install has a signing certificate', async () => {
    const { body } = await server().admin.get('/crypto/certificatekeypairs/?has_key=true');
    expect(body.results).toHaveLength(1);
    expect(body.results[0]).toMatchObject({
      name: 'Gatehouse Self-signed Certificate',
      cert_subject: 'CN=Gatehouse Self-signed Certificate',
      private_key_type: 'rsa',
    });
    const days = (Date.parse(body.results[0].cert_expiry) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(364);
    expect(days).toBeLessThan(366);
  });

  test('a fresh install has mappings for the standard scopes', async () => {
    const { admin } = server();
    const { results } = (await admin.get(scopes)).body;
    expect(results.map(({ scope_name }: { scope_name: string }) => scope_name).sort()).toEqual([
      'address',
      'email',
      'gatehouse/api',
      'gatehouse_proxy',
      'offline_access',
      'openid',
      'phone',
      'profile',
    ]);
    const provider = await makeProvider(server(), {
      property_mappings: results.map(({ pk }: { pk: string }) => pk),
      signing_key: (await admin.get('/crypto/certificatekeypairs/')).body.results[0].pk,
    });
    const person = await server().user([], { name: 'Ada Lovelace', email: 'ada@example.com', attributes: { a: 2 } });
    await admin.post('/core/groups/', { name: `Engine ${person.pk}`, users: [person.pk], attributes: { a: 1, b: 1 } });
    const { preview } = (await admin.get(`/providers/oauth2/${provider.pk}/preview_user/?for_user=${person.pk}`)).body;
    expect(preview).toMatchObject({
      sub: (await admin.get(`/core/users/${person.pk}/`)).body.uid,
      email: 'ada@example.com',
      email_verified: true,
      name: 'Ada Lovelace',
      preferred_username: person.username,
      groups: [`Engine ${person.pk}`],
      gatehouse_proxy: { user_attributes: { a: 2, b: 1 }, is_superuser: false },
    });
    expect(JSON.stringify(preview)).not.toContain('password');
    await admin.patch(`/core/users/${person.pk}/`, { attributes: { email_verified: true } });
    const again = await admin.get(`/providers/oauth2/${provider.pk}/preview_user/?for_user=${person.pk}`);
    expect(again.body.preview.email_verified).toBe(true);
  });

  test('a fresh install has mappings for the usual SAML attributes', async () => {
    const { admin } = server();
    const provider = (await admin.post('/providers/saml/', { name: 'attributes', acs_url: 'https://sp.example/acs' }))
      .body;
    const person = await server().user([], { name: 'Ada Lovelace', email: 'ada-saml@example.com' });
    const group = `Engine ${person.pk}`;
    await admin.post('/core/groups/', { name: group, users: [person.pk] });
    const preview = async () =>
      (await admin.get(`/providers/saml/${provider.pk}/preview_user/?for_user=${person.pk}`)).body.preview;
    const claims = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims';
    expect(await preview()).toEqual({
      nameID: (await admin.get(`/core/users/${person.pk}/`)).body.uid,
      attributes: [
        {
          Name: 'http://schemas.microsoft.com/ws/2008/06/identity/claims/windowsaccountname',
          Value: [person.username],
        },
        { Name: 'http://schemas.gatehouse/2021/02/saml/uid', Value: [String(person.pk)] },
        { Name: 'http://schemas.gatehouse/2021/02/saml/username', Value: [person.username] },
        { Name: 'http://schemas.xmlsoap.org/claims/Group', Value: [group] },
        { Name: `${claims}/emailaddress`, Value: ['ada-saml@example.com'] },
        { Name: `${claims}/name`, Value: ['Ada Lovelace'] },
        { Name: `${claims}/upn`, Value: ['ada-saml@example.com'] },
      ].sort((one, other) => (one.Name < other.Name ? -1 : 1)),
    });
    await admin.patch(`/core/users/${person.pk}/`, { attributes: { upn: 'ada@corp.example' } });
    expect((await preview()).attributes.at(-1).Value).toEqual(['ada@corp.example']);
  });

  test('a fresh install has mappings for a workspace directory', async () => {
    const { admin } = server();
    const { results } = (await admin.get(workspace)).body;
    const [group, user] = results.map(({ pk }: { pk: string }) => pk);
    const run = async (pk: string, body: Record<string, unknown>) =>
      JSON.parse((await admin.post(`/propertymappings/all/${pk}/test/`, body)).body.result);
    const name = async (full: string) => {
      const { pk } = await server().user([], { name: full, username: `w-${Math.random()}` });
      return run(user, { user: pk });
    };
    expect(await name('Ada King Lovelace')).toEqual({
      name: { fullName: 'Ada King Lovelace', givenName: 'Ada', familyName: 'King Lovelace' },
      suspended: false,
    });
    expect((await name('Plato')).name).toEqual({ fullName: 'Plato', givenName: 'Plato', familyName: 'Plato' });
    const made = await admin.post('/core/groups/', { name: 'Synced' });
    expect(await run(group, { group: made.body.pk })).toEqual({ name: 'Synced' });
  });
});

describeOnBoth('scope mappings', (server) => {
  test('a new mapping has its defaults, and an invalid one is refused', async () => {
    const { admin } = server();
    const body = { name: 'mine', scope_name: 'my:scope', expression: 'return { mine: true }' };
    const made = await admin.post(scopes, body);
    expect([made.status, made.body]).toEqual([
      201,
      {
        pk: made.body.pk,
        managed: null,
        component: 'xak-property-mapping-provider-scope-form',
        verbose_name: 'Scope Mapping',
        verbose_name_plural: 'Scope Mappings',
        meta_model_name: 'svc_providers_oauth2.scopemapping',
        description: '',
        token_sources: [],
        ...body,
      },
    ]);
    expect((await admin.get(`${scopes}?scope_name=my:scope`)).body.results).toEqual([made.body]);
    expect((await admin.get(`${scopes}?managed__isnull=true`)).body.results).toEqual([made.body]);
    const refused = await admin.post(scopes, { name: 'mine', scope_name: '', expression: 'return {' });
    expect([refused.status, refused.body]).toEqual([
      400,
      {
        name: ['Property Mapping with this name already exists.'],
        scope_name: ['This field may not be blank.'],
        expression: [expect.stringMatching(/^Expression Syntax Error: /)],
      },
    ]);
    const taken = await admin.post(workspace, { name: 'mine', expression: 'return {}' });
    expect(taken.body).toEqual({ name: ['Property Mapping with this name already exists.'] });
    const found = await admin.get(`${workspace}?pm_uuid=${made.body.pk}`);
    expect(found.body.results).toEqual([]);
  });
});
