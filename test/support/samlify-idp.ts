import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { escapeHtml } from '../../src/lib/escape-html.ts';
import { newMessageId, samlInstant } from '../../src/lib/saml/message.ts';
import type { IdpKey } from './saml-idp.ts';

/** A third-party identity provider: samlify behind two pages. */
export interface SamlifyIdp {
  readonly url: string;
  readonly metadata: string;
  /** Who signs in there next. */
  account: string;
  /** The service provider, by its metadata. */
  knows(metadata: string): void;
  /** The address at which it tells the service provider to sign a user out. */
  signsOut(nameId: string, sessionIndex: string): string;
  close(): Promise<void>;
}

interface Entity {
  readonly entityMeta: { getEntityID(): string; getAssertionConsumerService(binding: string): string };
  getMetadata(): string;
  parseLoginRequest(from: Entity, binding: string, request: unknown): Promise<Parsed>;
  parseLogoutRequest(from: Entity, binding: string, request: unknown): Promise<Parsed>;
  parseLogoutResponse(from: Entity, binding: string, request: unknown): Promise<Parsed>;
  createLoginResponse(to: Entity, info: Parsed, binding: string, user: unknown, replace: unknown): Promise<Carried>;
  createLogoutRequest(to: Entity, binding: string, user: unknown): Carried;
  createLogoutResponse(to: Entity, info: Parsed, binding: string): Carried;
}
interface Parsed {
  readonly extract: { readonly request: { readonly id: string } };
}
interface Carried {
  readonly context: string;
}
/** As much of it as is used. Its own types bring those of browsers along, which differ from Node's. */
interface Samlify {
  setSchemaValidator(validator: { validate(): Promise<string> }): void;
  IdentityProvider(settings: unknown): Entity;
  ServiceProvider(settings: unknown): Entity;
  readonly SamlLib: {
    readonly defaultLoginResponseTemplate: Carried;
    replaceTagsByValue(template: string, values: Readonly<Record<string, string>>): string;
  };
}
const samlify: Samlify = createRequire(import.meta.url)('samlify');

samlify.setSchemaValidator({ validate: async () => 'not checked here' });
const redirect = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect';

export async function startSamlify(key: IdpKey): Promise<SamlifyIdp> {
  const http = createServer();
  await new Promise<void>((done) => http.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const { context } = samlify.SamlLib.defaultLoginResponseTemplate;
  const statement =
    '<saml:AuthnStatement AuthnInstant="{IssueInstant}" SessionIndex="{SessionIndex}"><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:unspecified</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>';
  const idp = samlify.IdentityProvider({
    entityID: `${url}/metadata`,
    privateKey: key.key,
    signingCert: key.certificate,
    requestSignatureAlgorithm: key.signatureAlgorithm,
    wantAuthnRequestsSigned: true,
    wantLogoutRequestSigned: true,
    wantLogoutResponseSigned: true,
    nameIDFormat: ['urn:oasis:names:tc:SAML:2.0:nameid-format:persistent'],
    singleSignOnService: [{ Binding: redirect, Location: `${url}/sso` }],
    singleLogoutService: [{ Binding: redirect, Location: `${url}/slo` }],
    loginResponseTemplate: { context: context.replace('{AuthnStatement}', statement) },
  });
  let sp: Entity | undefined;
  const client = () => {
    if (!sp) throw new Error('no service provider is known');
    return sp;
  };

  /** A parsed query, and the octets that were signed. */
  const requestOf = (address: string) => {
    const raw = address.split('?')[1] ?? '';
    const octetString = raw.replace(/&Signature=.*$/, '');
    return { query: Object.fromEntries(new URLSearchParams(raw)), octetString };
  };

  async function signOnPage(address: string): Promise<string> {
    const info = await idp.parseLoginRequest(client(), 'redirect', requestOf(address));
    const { entityID, acs } = {
      entityID: client().entityMeta.getEntityID(),
      acs: client().entityMeta.getAssertionConsumerService('post'),
    };
    const now = new Date();
    const soon = samlInstant(new Date(now.getTime() + 300_000));
    const replace = (template: string) => {
      const id = newMessageId();
      const values = {
        ...{ ID: id, AssertionID: newMessageId(), Destination: acs, Audience: entityID, SubjectRecipient: acs },
        ...{ AssertionConsumerServiceURL: acs, Issuer: idp.entityMeta.getEntityID(), IssueInstant: samlInstant(now) },
        ...{ StatusCode: 'urn:oasis:names:tc:SAML:2.0:status:Success', SessionIndex: `session-${peer.account}` },
        ...{ ConditionsNotBefore: samlInstant(now), ConditionsNotOnOrAfter: soon },
        ...{ SubjectConfirmationDataNotOnOrAfter: soon, NameID: peer.account, InResponseTo: info.extract.request.id },
        ...{ NameIDFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent', AttributeStatement: '' },
      };
      return { id, context: samlify.SamlLib.replaceTagsByValue(template, values) };
    };
    const { context: response } = await idp.createLoginResponse(client(), info, 'post', {}, replace);
    return `<!doctype html><title>Samlify</title><h1>Samlify</h1><form method="post" action="${escapeHtml(acs)}">
      <input type="hidden" name="SAMLResponse" value="${escapeHtml(response)}"><button>Sign in as ${peer.account}</button></form>`;
  }

  async function signOffAddress(address: string): Promise<string> {
    const request = requestOf(address);
    if (request.query.SAMLResponse) {
      await idp.parseLogoutResponse(client(), 'redirect', request);
      return `${url}/signed-out`;
    }
    const info = await idp.parseLogoutRequest(client(), 'redirect', request);
    return idp.createLogoutResponse(client(), info, 'redirect').context;
  }

  http.on('request', (request, response) => {
    const answer = async () => {
      const address = request.url ?? '';
      if (address.startsWith('/sso')) return response.end(await signOnPage(address));
      if (address.startsWith('/slo')) {
        return response.writeHead(302, { location: await signOffAddress(address) }).end();
      }
      return response.end('<!doctype html><title>Samlify</title><h1>Signed out at Samlify</h1>');
    };
    response.setHeader('content-type', 'text/html; charset=utf-8');
    answer().catch((error: unknown) => response.writeHead(500).end(String(error)));
  });

  const peer: SamlifyIdp = {
    url,
    metadata: idp.getMetadata(),
    account: '',
    knows(metadata) {
      sp = samlify.ServiceProvider({ metadata, wantLogoutRequestSigned: true, wantLogoutResponseSigned: true });
    },
    signsOut: (nameId, sessionIndex) =>
      idp.createLogoutRequest(client(), 'redirect', { logoutNameID: nameId, sessionIndex }).context,
    close: () =>
      new Promise((done) => {
        http.closeAllConnections();
        http.close(() => done());
      }),
  };
  return peer;
}
