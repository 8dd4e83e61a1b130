import { X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { generateCertificate } from '../../../src/lib/certificate/generate-certificate.ts';
import { readMetadata } from '../../../src/lib/saml/metadata.ts';
import { readXml } from '../../../src/lib/xml/read-xml.ts';
import { verifySigned } from '../../../src/lib/xml/verify.ts';
import { describeOnBoth, type TestServer } from '../../support/server.ts';
import { makeFlow, makeSource, unique } from './fixtures.ts';

async function make(server: TestServer, values: Record<string, unknown> = {}) {
  const flow = await makeFlow(server, 'stage_configuration');
  const source = await makeSource(server, 'saml', {
    pre_authentication_flow: flow.pk,
    sso_url: 'https://idp.example.com/sso',
    ...values,
  });
  return { source, flow };
}

async function makePair({ admin }: TestServer, algorithm: 'rsa' | 'ecdsa' = 'rsa', hasKey = true) {
  const { certificate, key } = await generateCertificate({
    commonName: unique('saml'),
    subjectAltNames: [],
    validityDays: 1,
    algorithm,
    rsaBits: 2048,
  });
  const body = { name: unique('pair'), certificate_data: certificate, key_data: hasKey ? key : '' };
  const { pk }: { pk: string } = (await admin.post('/crypto/certificatekeypairs/', body)).body;
  return { pk, certificate };
}

const bytesOf = (pem: string) => pem.replace(/-----[^-]+-----|\s/g, '');

describeOnBoth('SAML sources', (server) => {
  test('a SAML source is created with defaults', async () => {
    const { source, flow } = await make(server());
    expect(source).toMatchObject({
      component: 'xak-source-saml-form',
      verbose_name: 'SAML Source',
      meta_model_name: 'svc_sources_saml.samlsource',
      icon: '/static/sources/saml.svg',
      pre_authentication_flow: flow.pk,
      issuer: '',
      sso_url: 'https://idp.example.com/sso',
      slo_url: null,
      allow_idp_initiated: false,
      name_id_policy: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
      binding_type: 'REDIRECT',
      verification_kp: null,
      signing_kp: null,
      encryption_kp: null,
      digest_algorithm: 'http://www.w3.org/2001/04/xmlenc#sha256',
      signature_algorithm: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
      temporary_user_delete_after: 'days=1',
    });
    expect((await fetch(`${server().url}${source.icon}`)).status).toBe(200);
  });

  test('every bad value is named', async () => {
    const { admin } = server();
    const empty = await admin.post('/sources/saml/', {});
    const required = ['This field is required.'];
    expect(empty.body).toEqual({
      name: required,
      slug: required,
      pre_authentication_flow: required,
      sso_url: required,
    });
    const bad = await admin.post('/sources/saml/', {
      name: 'n',
      slug: 'n',
      pre_authentication_flow: null,
      sso_url: 'javascript:alert(1)',
      slo_url: `https://idp.example.com/${'x'.repeat(200)}`,
      name_id_policy: 'anything',
      binding_type: 'ARTIFACT',
      signing_kp: '00000000-0000-4000-8000-000000000000',
      digest_algorithm: 'md5',
      signature_algorithm: 'none',
      temporary_user_delete_after: 'soon',
    });
    expect(bad.body).toEqual({
      pre_authentication_flow: ['This field may not be null.'],
      sso_url: ['Enter a valid URL.'],
      slo_url: ['Ensure this field has no more than 200 characters.'],
      name_id_policy: [expect.stringContaining('"anything" is not a valid choice.')],
      binding_type: [expect.stringContaining('"ARTIFACT" is not a valid choice.')],
      signing_kp: ['Invalid pk "00000000-0000-4000-8000-000000000000" - object does not exist.'],
      digest_algorithm: [expect.stringContaining('"md5" is not a valid choice.')],
      signature_algorithm: [expect.stringContaining('"none" is not a valid choice.')],
      temporary_user_delete_after: ["soon is not in the correct format of 'hours=3;minutes=1'."],
    });
  });

  test.each(['hours=-1', 'seconds=0'])('temporary users that live for %s are refused', async (length) => {
    const { source } = await make(server());
    const change = { temporary_user_delete_after: length };
    const { status, body } = await server().admin.patch(`/sources/saml/${source.slug}/`, change);
    const complaint = { temporary_user_delete_after: ['This must be a length of time above zero.'] };
    expect([status, body]).toEqual([400, complaint]);
  });

  test('metadata/ tells an identity provider all it needs', async () => {
    const { admin, world } = server();
    const [signing, encryption, verification] = [
      await makePair(server()),
      await makePair(server()),
      await makePair(server()),
    ];
    const { source } = await make(server(), {
      slo_url: 'https://idp.example.com/slo',
      signing_kp: signing.pk,
      encryption_kp: encryption.pk,
      verification_kp: verification.pk,
      name_id_policy: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient',
    });
    const { status, body } = await admin.get(`/sources/saml/${source.slug}/metadata/`);
    expect(status).toBe(200);
    const base = `${world.config.publicUrl}/source/saml/${source.slug}`;
    expect(body.metadata).toContain(`entityID="${base}/metadata/"`);
    expect(body.metadata).toContain('AuthnRequestsSigned="true" WantAssertionsSigned="true"');
    expect(body.metadata).toMatch(
      new RegExp(`<md:AssertionConsumerService[^>]*Binding="[^"]*HTTP-POST"[^>]*Location="${base}/acs/"`),
    );
    expect(body.metadata.match(/<md:SingleLogoutService/g)).toHaveLength(2);
    expect(body.metadata).toContain(
      '<md:NameIDFormat>urn:oasis:names:tc:SAML:2.0:nameid-format:transient</md:NameIDFormat>',
    );
    const certificates = [...body.metadata.matchAll(/use="(\w+)".*?<ds:X509Certificate>([^<]+)</g)].map(
      ([, use, certificate]) => [use, certificate],
    );
    expect(certificates).toEqual([
      ['signing', bytesOf(signing.certificate)],
      ['encryption', bytesOf(encryption.certificate)],
    ]);
    expect(body.metadata).not.toContain('PRIVATE');
    const read = readXml(body.metadata, { maxLength: 100_000 });
    expect(verifySigned(read, [new X509Certificate(signing.certificate).publicKey]).local).toBe('EntityDescriptor');
    expect(() => verifySigned(read, [new X509Certificate(verification.certificate).publicKey])).toThrow('not valid');
    expect(body.metadata).not.toContain(bytesOf(verification.certificate));

    const file = await admin.get(body.download_url);
    expect(file.status).toBe(200);
    expect(file.headers.get('content-type')).toContain('application/samlmetadata+xml');
    expect(file.headers.get('content-disposition')).toBe(`attachment; filename="${source.slug}_metadata.xml"`);
    expect(file.text).toBe(body.metadata);
  });

  test('metadata/ cannot be broken out of', async () => {
    const issuer = `urn:"><evil xmlns='x'>&amp;&#10;]]>\u0001\u000b<!-- ü 漢 -->`;
    const { source } = await make(server(), { issuer });
    const { body } = await server().admin.get(`/sources/saml/${source.slug}/metadata/`);
    expect(body.metadata).not.toContain('<evil');
    expect(body.metadata).not.toContain('<!--');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
    expect(body.metadata).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/);
    const { entityId } = readMetadata(body.metadata, 'SPSSODescriptor');
    expect(entityId).toBe(issuer.replaceAll('\u0001', '').replaceAll('\u000b', ''));
    expect(body.metadata.match(/<md:EntityDescriptor/g)).toHaveLength(1);
    expect(body.metadata).toContain('AuthnRequestsSigned="false" WantAssertionsSigned="false"');
    expect(body.metadata).not.toContain('SingleLogoutService');
    expect(body.metadata).not.toContain('KeyDescriptor');
  });

  test('metadata/ is for those who may see the source', async () => {
    const { source } = await make(server());
    const path = `/sources/saml/${source.slug}/metadata/`;
    expect((await server().nobody.get(path)).status).toBe(403);
    expect((await (await server().user()).api.get(path)).status).toBe(403);
    expect((await (await server().user(['svc_sources_saml.view_samlsource'])).api.get(path)).status).toBe(200);
    expect((await server().admin.get('/sources/saml/nowhere/metadata/')).status).toBe(404);
  });

  test('the list is narrowed by every filter', async () => {
    const { admin } = server();
    const { pk: pair } = await makePair(server(), 'ecdsa');
    const { source, flow } = await make(server(), {
      issuer: unique('issuer'),
      idp_issuer: unique('idp'),
      sso_url: `https://idp.example.com/${unique('sso')}`,
      slo_url: `https://idp.example.com/${unique('slo')}`,
      allow_idp_initiated: true,
      name_id_policy: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
      binding_type: 'POST_AUTO',
      verification_kp: pair,
      signing_kp: pair,
      digest_algorithm: 'http://www.w3.org/2001/04/xmlenc#sha512',
      signature_algorithm: 'http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha512',
      temporary_user_delete_after: 'hours=7',
    });
    const of = (name: string) => `${name}=${encodeURIComponent(source[name])}`;
    for (const query of [
      of('issuer'),
      of('idp_issuer'),
      of('sso_url'),
      of('slo_url'),
      of('allow_idp_initiated'),
      of('name_id_policy'),
      of('binding_type'),
      of('verification_kp'),
      of('signing_kp'),
      of('digest_algorithm'),
      of('signature_algorithm'),
      of('temporary_user_delete_after'),
      `pre_authentication_flow=${flow.pk}`,
    ]) {
      const { body } = await admin.get(`/sources/saml/?${query}`);
      expect([query, body.results.map(({ slug }: { slug: string }) => slug)]).toEqual([query, [source.slug]]);
    }
    expect((await admin.get('/sources/saml/?managed=x')).body.results).toEqual([]);
  });

  test('a key pair that goes leaves the source; the flow before it takes the whole source along', async () => {
    const { admin } = server();
    const { pk } = await makePair(server());
    const { source, flow } = await make(server(), { signing_kp: pk });
    await admin.delete(`/crypto/certificatekeypairs/${pk}/`);
    expect((await admin.get(`/sources/saml/${source.slug}/`)).body.signing_kp).toBeNull();
    expect((await admin.get(`/flows/instances/${flow.slug}/used_by/`)).body).toContainEqual(
      expect.objectContaining({ model_name: 'samlsource', action: 'cascade' }),
    );
    expect((await admin.delete(`/flows/instances/${flow.slug}/`)).status).toBe(204);
    expect((await admin.get(`/sources/saml/${source.slug}/`)).status).toBe(404);
    expect((await admin.get(`/sources/all/${source.slug}/`)).status).toBe(404);
  });

  test('is stored as it was sent without a certificate to verify answers with', async () => {
    const { admin } = server();
    const flow = await makeFlow(server(), 'stage_configuration');
    const body = { name: 'n', pre_authentication_flow: flow.pk, sso_url: 'https://idp.example.com/' };
    for (const sent of [{ enabled: true }, { enabled: false }, {}]) {
      const made = await admin.post('/sources/saml/', { ...body, ...sent, slug: unique('s') });
      expect([made.status, made.body.enabled]).toEqual([201, sent.enabled ?? true]);
    }
  });

  test('takes only pairs that can do what they are for', async () => {
    const flow = await makeFlow(server(), 'stage_configuration');
    const base = { name: 'n', pre_authentication_flow: flow.pk, sso_url: 'https://idp.example.com/', enabled: false };
    const complaintsOf = async (values: Record<string, unknown>) =>
      Object.keys((await server().admin.post('/sources/saml/', { ...base, slug: unique('s'), ...values })).body);
    const ec = (await makePair(server(), 'ecdsa')).pk;
    const bare = (await makePair(server(), 'rsa', false)).pk;
    expect(await complaintsOf({ signing_kp: ec })).toEqual(['signature_algorithm']);
    expect(await complaintsOf({ signing_kp: bare })).toEqual(['signing_kp']);
    expect(await complaintsOf({ encryption_kp: ec })).toEqual(['encryption_kp']);
    expect(await complaintsOf({ encryption_kp: bare })).toEqual(['encryption_kp']);
    const signature_algorithm = 'http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256';
    expect(await complaintsOf({ signing_kp: ec, signature_algorithm })).toContain('pk');
  });

  const metadataWith = (inside: string, certificates: readonly string[]) => `<?xml version="1.0"?>
    <md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" xmlns:ds="http://www.w3.org/2000/09/xmldsig#"
      entityID="https://idp.example.com/meta"><md:IDPSSODescriptor
      protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">${certificates
        .map(
          (pem) =>
            `<md:KeyDescriptor><ds:KeyInfo><ds:X509Data><ds:X509Certificate>${bytesOf(pem)}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>`,
        )
        .join('')}${inside}</md:IDPSSODescriptor></md:EntityDescriptor>`;
  const service = (name: string, binding: string) =>
    `<md:${name} Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-${binding}" Location="https://idp.example.com/${name}/${binding}"/>`;

  test('is made and filled from the metadata of an identity provider', async () => {
    const { admin } = server();
    const flow = await makeFlow(server(), 'stage_configuration');
    const certificates = [await makePair(server()), await makePair(server())].map(({ certificate }) => certificate);
    const slug = unique('imported');
    const metadata = metadataWith(
      ['POST', 'Redirect']
        .flatMap((binding) => [service('SingleLogoutService', binding), service('SingleSignOnService', binding)])
        .join(''),
      certificates,
    );
    const body = { name: slug, slug, pre_authentication_flow: flow.pk, metadata };
    const made = await admin.post('/sources/saml/import_metadata/', body);
    expect([made.status, made.body]).toMatchObject([
      201,
      {
        slug,
        enabled: true,
        idp_issuer: 'https://idp.example.com/meta',
        sso_url: 'https://idp.example.com/SingleSignOnService/Redirect',
        slo_url: 'https://idp.example.com/SingleLogoutService/Redirect',
        binding_type: 'REDIRECT',
      },
    ]);
    const pair = (await admin.get(`/crypto/certificatekeypairs/${made.body.verification_kp}/view_certificate/`)).body;
    expect(pair.data.match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
    const changed = metadataWith(service('SingleSignOnService', 'POST'), certificates.slice(0, 1));
    const filled = await admin.post(`/sources/saml/${slug}/import_metadata/`, { metadata: changed });
    expect([filled.status, filled.body]).toMatchObject([200, { binding_type: 'POST_AUTO', slo_url: null }]);
    expect(filled.body.verification_kp).not.toBe(made.body.verification_kp);
  });

  test('is not made from metadata that could turn verification off', async () => {
    const { admin } = server();
    const { certificate } = await makePair(server());
    const { source } = await make(server());
    const path = `/sources/saml/${source.slug}/import_metadata/`;
    for (const [metadata, words] of [
      [metadataWith(service('SingleSignOnService', 'POST'), []), 'no certificate'],
      [metadataWith('', [certificate]), 'no SingleSignOnService'],
      [metadataWith(service('SingleSignOnService', 'SOAP'), [certificate]), 'no SingleSignOnService'],
      [metadataWith(service('SingleSignOnService', 'POST'), ['AAAA']), 'cannot be read'],
      ['<x/>', 'no IDPSSODescriptor'],
      ['hello', 'not well-formed'],
      ['<!DOCTYPE x [<!ENTITY x "y">]><x/>', 'document type'],
    ] as const) {
      const { status, body } = await admin.post(path, { metadata });
      expect([status, body]).toEqual([400, { metadata: [expect.stringContaining(words)] }]);
    }
    const evil = metadataWith(service('SingleSignOnService', 'POST'), [certificate]).replace(
      'https://idp.example.com/SingleSignOnService/POST',
      'javascript:alert(1)',
    );
    expect((await admin.post(path, { metadata: evil })).body).toEqual({ sso_url: ['Enter a valid URL.'] });
    const rights = [
      'svc_sources_saml.view_samlsource',
      'svc_sources_saml.change_samlsource',
      'svc_sources_saml.add_samlsource',
    ];
    const good = metadataWith(service('SingleSignOnService', 'POST'), [certificate]);
    expect((await (await server().user(rights)).api.post(path, { metadata: good })).status).toBe(403);
    expect((await server().nobody.post(path, { metadata: good })).status).toBe(403);
  });
});
