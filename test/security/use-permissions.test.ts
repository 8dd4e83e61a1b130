import { beforeAll, expect, test } from 'vitest';
import { generateCertificate } from '../../src/lib/certificate/generate-certificate.ts';
import type { Api } from '../support/api.ts';
import { made, unique } from '../support/make-walk.ts';
import { describeOnBoth, describeOnSqlite } from '../support/server.ts';

const samlRights = ['view', 'add', 'change'].map((verb) => `svc_providers_saml.${verb}_samlprovider`);
const applicationRights = ['view', 'add', 'change', 'delete'].map((verb) => `svc_core.${verb}_application`);
const acs = () => `https://${unique('sp')}.example.com/acs`;

describeOnSqlite('keys and mappings', (server) => {
  let pair: string;
  let mapping: string;
  beforeAll(async () => {
    const { certificate, key } = await generateCertificate({
      commonName: 'sp.example.com',
      subjectAltNames: [],
      validityDays: 30,
      algorithm: 'rsa',
      rsaBits: 2048,
    });
    const body = { name: unique('pair'), certificate_data: certificate, key_data: key };
    pair = (await made(server(), '/crypto/certificatekeypairs/', body)).pk;
    const attribute = { name: unique('mapping'), saml_name: 'secret', expression: 'return user.attributes' };
    mapping = (await made(server(), '/propertymappings/provider/saml/', attribute)).pk;
  });
  const provider = (more: object = {}) => ({ name: unique('saml'), acs_url: acs(), audience: unique('sp'), ...more });

  test('are used by providers with the right to use them, and refused otherwise with its name', async () => {
    const seeing = ['svc_crypto.view_certificatekeypair', 'svc_providers_saml.view_samlpropertymapping'];
    for (const [member, value, right] of [
      ['signing_kp', pair, 'svc_crypto.use_certificatekeypair'],
      ['verification_kp', pair, 'svc_crypto.use_certificatekeypair'],
      ['property_mappings', [mapping], 'svc_providers_saml.use_samlpropertymapping'],
      ['name_id_mapping', mapping, 'svc_providers_saml.use_samlpropertymapping'],
    ] as const) {
      const { api } = await server().user([...samlRights, ...seeing]);
      const body = provider({ [member]: value });
      const refused = await api.post('/providers/saml/', body);
      expect([member, refused.status, refused.body.required]).toEqual([member, 403, right]);
      const own = await api.post('/providers/saml/', provider());
      expect(own.status).toBe(201);
      expect((await api.patch(`/providers/saml/${own.body.pk}/`, { [member]: value })).status).toBe(403);
      const holder = await server().user([...samlRights, ...seeing, right]);
      expect((await holder.api.post('/providers/saml/', body)).status).toBe(201);
    }
  });

  test('that Gatehouse ships are used by everybody who may create a provider', async () => {
    const { results } = (await server().admin.get('/propertymappings/provider/saml/?page_size=1')).body;
    const { api } = await server().user(samlRights);
    expect((await api.post('/providers/saml/', provider({ property_mappings: [results[0].pk] }))).status).toBe(201);
  });

  test('are not named to callers who may not see them', async () => {
    const { api } = await server().user(samlRights);
    const { status, body } = await api.post('/providers/saml/', provider({ signing_kp: pair }));
    expect([status, body]).toEqual([
      403,
      {
        detail:
          '“signing_kp” refers to an object that you may not see: that takes the permission svc_crypto.view_certificatekeypair on it, and one to use it.',
        code: 'permission_denied',
        required: 'svc_crypto.view_certificatekeypair',
      },
    ]);
    const outposts = await server().user(['svc_outposts.add_outpost']);
    const { pk } = await made(server(), '/providers/ldap/', {
      name: unique('ldap'),
      base_dn: `dc=${unique('hidden')}`,
    });
    const outpost = { name: unique('outpost'), type: 'ldap', providers: [pk], config: {} };
    const refused = await outposts.api.post('/outposts/instances/', outpost);
    // Which kind of provider it is stays hidden.
    expect([refused.status, refused.body.required]).toEqual([403, 'svc_core.view_provider']);
    expect(refused.text).not.toContain('ldap');
  });

  test('of others cannot be taken over with a copy of an application', async () => {
    const client = { name: unique('client'), redirect_uris: [], signing_key: pair };
    const { pk } = await made(server(), '/providers/oauth2/', client);
    const slug = unique('app');
    await made(server(), '/core/applications/', { name: slug, slug, provider: pk });
    const oauthRights = ['view', 'add', 'change'].map((verb) => `svc_providers_oauth2.${verb}_oauth2provider`);
    const { api } = await server().user([...oauthRights, ...applicationRights]);
    const path = `/core/applications/${slug}/duplicate/`;
    expect((await api.post(path, { name: 'copy', slug: unique('copy') })).status).toBe(403);
  });

  test('cannot be exchanged while a provider uses them that the caller may not change', async () => {
    const { pk } = await made(server(), '/providers/saml/', provider({ property_mappings: [mapping] }));
    const rights = ['view', 'change', 'delete'].map((verb) => `svc_providers_saml.${verb}_samlpropertymapping`);
    const path = `/propertymappings/provider/saml/${mapping}/`;
    const { api } = await server().user([...rights, 'svc_providers_saml.view_samlprovider']);
    const refused = await api.patch(path, { expression: 'return "admin"' });
    expect([refused.status, refused.body.required]).toEqual([403, 'svc_providers_saml.change_samlprovider']);
    expect((await api.delete(path)).status).toBe(403);
    const holder = await server().user([...rights, ...samlRights]);
    expect((await holder.api.patch(path, { expression: 'return "ok"' })).status).toBe(200);
    await server().admin.delete(`/providers/saml/${pk}/`);
  });

  test('the pair of the server is for superusers, and another one does not become it by its name', async () => {
    const rights = ['view', 'add', 'change', 'delete'].map((verb) => `svc_crypto.${verb}_certificatekeypair`);
    const { api } = await server().user(rights);
    const { results } = (await server().admin.get('/crypto/certificatekeypairs/?ordering=name')).body;
    const own = results.find(({ managed }: { managed: string | null }) => managed !== null);
    expect((await api.patch(`/crypto/certificatekeypairs/${own.pk}/`, { name: 'mine' })).status).toBe(403);
    expect((await api.delete(`/crypto/certificatekeypairs/${own.pk}/`)).status).toBe(403);
    await server().admin.patch(`/crypto/certificatekeypairs/${own.pk}/`, { name: 'renamed' });
    const planted = await api.post('/crypto/certificatekeypairs/generate/', {
      common_name: own.name,
      validity_days: 30,
    });
    expect(planted.status).toBe(200);
    const slug = unique('app');
    const { pk } = await made(server(), '/providers/saml/', provider());
    await made(server(), '/core/applications/', { name: slug, slug, provider: pk });
    const metadata = await (await fetch(`${server().url}/application/saml/${slug}/metadata/`)).text();
    const certificate = (await server().admin.get(`/crypto/certificatekeypairs/${own.pk}/view_certificate/`)).body.data;
    expect(metadata.replace(/\s/g, '')).toContain(certificate.replace(/-----[^-]+-----|\s/g, ''));
    expect((await api.delete(`/crypto/certificatekeypairs/${planted.body.pk}/`)).status).toBe(204);
  });
});

describeOnBoth('a SAML provider', (server) => {
  const provider = (more: object = {}) => ({ name: unique('saml'), acs_url: acs(), audience: unique('sp'), ...more });

  test('has an issuer of its own, which only superusers set', async () => {
    const issuer = `https://${unique('idp')}.example.com`;
    const { api } = await server().user(samlRights);
    const refused = await api.post('/providers/saml/', provider({ issuer }));
    expect([refused.status, refused.body.detail]).toEqual([403, expect.stringContaining('Only superusers')]);
    await made(server(), '/providers/saml/', provider({ issuer }));
    const twice = await server().admin.post('/providers/saml/', provider({ issuer }));
    expect([twice.status, twice.body]).toEqual([400, { issuer: ['Another provider has this issuer.'] }]);
    const { pk } = await made(server(), '/providers/saml/', provider());
    const slug = unique('app');
    await made(server(), '/core/applications/', { name: slug, slug, provider: pk });
    const other = (await server().admin.get(`/providers/saml/${pk}/`)).body.url_download_metadata;
    expect((await server().admin.post('/providers/saml/', provider({ issuer: other }))).status).toBe(400);
  });

  test('has an audience of its own, if a delegate creates it with the key of others', async () => {
    const audience = unique('https://sp.example.com');
    await made(server(), '/providers/saml/', provider({ audience }));
    const { api } = await server().user(samlRights);
    const refused = await api.post('/providers/saml/', provider({ audience }));
    expect([refused.status, Object.keys(refused.body)]).toEqual([400, ['audience']]);
    const own = await api.post('/providers/saml/', provider());
    expect(own.status).toBe(201);
    expect((await api.patch(`/providers/saml/${own.body.pk}/`, { audience })).status).toBe(400);
    expect((await api.patch(`/providers/saml/${own.body.pk}/`, { acs_url: acs() })).status).toBe(200);
    expect((await server().admin.post('/providers/saml/', provider({ audience }))).status).toBe(201);
  });
});

describeOnBoth('a provider', (server) => {
  const client = (more: object = {}) => ({ name: unique('client'), redirect_uris: [], ...more });
  const application = (more: object = {}) => {
    const slug = unique('app');
    return { name: slug, slug, ...more };
  };
  let delegate: Api;
  beforeAll(async () => {
    delegate = (await server().user([...applicationRights, 'svc_providers_oauth2.view_oauth2provider'])).api;
  });

  test('is given to an application with the right to change it', async () => {
    const { pk } = await made(server(), '/providers/oauth2/', client());
    const refused = await delegate.post('/core/applications/', application({ provider: pk }));
    expect([refused.status, refused.body.required]).toEqual([403, 'svc_providers_oauth2.change_oauth2provider']);
    const behind = await delegate.post('/core/applications/', application({ backchannel_providers: [pk] }));
    expect(behind.status).toBe(403);
    const holder = await server().user([...applicationRights, 'svc_providers_oauth2.change_oauth2provider']);
    expect((await holder.api.post('/core/applications/', application({ provider: pk }))).status).toBe(201);
  });

  test('is created together with its application without that right', async () => {
    const { api } = await server().user([...applicationRights, 'svc_providers_oauth2.add_oauth2provider']);
    const { status } = await api.put('/core/transactional/applications/', {
      app: application(),
      provider_model: 'svc_providers_oauth2.oauth2provider',
      provider: client(),
    });
    expect(status).toBe(200);
  });

  test('is taken from an application with bindings by those who may delete these', async () => {
    const { pk } = await made(server(), '/providers/oauth2/', client());
    const guarded = await made(server(), '/core/applications/', application({ provider: pk }));
    const group = await made(server(), '/core/groups/', { name: unique('few') });
    await made(server(), '/policies/bindings/', { target: guarded.pk, group: group.pk, order: 0 });
    const path = `/core/applications/${guarded.slug}/`;
    const rights = [...applicationRights, 'svc_providers_oauth2.change_oauth2provider'];
    const { api } = await server().user(rights);
    for (const answer of [await api.patch(path, { provider: null }), await api.delete(path)])
      expect([answer.status, answer.body.required]).toEqual([403, 'svc_policies.delete_policybinding']);
    expect((await server().admin.get(path)).body.provider).toBe(pk);
    const holder = await server().user([...rights, 'svc_policies.delete_policybinding']);
    expect((await holder.api.patch(path, { provider: null })).status).toBe(200);
  });

  test('a refusal names the permission that the caller lacks', async () => {
    const { pk } = await server().user();
    const helpDesk = await server().user(['svc_core.unassign_user_permissions', 'svc_core.view_user']);
    const path = `/rbac/permissions/assigned_by_users/${pk}/unassign/`;
    expect((await helpDesk.api.patch(path, { permissions: ['svc_core.view_group'] })).body).toEqual({
      detail: 'You do not have permission to perform this action.',
      code: 'permission_denied',
      required: 'svc_core.change_user',
    });
    for (const [method, target, required] of [
      ['POST', '/policies/geoip/', 'svc_policies_geoip.add_geoippolicy'],
      ['GET', '/core/groups/', 'svc_core.view_group'],
      ['PATCH', `/core/users/${pk}/`, 'svc_core.change_user'],
    ] as const)
      expect([
        target,
        (await helpDesk.api.send(method, target, method === 'GET' ? undefined : {})).body.required,
      ]).toEqual([target, required]);
    const { body } = await server().nobody.get('/core/groups/');
    expect(body.required).toBeUndefined();
  });
});
