import { beforeAll, describe, expect, test } from 'vitest';
import { generateCertificate } from '../../../src/lib/certificate/generate-certificate.ts';
import { nameIdFormats } from '../../../src/lib/saml/names.ts';
import type { Made } from '../../support/providers.ts';
import { asForm, fieldsOf, visitor } from '../../support/relying-party.ts';
import {
  acs,
  entityId,
  makeServiceProvider,
  type SpPair,
  signingCertificateOf,
  storePair,
} from '../../support/saml-sp.ts';
import { describeOnSqlite } from '../../support/server.ts';

// The types of both bring those of browsers along, which contradict those of Node.
interface NodeSaml {
  readonly SAML: new (
    options: Record<string, unknown>,
  ) => {
    getAuthorizeUrlAsync(relayState: string, host: undefined, options: object): Promise<string>;
    getAuthorizeFormAsync(relayState: string): Promise<string>;
    validatePostResponseAsync(fields: Record<string, string>): Promise<{ profile: object | null }>;
  };
}
interface Samlify {
  setSchemaValidator(validator: { validate(): Promise<string> }): void;
  IdentityProvider(settings: Record<string, unknown>): object;
  ServiceProvider(settings: Record<string, unknown>): {
    createLoginRequest(idp: object, binding: string): { context: string; id: string };
    parseLoginResponse(idp: object, binding: string, request: { body: object }): Promise<{ extract: Made }>;
  };
}
const [nodeSaml, samlifyName] = ['@node-saml/node-saml', 'samlify'];
const { SAML }: NodeSaml = await import(nodeSaml);
const samlify: Samlify = await import(samlifyName);

let pair: SpPair;
beforeAll(async () => {
  const request = { commonName: 'sp', subjectAltNames: [], validityDays: 1, algorithm: 'rsa', rsaBits: 2048 } as const;
  pair = await generateCertificate(request);
  // The library demands a validator: what it would check, xmlsec1 and node-saml check here.
  samlify.setSchemaValidator({ validate: async () => 'not validated' });
});

const gcm = 'http://www.w3.org/2009/xmlenc11#aes256-gcm';

describeOnSqlite('SAML libraries', (server) => {
  const publicUrl = () => server().world.config.publicUrl;

  describe('node-saml', () => {
    type Case = [string, Record<string, unknown>, Record<string, unknown>];
    // No two providers have the same issuer.
    const casesOf = (binding: string): Case[] => [
      ['signed assertions', {}, { wantAssertionsSigned: true, wantAuthnResponseSigned: false }],
      [
        'signed responses',
        { sign_assertion: false, sign_response: true },
        { wantAssertionsSigned: false, wantAuthnResponseSigned: true },
      ],
      ['both signed', { sign_response: true }, { wantAssertionsSigned: true, wantAuthnResponseSigned: true }],
      [
        'an issuer of its own',
        { issuer: `urn:ours:${binding}` },
        { wantAuthnResponseSigned: false, idpIssuer: `urn:ours:${binding}` },
      ],
      [
        'SHA-512',
        { signature_algorithm: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512' },
        { wantAuthnResponseSigned: false },
      ],
    ];
    const encryptions: Case[] = [
      ['encrypted assertions', {}, { wantAuthnResponseSigned: false }],
      ['encrypted assertions in signed responses', { sign_response: true }, {}],
      ['assertions encrypted by GCM', { encryption_algorithm: gcm }, { wantAuthnResponseSigned: false }],
    ];
    const bindings = ['redirect', 'post'] as const;
    const table = bindings.flatMap((binding) =>
      [...casesOf(binding), ...encryptions.map((one) => ['e', ...one] as const)].map((one) => {
        const isEncrypted = one.length === 4;
        const [name, values, options] = (isEncrypted ? one.slice(1) : one) as Case;
        return { title: `${name}, asked for by ${binding}`, binding, isEncrypted, values, options };
      }),
    );

    test.each(table)('$title', async ({ binding, isEncrypted, values, options }) => {
      const certificate = await storePair(server(), { certificate: pair.certificate });
      const sp = await makeServiceProvider(server(), {
        ...values,
        verification_kp: certificate,
        ...(isEncrypted && { encryption_kp: certificate }),
      });
      const saml = new SAML({
        idpCert: await signingCertificateOf(server(), sp.provider),
        issuer: entityId,
        audience: entityId,
        callbackUrl: acs,
        entryPoint: `${publicUrl()}${sp.at(`sso/binding/${binding}/`)}`,
        privateKey: pair.key,
        publicCert: pair.certificate,
        signatureAlgorithm: 'sha256',
        digestAlgorithm: 'sha256',
        identifierFormat: nameIdFormats.email,
        disableRequestedAuthnContext: true,
        ...(binding === 'post' && { authnRequestBinding: 'HTTP-POST', skipRequestCompression: true }),
        validateInResponseTo: 'always',
        ...(isEncrypted && { decryptionPvk: pair.key }),
        ...options,
      });
      const person = await server().user([], { email: `${sp.slug}@example.com` });
      const browser = await visitor(server(), person);
      // It signs another encoding of blanks than the one it sends.
      const relay = 'the/relay?state=1';
      let page: Awaited<ReturnType<typeof browser.visit>>;
      if (binding === 'redirect') {
        const url = new URL(await saml.getAuthorizeUrlAsync(relay, undefined, {}));
        page = await browser.visit(`${url.pathname}${url.search}`);
      } else {
        const { SAMLRequest = '' } = fieldsOf(await saml.getAuthorizeFormAsync(relay));
        const sent = await browser.visit(sp.at('sso/binding/post/'), asForm({ SAMLRequest, RelayState: relay }));
        page = await browser.visit(sent.location ?? '');
      }
      const fields = fieldsOf(page.text);
      expect(fields.RelayState).toBe(relay);
      const { profile } = await saml.validatePostResponseAsync(fields);
      expect(profile).toMatchObject({
        nameID: `${sp.slug}@example.com`,
        nameIDFormat: nameIdFormats.email,
        'http://schemas.gatehouse/2021/02/saml/username': person.username,
        sessionIndex: expect.stringMatching(/^_/),
      });
      // What it has taken once it does not take again.
      await expect(saml.validatePostResponseAsync(fields)).rejects.toThrow('InResponseTo');
    });
  });

  describe('samlify', () => {
    test.each([
      ['signed assertions', false],
      ['encrypted assertions', true],
    ])('reads our metadata and takes %s', async (_name, isEncrypted) => {
      const certificate = await storePair(server(), { certificate: pair.certificate });
      const { provider, at } = await makeServiceProvider(server(), {
        verification_kp: certificate,
        ...(isEncrypted && { encryption_kp: certificate }),
      });
      const { body } = await server().nobody.get(`/providers/saml/${provider.pk}/metadata/`);
      const idp = samlify.IdentityProvider({
        metadata: body.metadata,
        isAssertionEncrypted: isEncrypted,
        wantAuthnRequestsSigned: true,
      });
      const sp = samlify.ServiceProvider({
        entityID: entityId,
        authnRequestsSigned: true,
        wantAssertionsSigned: true,
        privateKey: pair.key,
        signingCert: pair.certificate,
        ...(isEncrypted && { encPrivateKey: pair.key, encryptCert: pair.certificate }),
        requestSignatureAlgorithm: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
        nameIDFormat: [nameIdFormats.email],
        assertionConsumerService: [{ Binding: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST', Location: acs }],
      });
      const person = await server().user([], { email: `${provider.name}@example.com` });
      const browser = await visitor(server(), person);
      const { context, id } = sp.createLoginRequest(idp, 'redirect');
      const url = new URL(context);
      expect(url.pathname).toBe(at('sso/binding/redirect/'));
      const fields = fieldsOf((await browser.visit(`${url.pathname}${url.search}`)).text);
      const { extract } = await sp.parseLoginResponse(idp, 'post', { body: fields });
      expect(extract.nameID).toBe(`${provider.name}@example.com`);
      expect(extract.response.inResponseTo).toBe(id);
      expect(extract.attributes['http://schemas.gatehouse/2021/02/saml/username']).toBe(person.username);
    });
  });
});
