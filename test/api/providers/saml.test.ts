import { beforeAll, describe, expect, test } from 'vitest';
import { generateCertificate } from '../../../src/lib/certificate/generate-certificate.ts';
import { readMetadata } from '../../../src/lib/saml/metadata.ts';
import { bindings, nameIdFormats } from '../../../src/lib/saml/names.ts';
import type { Answer } from '../../support/api.ts';
import { lastEvents } from '../../support/events.ts';
import { makeFlow } from '../../support/providers.ts';
import { implicitFlow, makeServiceProvider, type SpPair, storePair } from '../../support/saml-sp.ts';
import { describeOnBoth, type TestServer } from '../../support/server.ts';
import { findXmlsec, xmlsecVerify } from '../../support/xmlsec.ts';

const path = '/providers/saml/';
const acs_url = 'https://sp.example/acs';
const hasXmlsec = await findXmlsec();
let rsa: SpPair;
let ec: SpPair;

beforeAll(async () => {
  const request = { commonName: 'pair', subjectAltNames: [], validityDays: 1, rsaBits: 2048 } as const;
  rsa = await generateCertificate({ ...request, algorithm: 'rsa' });
  ec = await generateCertificate({ ...request, algorithm: 'ecdsa' });
});

let count = 0;
const make = ({ admin }: TestServer, values: Record<string, unknown>): Promise<Answer> => {
  count += 1;
  return admin.post(path, { name: `saml ${count}`, acs_url, ...values });
};

describeOnBoth('SAML providers', (server) => {
  test('a new one has every member and every default', async () => {
    const authorization_flow = await makeFlow(server());
    const { status, body } = await server().admin.post(path, { name: 'plain', acs_url, authorization_flow });
    expect(status).toBe(201);
    const { results } = (await server().admin.get('/propertymappings/provider/saml/')).body;
    const managed = results.filter(({ saml_name }: { saml_name: string }) => !saml_name.startsWith('urn:oid:'));
    expect(managed).toHaveLength(7);
    const named = new Set(managed.map(({ pk }: { pk: string }) => pk));
    expect(body).toEqual({
      pk: body.pk,
      name: 'plain',
      authentication_flow: null,
      invalidation_flow: null,
      authorization_flow,
      property_mappings: expect.toSatisfy((pks: string[]) => new Set(pks).symmetricDifference(named).size === 0),
      component: 'xak-provider-saml-form',
      assigned_application_slug: '',
      assigned_application_name: '',
      assigned_backchannel_application_slug: '',
      assigned_backchannel_application_name: '',
      verbose_name: 'SAML Provider',
      verbose_name_plural: 'SAML Providers',
      meta_model_name: 'svc_providers_saml.samlprovider',
      acs_url,
      audience: '',
      issuer: 'gatehouse',
      sp_binding: 'post',
      assertion_valid_not_before: 'minutes=-5',
      assertion_valid_not_on_or_after: 'minutes=5',
      session_valid_not_on_or_after: 'minutes=86400',
      name_id_mapping: null,
      default_name_id_policy: nameIdFormats.unspecified,
      digest_algorithm: 'http://www.w3.org/2001/04/xmlenc#sha256',
      signature_algorithm: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
      signing_kp: null,
      verification_kp: null,
      encryption_kp: null,
      encryption_algorithm: 'http://www.w3.org/2001/04/xmlenc#aes256-cbc',
      sign_assertion: true,
      sign_response: false,
      default_relay_state: '',
      sls_url: '',
      sls_binding: 'redirect',
      logout_method: 'frontchannel',
      url_download_metadata: '-',
      url_sso_post: '-',
      url_sso_redirect: '-',
      url_sso_init: '-',
      url_slo_post: '-',
      url_slo_redirect: '-',
    });
  });

  test('an application gives it addresses, and people a way to begin here', async () => {
    const { provider, application, slug } = await makeServiceProvider(server());
    const { publicUrl } = server().world.config;
    const root = `${publicUrl}/application/saml/${slug}/`;
    expect((await server().admin.get(`${path}${provider.pk}/`)).body).toMatchObject({
      url_download_metadata: `${root}metadata/`,
      url_sso_post: `${root}sso/binding/post/`,
      url_sso_redirect: `${root}sso/binding/redirect/`,
      url_sso_init: `${root}sso/binding/init/`,
      url_slo_post: `${root}slo/binding/post/`,
      url_slo_redirect: `${root}slo/binding/redirect/`,
    });
    const seen = await server().admin.get(`/core/applications/${application.slug}/`);
    expect(seen.body.launch_url).toBe(`${root}sso/binding/init/`);
  });

  test('its issuer reads as in its metadata, and may be sent back', async () => {
    const { admin, world } = server();
    const { provider, slug } = await makeServiceProvider(server());
    const at = `${path}${provider.pk}/`;
    const entityId = async () => {
      const { body } = await admin.get(`${at}metadata/`);
      return /entityID="([^"]*)"/.exec(body.metadata)?.[1];
    };
    const read = (await admin.get(at)).body;
    expect(read.issuer).toBe(`${world.config.publicUrl}/application/saml/${slug}/metadata/`);
    expect(await entityId()).toBe(read.issuer);
    for (const issuer of [read.issuer, 'gatehouse']) {
      const found = (await admin.get(`${path}?${new URLSearchParams({ issuer, name: provider.name })}`)).body.results;
      expect(found.map(({ issuer: shown }: { issuer: string }) => shown)).toEqual([read.issuer]);
    }
    for (const issuer of [read.issuer, 'gatehouse']) {
      const replaced = await admin.put(at, { ...read, issuer });
      expect([replaced.status, replaced.body]).toEqual([200, read]);
      expect((await lastEvents(server(), 1))[0]?.context.diff).toEqual({});
    }
    // It follows the application.
    await admin.patch(`/core/applications/${slug}/`, { slug: `${slug}-renamed` });
    const renamed = (await admin.get(at)).body.issuer;
    expect([renamed, await entityId()]).toEqual([read.issuer.replace(slug, `${slug}-renamed`), renamed]);
    expect((await admin.patch(at, { issuer: read.issuer })).body).toEqual({
      issuer: [expect.stringContaining('Addresses of applications')],
    });
    const own = (await admin.patch(at, { issuer: `urn:own:${slug}` })).body.issuer;
    expect([own, await entityId()]).toEqual([`urn:own:${slug}`, own]);
  });

  const sha1 = 'http://www.w3.org/2000/09/xmldsig#';
  const more = 'http://www.w3.org/2001/04/xmldsig-more#';
  describe('refuses', () => {
    const refusals: [string, Record<string, unknown>, string][] = [
      ['a script as the address of responses', { acs_url: 'javascript:alert(1)' }, 'acs_url'],
      ['a data address', { acs_url: 'data:text/html,x' }, 'acs_url'],
      ['an address that is too long', { acs_url: `https://sp.example/${'x'.repeat(200)}` }, 'acs_url'],
      ['a script as the address of logouts', { sls_url: 'javascript:alert(1)' }, 'sls_url'],
      ['digests by SHA-1', { digest_algorithm: `${sha1}sha1` }, 'digest_algorithm'],
      ['signatures by SHA-1', { signature_algorithm: `${sha1}rsa-sha1` }, 'signature_algorithm'],
      ['signatures by EC with SHA-1', { signature_algorithm: `${more}ecdsa-sha1` }, 'signature_algorithm'],
      ['signatures by DSA', { signature_algorithm: `${sha1}dsa-sha1` }, 'signature_algorithm'],
      ['an algorithm that does not fit the key', { signature_algorithm: `${more}ecdsa-sha256` }, 'signature_algorithm'],
      ['to sign nothing with a key', { sign_assertion: false }, 'non_field_errors'],
      ['assertions that never begin', { assertion_valid_not_before: 'minutes=10' }, 'assertion_valid_not_before'],
      [
        'assertions that are over',
        { assertion_valid_not_on_or_after: 'minutes=-1' },
        'assertion_valid_not_on_or_after',
      ],
      ['a length that is none', { session_valid_not_on_or_after: 'soon' }, 'session_valid_not_on_or_after'],
      ['logouts by redirect behind the scenes', { logout_method: 'backchannel' }, 'sls_binding'],
      ['logouts by SOAP in a browser', { sls_binding: 'soap' }, 'sls_binding'],
      ['an empty issuer', { issuer: '' }, 'issuer'],
    ];
    test.each(refusals)('%s', async (_name, values, member) => {
      const { status, body } = await make(server(), values);
      expect([status, Object.keys(body)]).toEqual([400, [member]]);
    });
  });

  test('a pair that cannot sign or be encrypted for is refused', async () => {
    const certificate = await storePair(server(), { certificate: rsa.certificate });
    expect((await make(server(), { signing_kp: certificate })).body).toEqual({
      signing_kp: ['Only a pair that has a private key can sign.'],
    });
    expect((await make(server(), { encryption_kp: await storePair(server(), ec) })).body).toHaveProperty(
      'encryption_kp',
    );
    expect((await make(server(), { encryption_kp: certificate })).status).toBe(201);
  });

  test.each(['https://intranet/acs', 'http://localhost:8080/acs'])('takes %s, a host without a dot', async (url) => {
    expect((await make(server(), { acs_url: url, sls_url: url })).status).toBe(201);
  });

  test('an EC pair brings an algorithm that fits, and a PATCH of the pair alone looks at the whole', async () => {
    const pair = await storePair(server(), ec);
    const { body } = await make(server(), { signing_kp: null });
    expect(body.signing_kp).toBeNull();
    const { status, body: changed } = await server().admin.patch(`${path}${body.pk}/`, { signing_kp: pair });
    expect([status, changed.signature_algorithm]).toEqual([200, `${more}ecdsa-sha256`]);
  });

  test('a preview is about oneself, or about whom one may preview', async () => {
    const { body } = await make(server(), {});
    const person = await server().user(['svc_providers_saml.view_samlprovider']);
    const other = await server().user();
    const preview = (query: string) => person.api.get(`${path}${body.pk}/preview_user/${query}`);
    expect((await preview('')).body.preview.attributes).toContainEqual({
      Name: 'http://schemas.gatehouse/2021/02/saml/username',
      Value: [person.username],
    });
    expect((await preview(`?for_user=${other.pk}`)).body).toEqual({ for_user: ['User not found'] });
    expect((await preview('?for_user=x')).body).toEqual({ for_user: ['input must be numerical'] });
  });

  test('a mapping that fails is left out of the preview and told', async () => {
    const broken = { name: 'breaks', saml_name: 'broken', expression: 'return nothing.here' };
    const mapping = (await server().admin.post('/propertymappings/provider/saml/', broken)).body.pk;
    const { body } = await make(server(), { property_mappings: [mapping], name_id_mapping: mapping });
    const { preview } = (await server().admin.get(`${path}${body.pk}/preview_user/`)).body;
    expect(preview.attributes).toEqual([]);
    expect(preview.nameID).toMatch(/^[0-9a-f]{64}$/);
    expect(preview.failures.map(({ mapping: name }: { mapping: string }) => name)).toEqual(['breaks', 'breaks']);
  });

  describe('metadata', () => {
    test('is public, names what there is, and is signed', async () => {
      const { provider, slug } = await makeServiceProvider(server(), { name: 'Überraschung & <Söhne>' });
      const { status, body } = await server().nobody.get(`${path}${provider.pk}/metadata/`);
      expect([status, body.download_url]).toEqual([200, `/api/v3${path}${provider.pk}/metadata/?download`]);
      const { publicUrl } = server().world.config;
      const read = readMetadata(body.metadata, 'IDPSSODescriptor');
      expect(read).toMatchObject({
        entityId: `${publicUrl}/application/saml/${slug}/metadata/`,
        wantsSignedRequests: false,
        singleSignOn: [
          { binding: bindings.redirect, location: `${publicUrl}/application/saml/${slug}/sso/binding/redirect/` },
          { binding: bindings.post, location: `${publicUrl}/application/saml/${slug}/sso/binding/post/` },
        ],
        nameIdFormats: [nameIdFormats.email, nameIdFormats.persistent, nameIdFormats.x509, nameIdFormats.transient],
      });
      expect(read.signing).toHaveLength(1);
      if (hasXmlsec) await xmlsecVerify(body.metadata, read.signing[0] ?? '', 'EntityDescriptor');
    });

    test('comes as a file to whoever asks for one or for XML', async () => {
      const { provider } = await makeServiceProvider(server());
      const at = `${path}${provider.pk}/metadata/`;
      const file = await server().nobody.get(`${at}?download`);
      expect(file.headers.get('content-type')).toBe('application/xml; charset=utf-8');
      expect(file.headers.get('content-disposition')).toBe(
        `attachment; filename="${provider.name}_gatehouse_meta.xml"`,
      );
      for (const accept of ['application/xml', 'application/samlmetadata+xml', 'text/xml;q=0.9']) {
        expect((await server().nobody.send('GET', at, undefined, { accept })).text).toBe(file.text);
      }
      expect((await server().nobody.send('GET', '/root/config/', undefined, { accept: 'text/xml' })).status).toBe(406);
    });

    test('tells of one binding when only one is wanted, and that requests must be signed', async () => {
      const verification_kp = await storePair(server(), { certificate: rsa.certificate });
      const { provider } = await makeServiceProvider(server(), { verification_kp, issuer: 'urn:ours' });
      const query = new URLSearchParams({ force_binding: bindings.post });
      const { body } = await server().nobody.get(`${path}${provider.pk}/metadata/?${query}`);
      const read = readMetadata(body.metadata, 'IDPSSODescriptor');
      expect([read.entityId, read.wantsSignedRequests]).toEqual(['urn:ours', true]);
      expect([...read.singleSignOn, ...read.singleLogout].map(({ binding }) => binding)).toEqual([
        bindings.post,
        bindings.post,
      ]);
    });

    test('is empty without an application, and missing without a provider', async () => {
      const { body } = await make(server(), {});
      expect((await server().nobody.get(`${path}${body.pk}/metadata/`)).body.metadata).toBe('');
      expect((await server().nobody.get(`${path}999999/metadata/`)).status).toBe(404);
      expect((await server().nobody.get(`${path}abc/metadata/`)).status).toBe(404);
    });
  });

  describe('an import of metadata', () => {
    const body = (pem: string) => pem.replace(/-----[^-]+-----|\s/g, '');
    const keyOf = (pem: string, use: string, methods = '') =>
      `<KeyDescriptor${use && ` use="${use}"`}><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data>
        <X509Certificate>${body(pem)}</X509Certificate></X509Data></KeyInfo>${methods}</KeyDescriptor>`;
    const consumer = (binding: string, location: string, more = 'index="1"') =>
      `<AssertionConsumerService Binding="${binding}" Location="${location}" ${more}/>`;
    const document = (inside: string, attributes = '') =>
      `<?xml version="1.0"?><EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://sp.example/id">
        <SPSSODescriptor ${attributes}>${inside}</SPSSODescriptor></EntityDescriptor>`;

    async function upload(file: string, flow?: string, api = server().admin): Promise<Answer> {
      count += 1;
      const form = new FormData();
      form.set('name', `imported ${count}`);
      form.set('authorization_flow', flow ?? (await implicitFlow(server())));
      form.set('file', new Blob([file]), 'metadata.xml');
      return api.send('POST', `${path}import_metadata/`, form);
    }
    async function imported(file: string) {
      const answer = await upload(file);
      expect([answer.status, answer.text]).toEqual([204, '']);
      const location = answer.headers.get('location')?.replace('/api/v3', '') ?? '';
      return (await server().admin.get(location)).body;
    }

    test('makes a provider with all that the metadata says', async () => {
      const gcm = '<EncryptionMethod Algorithm="http://www.w3.org/2009/xmlenc11#aes256-gcm"/>';
      const made = await imported(
        document(
          [
            keyOf(rsa.certificate, '', gcm),
            `<SingleLogoutService Binding="${bindings.post}" Location="https://sp.example/slo"/>`,
            `<NameIDFormat>${nameIdFormats.email}</NameIDFormat>`,
            consumer(bindings.post, 'https://sp.example/first', 'index="0"'),
            consumer(bindings.post, 'https://sp.example/default', 'index="5" isDefault="true"'),
          ].join(''),
          'AuthnRequestsSigned="true" WantAssertionsSigned="true"',
        ),
      );
      expect(made).toMatchObject({
        acs_url: 'https://sp.example/default',
        sp_binding: 'post',
        audience: 'https://sp.example/id',
        issuer: 'gatehouse',
        sls_url: 'https://sp.example/slo',
        sls_binding: 'post',
        default_name_id_policy: nameIdFormats.email,
        encryption_algorithm: 'http://www.w3.org/2009/xmlenc11#aes256-gcm',
        sign_assertion: true,
      });
      expect([made.verification_kp, made.encryption_kp]).not.toContain(null);
      expect(made.signing_kp).toBeNull();
      expect(made.property_mappings).toHaveLength(7);
    });

    test('takes signed metadata for what they say: a certificate that they bring themselves proves nothing', async () => {
      const signature = '<ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:SignedInfo/></ds:Signature>';
      const signed = document(consumer(bindings.post, acs_url)).replace('<SPSSO', `${signature}<SPSSO`);
      expect((await imported(signed)).acs_url).toBe(acs_url);
    });

    test('leaves verification out only where requests are not signed', async () => {
      const signs = document(`${keyOf(rsa.certificate, 'signing')}${consumer(bindings.post, acs_url)}`);
      const made = await imported(signs);
      expect([made.verification_kp, made.encryption_kp]).toEqual([null, null]);
      const { status, body: refused } = await upload(
        document(consumer(bindings.post, acs_url), 'AuthnRequestsSigned="1"'),
      );
      expect([status, refused.file[0]]).toEqual([400, expect.stringContaining('no certificate')]);
    });

    test('takes an address that takes POST where the default one is by a binding that we do not speak', async () => {
      const artifact = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Artifact';
      const made = await imported(
        document(`${consumer(artifact, 'https://sp.example/art', 'index="9" isDefault="1"')}
          ${consumer(bindings.redirect, 'https://sp.example/get')}${consumer(bindings.post, 'https://sp.example/post')}`),
      );
      expect(made.acs_url).toBe('https://sp.example/post');
      expect((await upload(document(consumer(artifact, 'https://sp.example/art')))).body.file[0]).toContain(
        'No AssertionConsumerService found',
      );
    });

    test.each([
      ['nothing', ''],
      ['no XML', 'hello'],
      ['a document type', `<!DOCTYPE x [<!ENTITY a "b">]>${document(consumer(bindings.post, acs_url))}`],
      ['an identity provider', document('').replaceAll('SPSSODescriptor', 'IDPSSODescriptor')],
      ['no address for responses', document('')],
      ['a script as an address', document(consumer(bindings.post, 'javascript:alert(1)'))],
      ['a broken certificate', document(`${keyOf('AAAA', 'signing')}${consumer(bindings.post, acs_url)}`)],
    ])('refuses %s', async (_name, file) => {
      expect((await upload(file)).status).toBe(400);
    });

    test('takes a flow that authorizes, and all or nothing', async () => {
      const flow = (await server().admin.get('/flows/instances/default-authentication-flow/')).body.pk;
      const { status, body: refused } = await upload(document(consumer(bindings.post, acs_url)), flow);
      expect([status, Object.keys(refused)]).toEqual([400, ['authorization_flow']]);
      const before = (await server().admin.get('/crypto/certificatekeypairs/')).body.pagination.count;
      await upload(
        document(`${keyOf(rsa.certificate, '')}${consumer(bindings.post, 'https://')}`, 'AuthnRequestsSigned="true"'),
      );
      expect((await server().admin.get('/crypto/certificatekeypairs/')).body.pagination.count).toBe(before);
    });

    test('takes the permission to add providers and the certificates that it brings', async () => {
      const add = ['svc_providers_saml.add_samlprovider', 'svc_crypto.add_certificatekeypair'];
      const file = document(
        `${keyOf(rsa.certificate, 'signing')}${consumer(bindings.post, 'https://sp.example/delegate')}`,
        'AuthnRequestsSigned="true"',
      ).replace('https://sp.example/id', 'https://sp.example/of-a-delegate');
      for (const lacking of add) {
        const { api } = await server().user(add.filter((permission) => permission !== lacking));
        const { status, body } = await upload(file, undefined, api);
        expect([status, body.required]).toEqual([403, lacking]);
      }
      const { api } = await server().user(add);
      const answer = await upload(file, undefined, api);
      expect([answer.status, answer.text]).toEqual([204, '']);
    });
  });

  test('is made together with its application', async () => {
    const { status, body } = await server().admin.put('/core/transactional/applications/', {
      app: { name: 'Together', slug: 'together' },
      provider_model: 'svc_providers_saml.samlprovider',
      provider: { name: 'together', acs_url },
    });
    expect([status, body]).toEqual([
      200,
      {
        ...{ applied: true, logs: [], issuer: expect.stringContaining('/together/metadata/') },
        metadata_url: expect.stringContaining('/application/saml/together/metadata/'),
        sso_url: expect.stringContaining('/application/saml/together/sso/binding/redirect/'),
      },
    ]);
    const { body: saved } = await server().admin.get('/core/applications/together/');
    expect(saved.provider_obj).toMatchObject({ component: 'xak-provider-saml-form' });
  });
});
