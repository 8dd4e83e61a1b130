import { beforeAll, expect, test } from 'vitest';
import { redirectUrl } from '../../src/lib/saml/redirect-binding.ts';
import { stranger, visitor } from '../support/relying-party.ts';
import { type IdpKey, idpKey } from '../support/saml-idp.ts';
import {
  authnRequest,
  deflated,
  implicitFlow,
  logoutRequest,
  makeServiceProvider,
  redirectQuery,
  responseOn,
  storePair,
} from '../support/saml-sp.ts';
import { describeOnSqlite } from '../support/server.ts';

let key: IdpKey;
beforeAll(async () => {
  key = await idpKey();
});

/** The query of a signed redirect. */
const signedQuery = (markup: string) => {
  const message = { name: 'SAMLRequest', message: { markup }, relayState: 'mine', key } as const;
  return redirectUrl('', message).slice(1);
};

// One server verified the parameter that it was given first, and read the one that came last.
describeOnSqlite('redirects are verified as they are read, and imports do not turn verification off', (server) => {
  const evil = encodeURIComponent(deflated(authnRequest({ attributes: { ID: '_evil', ForceAuthn: 'true' } })));
  const tricks: [string, (query: string) => string][] = [
    ['a second message', (query) => `${query}&SAMLRequest=${evil}`],
    ['a second message before it', (query) => `SAMLRequest=${evil}&${query}`],
    ['a second message in another spelling', (query) => `${query}&%53AMLRequest=${evil}`],
    ['its message in another spelling', (query) => query.replace('SAMLRequest', '%53AMLRequest')],
    ['a response beside it', (query) => `${query}&SAMLResponse=${evil}`],
    ['a response in another spelling beside it', (query) => `${query}&%53AMLResponse=${evil}`],
    ['a second RelayState', (query) => `${query}&RelayState=evil`],
    ['another RelayState', (query) => query.replace('RelayState=mine', 'RelayState=evil')],
    ['no RelayState', (query) => query.replace('&RelayState=mine', '')],
    ['a second algorithm', (query) => `${query}&SigAlg=x`],
    ['a second signature', (query) => `${query}&Signature=x`],
    ['no signature', (query) => query.replace(/&Signature=.*/, '')],
  ];

  test.each(['sso', 'slo'])('a signed message with other parameters is refused (%s)', async (service) => {
    const verification_kp = await storePair(server(), { certificate: key.certificate });
    const sp = await makeServiceProvider(server(), { verification_kp, sls_url: 'https://sp.example/slo' });
    const browser = await visitor(server());
    const at = (query: string) => sp.at(`${service}/binding/redirect/?${query}`);
    const write = () => signedQuery(service === 'sso' ? authnRequest() : logoutRequest('x', 'y'));
    for (const [name, change] of tricks) {
      expect([name, (await browser.visit(at(change(write())))).status]).toEqual([name, 400]);
    }
    expect((await browser.visit(at(write()))).status).not.toBe(400);
  });

  const certificate = () => key.certificate.replace(/-----[^-]+-----|\s/g, '');
  const metadata = (flag: string, use: string) => `<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata"
    entityID="https://sp.example/id"><SPSSODescriptor ${flag}><KeyDescriptor ${use}><KeyInfo
    xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data><X509Certificate>${certificate()}</X509Certificate></X509Data></KeyInfo>
    </KeyDescriptor><AssertionConsumerService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST"
    Location="https://sp.example/acs" index="0"/></SPSSODescriptor></EntityDescriptor>`;

  test.each([
    ['for signing', 'use="signing"'],
    ['without a use', ''],
  ])('after an import of metadata with a certificate %s, unsigned requests are refused', async (_name, use) => {
    const { admin } = server();
    const form = new FormData();
    form.set('name', `imported ${use}`);
    form.set('authorization_flow', await implicitFlow(server()));
    form.set('file', new Blob([metadata('AuthnRequestsSigned="true"', use)]), 'metadata.xml');
    const { status, headers } = await admin.send('POST', '/providers/saml/import_metadata/', form);
    expect(status).toBe(204);
    const provider = Number(headers.get('location')?.split('/').at(-2));
    const slug = `imported-${provider}`;
    await admin.post('/core/applications/', { name: slug, slug, provider });
    const at = `/application/saml/${slug}/sso/binding/redirect/?`;
    const visitorOf = await visitor(server());
    expect((await stranger(server()).visit(`${at}${redirectQuery(authnRequest())}`)).text).toContain('not signed');
    expect(responseOn(await visitorOf.visit(`${at}${signedQuery(authnRequest())}`)).to).toBe('https://sp.example/acs');
  });
});
