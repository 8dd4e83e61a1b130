import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { mappingsOf } from '../../support/oauth2.ts';
import { makeApplication, makeFlow, makeProvider } from '../../support/providers.ts';
import { describeOnBoth } from '../../support/server.ts';

const path = '/providers/oauth2/';
const redirect_uris = [{ matching_mode: 'strict', url: 'https://app.example/callback' }];

describeOnBoth('OAuth2 providers', (server) => {
  test('a new provider has every member and every default', async () => {
    const flow = await makeFlow(server());
    const { status, body } = await server().admin.post(path, {
      name: 'plain',
      authorization_flow: flow,
      redirect_uris,
    });
    expect(status).toBe(201);
    const usual = await mappingsOf(server(), ['openid', 'email', 'profile', 'offline_access']);
    expect(body).toEqual({
      pk: body.pk,
      name: 'plain',
      authentication_flow: null,
      invalidation_flow: null,
      authorization_flow: flow,
      property_mappings: expect.toSatisfy(
        (pks: string[]) => new Set(pks).symmetricDifference(new Set(usual)).size === 0,
      ),
      component: 'xak-provider-oauth2-form',
      assigned_application_slug: '',
      assigned_application_name: '',
      assigned_backchannel_application_slug: '',
      assigned_backchannel_application_name: '',
      verbose_name: 'OAuth2/OpenID Provider',
      verbose_name_plural: 'OAuth2/OpenID Providers',
      meta_model_name: 'svc_providers_oauth2.oauth2provider',
      client_type: 'confidential',
      client_id: expect.stringMatching(/^[A-Za-z0-9]{40}$/),
      client_secret: expect.stringMatching(/^[A-Za-z0-9]{128}$/),
      previous_secret_expires: null,
      access_code_validity: 'minutes=1',
      access_token_validity: 'hours=1',
      refresh_token_validity: 'days=30',
      include_claims_in_id_token: true,
      signing_key: null,
      id_token_signed_response_alg: 'auto',
      audience_clients: [],
      resources: [],
      redirect_uris,
      sub_mode: 'hashed_user_id',
      issuer_mode: 'per_provider',
      jwks_sources: [],
      jwks: {},
      jwks_uri: '',
      security_profile: 'standard',
      require_signed_request_object: false,
      grant_types: [
        'authorization_code',
        'refresh_token',
        'client_credentials',
        'urn:ietf:params:oauth:grant-type:device_code',
        'urn:ietf:params:oauth:grant-type:token-exchange',
      ],
      post_logout_redirect_uris: [],
      backchannel_logout_uri: '',
      frontchannel_logout_uri: '',
    });
    expect((await server().admin.get(`${path}${body.pk}/`)).body).toEqual(body);
  });

  test('configured defaults apply only to members that are absent on create', async () => {
    const { admin } = server();
    const authorization_flow = await makeFlow(server());
    const bare = { name: 'bare', authorization_flow, redirect_uris, signing_key: null, property_mappings: [] };
    const { body } = await admin.post(path, bare);
    expect([body.signing_key, body.property_mappings]).toEqual([null, []]);
    for (const again of [
      await admin.patch(`${path}${body.pk}/`, { name: 'still bare' }),
      await admin.put(`${path}${body.pk}/`, { name: 'bare', authorization_flow, redirect_uris }),
    ]) {
      expect([again.status, again.body.signing_key, again.body.property_mappings]).toEqual([200, null, []]);
    }
  });

  test('the client secret is sealed, masked in events, and may be empty for a public client', async () => {
    const made = await makeProvider(server(), { client_secret: 'known-client-secret' });
    const { rows } = await sql<{ client_secret: string }>`select client_secret from provider_oauth2
      where pk = ${made.pk}`.execute(server().world.db.read);
    expect(rows[0]?.client_secret).not.toContain('known-client-secret');
    expect((await server().admin.get('/events/events/?page_size=1000')).text).not.toContain('known-client-secret');
    const emptied = await server().admin.patch(`${path}${made.pk}/`, { client_type: 'public', client_secret: '' });
    expect(emptied.body.client_secret).toBe('');
  });

  test('PUT keeps members that it does not name', async () => {
    const made = await makeProvider(server(), { client_type: 'public', sub_mode: 'user_email' });
    const { name, authorization_flow } = made;
    const { status, body } = await server().admin.put(`${path}${made.pk}/`, {
      name,
      authorization_flow,
      redirect_uris: [],
    });
    expect(status).toBe(200);
    expect(body).toEqual({ ...made, redirect_uris: [] });
  });

  test('bad bodies are refused with every complaint', async () => {
    const { admin } = server();
    const taken = await makeProvider(server());
    const bare = await admin.post('/crypto/certificatekeypairs/generate/', {
      common_name: `bare ${taken.pk}`,
      validity_days: 1,
      alg: 'ecdsa',
    });
    await admin.patch(`/crypto/certificatekeypairs/${bare.body.pk}/`, { key_data: '' });
    const missing = '00000000-0000-0000-0000-000000000000';
    const good = { name: 'refused', authorization_flow: taken.authorization_flow, redirect_uris };
    const refusals: [Record<string, unknown>, Record<string, unknown>][] = [
      [{ name: taken.name }, { name: ['provider with this name already exists.'] }],
      [{ client_id: taken.client_id }, { client_id: ['OAuth2/OpenID Provider with this Client ID already exists.'] }],
      [{ client_id: 'x'.repeat(256) }, { client_id: ['Ensure this field has no more than 255 characters.'] }],
      [{ authorization_flow: null }, { authorization_flow: ['This field may not be null.'] }],
      [{ authorization_flow: missing }, { authorization_flow: [`Invalid pk "${missing}" - object does not exist.`] }],
      [
        { access_token_validity: 'soon' },
        { access_token_validity: ["soon is not in the correct format of 'hours=3;minutes=1'."] },
      ],
      [
        { client_type: 'secret', sub_mode: 'x', issuer_mode: 5 },
        {
          client_type: [expect.stringContaining('"secret" is not a valid choice.')],
          sub_mode: [expect.stringContaining('"x" is not a valid choice.')],
          issuer_mode: [expect.stringContaining('"5" is not a valid choice.')],
        },
      ],
      [
        { redirect_uris: [{ matching_mode: 'regex', url: 'https://(' }] },
        { redirect_uris: ['Invalid Regex Pattern: https://('] },
      ],
      [{ redirect_uris: 'https://x' }, { redirect_uris: ['Expected a list of items but got type "str".'] }],
      [
        { redirect_uris: [{ matching_mode: 'strict', url: 'https://x' }, { url: '' }] },
        { redirect_uris: { 1: ['matching_mode: This field is required.', 'url: This field may not be blank.'] } },
      ],
      [
        { redirect_uris: [{ matching_mode: 'strict', url: 'javascript:alert(1)' }] },
        { redirect_uris: { 0: ['url: URLs of this scheme are not allowed: javascript:alert(1)'] } },
      ],
      [{ property_mappings: [missing] }, { property_mappings: [`Invalid pk "${missing}" - object does not exist.`] }],
      [{ jwks_sources: [missing] }, { jwks_sources: [`Invalid pk "${missing}" - object does not exist.`] }],
      ...['access_code_validity', 'access_token_validity', 'refresh_token_validity'].flatMap((name) =>
        ['hours=-1', 'seconds=0'].map((value): [Record<string, unknown>, Record<string, unknown>] => [
          { [name]: value },
          { [name]: ['This must be a length of time above zero.'] },
        ]),
      ),
      [
        { signing_key: bare.body.pk },
        { signing_key: ['Tokens can only be signed with a pair that has a private key.'] },
      ],
    ];
    for (const [change, complaints] of refusals) {
      const { status, body } = await admin.post(path, { ...good, ...change });
      expect([status, body]).toEqual([400, complaints]);
    }
    expect((await admin.post(path, {})).body).toEqual({
      name: ['This field is required.'],
      redirect_uris: ['This field is required.'],
    });
  });

  test('an application gives its provider a slug, a name and its own addresses', async () => {
    const { admin, world } = server();
    const made = await makeProvider(server());
    const root = `${world.config.publicUrl}/application/o/`;
    const urls = async () => (await admin.get(`${path}${made.pk}/setup_urls/`)).body;
    const at = (base: string) => ({
      authorize: `${base}authorize/`,
      token: `${base}token/`,
      user_info: `${base}userinfo/`,
    });
    expect(await urls()).toEqual({ ...at(root), issuer: '', provider_info: '', logout: '', jwks: '' });
    const application = await makeApplication(server(), { provider: made.pk });
    const { slug, name } = application;
    expect((await admin.get(`${path}${made.pk}/`)).body).toMatchObject({
      assigned_application_slug: slug,
      assigned_application_name: name,
      assigned_backchannel_application_slug: '',
    });
    expect(await urls()).toEqual({
      ...at(`${root}${slug}/`),
      issuer: `${root}${slug}/`,
      provider_info: `${root}${slug}/.well-known/openid-configuration`,
      logout: `${root}${slug}/end-session/`,
      jwks: `${root}${slug}/jwks/`,
    });
    await admin.patch(`${path}${made.pk}/`, { issuer_mode: 'global' });
    expect(await urls()).toEqual({
      ...at(root),
      issuer: `${world.config.publicUrl}/`,
      provider_info: `${world.config.publicUrl}/.well-known/openid-configuration`,
      logout: `${root}end-session/`,
      jwks: `${root}jwks/`,
    });
    expect((await admin.get(`${path}?application=${application.pk}`)).body.results).toHaveLength(1);
    expect((await admin.get(`${path}?application=${crypto.randomUUID()}`)).body.results).toEqual([]);
    expect((await admin.get(`${path}?application=x`)).body).toEqual({ application: ['Enter a valid UUID.'] });
  });

  test('the list is narrowed by every filter', async () => {
    const { admin } = server();
    const pair = await admin.post('/crypto/certificatekeypairs/generate/', {
      common_name: 'signs',
      validity_days: 1,
      alg: 'ecdsa',
    });
    const mapping = await admin.post('/propertymappings/provider/scope/', {
      name: 'filtered by',
      scope_name: 'filtered',
      expression: 'return {}',
    });
    const special = {
      name: 'special',
      client_id: 'special-client',
      client_type: 'public',
      access_code_validity: 'minutes=7',
      access_token_validity: 'hours=7',
      refresh_token_validity: 'days=7',
      include_claims_in_id_token: false,
      issuer_mode: 'global',
      sub_mode: 'user_upn',
      signing_key: pair.body.pk,
      property_mappings: mapping.body.pk,
    };
    const made = await makeProvider(server(), { ...special, property_mappings: [mapping.body.pk] });
    await makeProvider(server());
    for (const [name, value] of Object.entries({ ...special, authorization_flow: made.authorization_flow })) {
      const { status, body } = await admin.get(`${path}?${name}=${value}`);
      expect([name, status]).toEqual([name, 200]);
      const found: { pk: number }[] = body.results;
      expect([name, found.map(({ pk }) => pk)]).toEqual([name, expect.arrayContaining([made.pk])]);
      expect(found.length).toBeLessThan((await admin.get(path)).body.pagination.count);
    }
  });

  test('a preview shows the claims of a user whom the caller may preview', async () => {
    const { admin } = server();
    const mapping = await admin.post('/propertymappings/provider/scope/', {
      name: `preview ${Math.random()}`,
      scope_name: 'hello',
      expression: 'return { hello: request.user.username, sub: "forged", from: provider.name }',
    });
    const made = await makeProvider(server(), { property_mappings: [mapping.body.pk], sub_mode: 'user_username' });
    const seen = await server().user([], { username: `seen-${made.pk}` });
    const preview = async (api = admin, query = '') => {
      const { status, body } = await api.get(`${path}${made.pk}/preview_user/${query}`);
      return { status, body, preview: body.preview };
    };
    const own = await preview();
    expect(own.status).toBe(200);
    expect(own.preview).toMatchObject({ hello: 'admin', sub: 'admin', aud: made.client_id, from: made.name });
    expect(own.preview.exp - own.preview.iat).toBe(3600);
    expect((await preview(admin, `?for_user=${seen.pk}`)).preview).toMatchObject({ hello: seen.username });

    const viewer = await server().user(['svc_providers_oauth2.view_oauth2provider']);
    const notFound = { for_user: ['User not found'] };
    expect((await preview(viewer.api)).preview.hello).toBe(viewer.username);
    expect((await preview(viewer.api, `?for_user=${seen.pk}`)).body).toEqual(notFound);
    expect((await preview(admin, '?for_user=99999999999')).body).toEqual(notFound);
    expect((await preview(admin, '?for_user=x')).body).toEqual({ for_user: ['input must be numerical'] });
    const previewer = await server().user(['svc_providers_oauth2.view_oauth2provider', 'svc_core.preview_user']);
    expect((await preview(previewer.api, `?for_user=${seen.pk}`)).preview.hello).toBe(seen.username);
    expect((await preview((await server().user()).api)).status).toBe(403);

    await admin.patch(`${path}${made.pk}/`, { include_claims_in_id_token: false });
    expect((await preview()).preview).not.toHaveProperty('hello');
    await admin.patch(`/propertymappings/provider/scope/${mapping.body.pk}/`, { expression: 'return nothing.there' });
    expect((await preview()).body).toEqual({ non_field_errors: [expect.stringContaining('nothing')] });
  });
});
