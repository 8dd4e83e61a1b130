import * as client from 'openid-client';
import { csrfHeader } from '../../src/core/session/session-cookies.ts';
import { type Made, makeApplication, makeProvider } from './providers.ts';
import type { TestServer, TestUser } from './server.ts';
import { signIn } from './session.ts';

export const callback = 'https://app.example/callback';

export interface RelyingParty {
  readonly provider: Made;
  readonly application: Made;
  readonly slug: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

const flowOf = async ({ admin }: TestServer, slug: string): Promise<string> =>
  (await admin.get(`/flows/instances/${slug}/`)).body.pk;

/** All scopes that a fresh install has. */
async function allScopes({ admin }: TestServer): Promise<string[]> {
  const { body } = await admin.get('/propertymappings/provider/scope/?page_size=100');
  return body.results.map(({ pk }: Made) => pk);
}

/** A client of a server as an administrator sets one up; its flow asks nothing unless told. */
export async function makeRelyingParty(
  server: TestServer,
  values: Record<string, unknown> = {},
  flow = 'default-provider-authorization-implicit-consent',
): Promise<RelyingParty> {
  const { body: certificates } = await server.admin.get('/crypto/certificatekeypairs/?has_key=true');
  const provider = await makeProvider(server, {
    authorization_flow: await flowOf(server, flow),
    property_mappings: await allScopes(server),
    signing_key: certificates.results[0].pk,
    redirect_uris: [{ matching_mode: 'strict', url: callback }],
    ...values,
  });
  const application = await makeApplication(server, { provider: provider.pk });
  const { client_id: clientId, client_secret: clientSecret } = provider;
  return { provider, application, slug: application.slug, clientId, clientSecret };
}

export interface Visit {
  readonly status: number;
  /** Where the browser was sent; null for a page. */
  readonly location: URL | null;
  readonly headers: Headers;
  readonly text: string;
}

export interface Visitor {
  /** Its cookies. */
  readonly jar: ReadonlyMap<string, string>;
  readonly person: TestUser;
  readonly session: string;
  /** Asks for a page, on this server or by a path on it. */
  visit(address: string | URL, init?: RequestInit): Promise<Visit>;
  /**
   * Answers the step of a flow at which the browser, or the page with this query, stands; shows it when there is no
   * answer.
   */
  answerStep(flow: string, values?: Record<string, unknown>, query?: string): Promise<Made>;
  /** Agrees to what the flow asks consent for. Where that leads. */
  agree(flow: string): Promise<string>;
  /** Asks the authorize endpoint. */
  authorize(params: Record<string, string>): Promise<Visit>;
}

/** A user who is signed in with a browser that follows nothing by itself. */
export async function visitor(server: TestServer, person?: TestUser): Promise<Visitor> {
  const who = person ?? (await server.user());
  const session = await signIn(server, who.pk);
  const browser = browserWith(server, `${session.cookie}; gatehouse_csrf=${session.csrf}`);
  const answerStep: Visitor['answerStep'] = async (flow, values, query = '') => {
    const { text } = await browser.visit(`/api/v3/flows/executor/${flow}/?query=${encodeURIComponent(query)}`, {
      headers: { [csrfHeader]: browser.jar.get('gatehouse_csrf') ?? '', 'content-type': 'application/json' },
      ...(values && { method: 'POST', body: JSON.stringify(values) }),
    });
    return JSON.parse(text);
  };
  return {
    person: who,
    session: session.pk,
    ...browser,
    answerStep,
    async agree(flow) {
      const { token } = await answerStep(flow);
      return (await answerStep(flow, { token })).to;
    },
  };
}

/** A browser that no user is signed in with. */
export const stranger = (server: TestServer) => browserWith(server, '');

/** A browser that goes on with the cookies of another. */
export const browserWithCookies = (server: TestServer, cookies: ReadonlyMap<string, string>) =>
  browserWith(server, [...cookies].map(([name, value]) => `${name}=${value}`).join('; '));

function browserWith({ url }: TestServer, cookie: string): Pick<Visitor, 'jar' | 'visit' | 'authorize'> {
  const pairs = cookie === '' ? [] : cookie.split('; ').map((pair) => pair.split('=', 2) as [string, string]);
  const jar = new Map(pairs);
  async function visit(address: string | URL, init: RequestInit = {}): Promise<Visit> {
    const response = await fetch(new URL(address, url), {
      redirect: 'manual',
      ...init,
      headers: { ...init.headers, cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') },
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      jar.set(name, value);
    }
    const location = response.headers.get('location');
    return {
      status: response.status,
      location: location === null ? null : new URL(location, url),
      headers: response.headers,
      text: await response.text(),
    };
  }
  return { jar, visit, authorize: (params) => visit(`/application/o/authorize/?${new URLSearchParams(params)}`) };
}

/** A client library's view of the server: by its public address, whatever port it listens on here. */
export async function discover(server: TestServer, party: RelyingParty): Promise<client.Configuration> {
  const { publicUrl } = server.world.config;
  const toHere: client.CustomFetch = (address, options) =>
    fetch(address.replace(publicUrl, server.url), options as RequestInit);
  const config = await client.discovery(
    new URL(`${publicUrl}/application/o/${party.slug}/`),
    party.clientId,
    party.provider.client_type === 'public' ? undefined : party.clientSecret,
    party.provider.client_type === 'public' ? client.None() : undefined,
    { [client.customFetch]: toHere, execute: [client.allowInsecureRequests] },
  );
  config[client.customFetch] = toHere;
  return config;
}

/** Goes through the code flow as a user, with a flow that asks nothing. */
export async function signInTo(
  server: TestServer,
  party: RelyingParty,
  browser: Pick<Visitor, 'visit'> & Partial<Pick<Visitor, 'agree'>>,
  more: Record<string, string> = {},
) {
  const config = await discover(server, party);
  const verifier = client.randomPKCECodeVerifier();
  const nonce = client.randomNonce();
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: callback,
    scope: 'openid',
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    nonce,
    ...more,
  });
  let { location } = await browser.visit(`${url.pathname}${url.search}`);
  const [, asking] = /^\/if\/flow\/([^/]+)\/$/.exec(location?.pathname ?? '') ?? [];
  if (asking && browser.agree) ({ location } = await browser.visit(await browser.agree(asking)));
  const tokens = await client.authorizationCodeGrant(config, location as URL, {
    pkceCodeVerifier: verifier,
    expectedNonce: nonce,
  });
  return { config, tokens };
}

/** The fields of the form on a page. */
export const fieldsOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/<input [^>]*name="([^"]*)"[^>]*value="([^"]*)"/g)].map(([, name = '', value = '']) => [
      name,
      value.replaceAll('&amp;', '&').replaceAll('&quot;', '"').replaceAll('&#39;', "'"),
    ]),
  );

/** Whether a session is still there. */
export const isAlive = async ({ admin }: TestServer, session: string): Promise<boolean> =>
  (await admin.get(`/core/authenticated_sessions/${session}/`)).status === 200;

/** How a browser sends a form. */
export const asForm = (fields: Record<string, string>): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams(fields).toString(),
});

/** Types a device's code in and says that it is one's own. */
export async function connectDevice(browser: Pick<Visitor, 'visit'>, code: string) {
  const entry = await browser.visit('/device');
  const shown = await browser.visit('/device', asForm({ ...fieldsOf(entry.text), code }));
  return { shown, answer: await browser.visit('/device', asForm(fieldsOf(shown.text))) };
}
