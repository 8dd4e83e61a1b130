import { deflateRawSync } from 'node:zlib';
import { statusCodes } from '../../src/lib/saml/names.ts';
import { readStatus, type Status } from '../../src/lib/saml/status.ts';
import { attributeOf, descendants, isElement, textOf, type XmlElement } from '../../src/lib/xml/element.ts';
import { readXml } from '../../src/lib/xml/read-xml.ts';
import { randomText } from '../../src/platform/random.ts';
import { ownPair } from '../../src/provider/install-defaults.ts';
import type { Made } from './providers.ts';
import { makeApplication } from './providers.ts';
import { fieldsOf } from './relying-party.ts';
import type { TestServer } from './server.ts';

export const acs = 'https://sp.example/acs';
export const entityId = 'https://sp.example/metadata';

/** A key of a service provider, as PEM. */
export interface SpPair {
  readonly certificate: string;
  readonly key: string;
}

export interface ServiceProvider {
  readonly provider: Made;
  readonly application: Made;
  readonly slug: string;
  /** Of the application: `at('metadata/')`. */
  at(path: string): string;
}

/** The shipped flow that asks nothing. */
export async function implicitFlow({ admin }: TestServer): Promise<string> {
  const slug = 'default-provider-authorization-implicit-consent';
  return (await admin.get(`/flows/instances/${slug}/`)).body.pk;
}

/** An application with a SAML provider. */
export async function makeServiceProvider(
  server: TestServer,
  values: Record<string, unknown> = {},
): Promise<ServiceProvider> {
  const { status, body: provider } = await server.admin.post('/providers/saml/', {
    name: `saml-${randomText(8)}`,
    authorization_flow: await implicitFlow(server),
    acs_url: acs,
    audience: entityId,
    ...values,
  });
  if (status !== 201) throw new Error(`no provider: ${JSON.stringify(provider)}`);
  const application = await makeApplication(server, { provider: provider.pk });
  const { slug } = application;
  return { provider, application, slug, at: (path) => `/application/saml/${slug}/${path}` };
}

/** The keys of the shipped mappings by object identifier. */
export async function oidMappings({ admin }: TestServer): Promise<string[]> {
  const { results } = (await admin.get('/propertymappings/provider/saml/?page_size=100')).body;
  return results.filter(({ saml_name }: Made) => saml_name.startsWith('urn:oid:')).map(({ pk }: Made) => pk);
}

/** The key pair that signs for a provider: its own, else that of the server. */
export async function signingPairOf({ admin }: TestServer, { signing_kp }: Made): Promise<string> {
  if (signing_kp !== null) return signing_kp;
  const { body } = await admin.get('/crypto/certificatekeypairs/?has_key=true&page_size=100');
  return body.results.find(({ managed }: Made) => managed === ownPair).pk;
}

/** The certificate that proves what a provider signs. */
export async function signingCertificateOf(server: TestServer, provider: Made): Promise<string> {
  const pair = await signingPairOf(server, provider);
  return (await server.admin.get(`/crypto/certificatekeypairs/${pair}/view_certificate/`)).body.data;
}

/** Stores a pair, or a certificate alone. */
export async function storePair({ admin }: TestServer, { certificate, key }: Partial<SpPair>): Promise<string> {
  const body = { name: `pair-${randomText(8)}`, certificate_data: certificate, ...(key && { key_data: key }) };
  const { status, body: made } = await admin.post('/crypto/certificatekeypairs/', body);
  if (status !== 201) throw new Error(`no pair: ${JSON.stringify(made)}`);
  return made.pk;
}

/** What a request says besides what every request says. */
export interface RequestParts {
  readonly attributes?: Readonly<Record<string, string | null>>;
  readonly inside?: string;
  readonly issuer?: string;
}

let requests = 0;

/** A request as a service provider writes it. A null attribute is left out. */
export function authnRequest({ attributes = {}, inside = '', issuer = entityId }: RequestParts = {}): string {
  requests += 1;
  const all = {
    ID: `_request${requests}`,
    Version: '2.0',
    IssueInstant: new Date().toISOString(),
    AssertionConsumerServiceURL: acs,
    ...attributes,
  };
  const written = Object.entries(all).flatMap(([name, value]) => (value === null ? [] : [`${name}="${value}"`]));
  return `<samlp:AuthnRequest xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol"
    xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ${written.join(' ')}><saml:Issuer>${issuer}</saml:Issuer>${inside}</samlp:AuthnRequest>`;
}

const messageHead = (id: string) =>
  `xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${id}" Version="2.0" IssueInstant="${new Date().toISOString()}"`;
/** A logout request as a service provider writes it. */
export const logoutRequest = (nameId: string, index: string | null, id = '_logout') =>
  `<samlp:LogoutRequest ${messageHead(id)}><saml:Issuer>sp</saml:Issuer><saml:NameID>${nameId}</saml:NameID>${index === null ? '' : `<samlp:SessionIndex>${index}</samlp:SessionIndex>`}</samlp:LogoutRequest>`;
/** Its answer to a logout request. */
export const logoutResponse = (inResponseTo: string, code: string = statusCodes.success) =>
  `<samlp:LogoutResponse ${messageHead('_answer')} InResponseTo="${inResponseTo}"><saml:Issuer>sp</saml:Issuer><samlp:Status><samlp:StatusCode Value="${code}"/></samlp:Status></samlp:LogoutResponse>`;

export const nameIdPolicy = (format: string): string => `<samlp:NameIDPolicy Format="${format}"/>`;

export const deflated = (message: string): string => deflateRawSync(message).toString('base64');
export const encoded = (message: string): string => Buffer.from(message).toString('base64');

/** The query that carries a message by redirect. */
export const redirectQuery = (message: string, more: Record<string, string> = {}): string =>
  new URLSearchParams({ SAMLRequest: deflated(message), ...more }).toString();

export interface SamlAnswer {
  /** The document. */
  readonly text: string;
  readonly root: XmlElement;
  readonly relayState: string | undefined;
  /** Where it goes. */
  readonly to: string;
  readonly status: Status;
}

/** The response that a page has the browser send to the service provider. */
export function responseOn({ text: page }: { readonly text: string }): SamlAnswer {
  const { SAMLResponse = '', RelayState } = fieldsOf(page);
  const to = /<form method="post" action="([^"]*)"/.exec(page)?.[1] ?? '';
  if (SAMLResponse === '') throw new Error(`no response: ${page.slice(0, 2_000)}`);
  const text = Buffer.from(SAMLResponse, 'base64').toString('utf8');
  const root = readXml(text, { maxLength: 1_000_000 });
  return { text, root, relayState: RelayState, to, status: readStatus(root) };
}

/** The first element of this name. */
export function elementOf(root: XmlElement, local: string): XmlElement | undefined {
  return [...descendants(root)].find((element) => element.local === local);
}

export const textIn = (root: XmlElement, local: string): string | undefined => {
  const found = elementOf(root, local);
  return found && textOf(found);
};

/** What attributes say, by their names. */
export const attributesOf = (root: XmlElement): Record<string, string[]> =>
  Object.fromEntries(
    [...descendants(root)]
      .filter(({ local }) => local === 'Attribute')
      .map((element) => [attributeOf(element, 'Name'), element.children.filter(isElement).map(textOf)]),
  );
