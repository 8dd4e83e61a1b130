import { createHash } from 'node:crypto';
import { createLocalJWKSet, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose';
import * as oauth from 'oauth4webapi';
import { expect } from 'vitest';
import type { Browser } from '../../support/flow-client.ts';
import { callback, fieldsOf, makeRelyingParty, type RelyingParty } from '../../support/relying-party.ts';
import type { TestServer } from '../../support/server.ts';
import { signIn } from './person.ts';

/** What the suite calls a variant: the same modules are run with each. */
export interface Variant {
  readonly responseType: string;
  readonly clientAuth?: 'client_secret_basic' | 'client_secret_post' | 'none';
  readonly responseMode?: 'form_post';
  /** Of the client, as an administrator sets it up. */
  readonly settings?: Record<string, unknown>;
}

export type Params = Readonly<Record<string, string | undefined>>;

/** What came back from the authorize endpoint. */
export interface Answered {
  readonly status: number;
  /** Where the browser was sent; null for a page. */
  readonly location: URL | null;
  readonly text: string;
  /** What a client is told, from the query, the fragment or the form that the browser would send. */
  readonly told: URLSearchParams;
  readonly sent: Params;
}

/** A flow that came to its end, with everything checked that a client has to check. */
export interface Completed {
  /** From the token endpoint; undefined where the response type has no code. */
  readonly tokens: oauth.TokenEndpointResponse | undefined;
  readonly accessToken: string | undefined;
  /** Of the last ID token. */
  readonly claims: JWTPayload;
  readonly idToken: string;
  readonly answered: Answered;
}

/** A client that behaves as the conformance suite does. */
export interface SuiteClient {
  readonly server: TestServer;
  readonly variant: Variant;
  readonly party: RelyingParty;
  readonly metadata: oauth.AuthorizationServer;
  readonly client: oauth.Client;
  readonly auth: oauth.ClientAuth;
  /** A user is signed in with it. */
  readonly browser: Browser;
  /** Sends an authorization request; a parameter that is undefined is left out. */
  ask(more?: Params, browser?: Browser): Promise<Answered>;
  /** Goes on from an answer to the tokens. */
  finish(answered: Answered, verifier?: string): Promise<Completed>;
  complete(more?: Params, browser?: Browser): Promise<Completed>;
  /** A form of the client's own to the token endpoint. */
  token(fields: Params): Promise<{ readonly status: number; readonly body: Record<string, unknown> }>;
  userinfo(accessToken: string, init?: RequestInit): Promise<Response>;
  verify(jwt: string): ReturnType<typeof jwtVerify>;
}

/** Client libraries know a server by its public address, wherever it listens in tests. */
export function atThisServer({ url, world }: TestServer) {
  const { publicUrl } = world.config;
  const here = (address: string, init: object = {}) => fetch(address.replace(publicUrl, url), init);
  return { [oauth.allowInsecureRequests]: true, [oauth.customFetch]: here } as const;
}

export async function suiteClient(server: TestServer, variant: Variant): Promise<SuiteClient> {
  const party = await makeRelyingParty(server, variant.settings);
  const options = atThisServer(server);
  const here = options[oauth.customFetch];
  const issuer = new URL(`${server.world.config.publicUrl}/application/o/${party.slug}/`);
  const metadata = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options));
  const client: oauth.Client = {
    client_id: party.clientId,
    id_token_signed_response_alg: metadata.id_token_signing_alg_values_supported?.[0] as string,
  };
  const auth = authOf(variant, party);
  const signedIn = await signIn(server);

  async function ask(more: Params = {}, browser = signedIn): Promise<Answered> {
    const sent = requestOf(client, variant, more);
    return answered(await browser.get(`/application/o/authorize/?${formOf(sent)}`), sent);
  }

  const keys = async () => (await (await here(metadata.jwks_uri as string)).json()) as JSONWebKeySet;
  const verify: SuiteClient['verify'] = async (jwt) =>
    jwtVerify(jwt, createLocalJWKSet(await keys()), { issuer: metadata.issuer, audience: client.client_id });

  async function finish(answer: Answered, verifier?: string): Promise<Completed> {
    const { told, sent } = answer;
    const front = await checkFront(answer);
    const code = told.get('code');
    if (code === null) {
      const accessToken = told.get('access_token') ?? undefined;
      return {
        tokens: undefined,
        accessToken,
        claims: front ?? {},
        idToken: told.get('id_token') ?? '',
        answered: answer,
      };
    }
    const plain = new URLSearchParams([...told].filter(([name]) => ['code', 'state', 'iss'].includes(name)));
    const response = await oauth.authorizationCodeGrantRequest(
      metadata,
      client,
      auth,
      oauth.validateAuthResponse(metadata, client, plain, sent.state ?? oauth.expectNoState),
      sent.redirect_uri ?? callback,
      verifier ?? oauth.nopkce,
      options,
    );
    expect(response.headers.get('cache-control')).toContain('no-store');
    const tokens = await oauth.processAuthorizationCodeResponse(metadata, client, response.clone(), {
      expectedNonce: sent.nonce ?? oauth.expectNoNonce,
      requireIdToken: true,
    });
    const idToken = tokens.id_token ?? '';
    const { payload: claims } = await verify(idToken);
    if (claims.at_hash !== undefined) expect(claims.at_hash).toBe(await halfHash(idToken, tokens.access_token));
    // OpenID Connect Core §3.3.3.6
    if (front) expect([claims.iss, claims.sub]).toEqual([front.iss, front.sub]);
    return { tokens, accessToken: tokens.access_token, claims, idToken, answered: answer };
  }

  /** OpenID Connect Core §3.2.2.11, §3.3.2.11: what comes by way of the browser. */
  async function checkFront({ status, told, sent }: Answered): Promise<JWTPayload | null> {
    expect(Object.fromEntries(told)).not.toHaveProperty('error');
    expect(status).toBe(variant.responseMode === 'form_post' ? 200 : 302);
    const types = variant.responseType.split(' ');
    expect([told.has('code'), told.has('id_token'), told.has('access_token')]).toEqual(
      ['code', 'id_token', 'token'].map((type) => types.includes(type)),
    );
    expect([told.get('state'), told.get('iss')]).toEqual([sent.state ?? null, metadata.issuer]);
    if (told.has('access_token')) expect([told.get('token_type'), told.has('expires_in')]).toEqual(['Bearer', true]);
    const idToken = told.get('id_token');
    if (idToken === null) return null;
    const { payload } = await verify(idToken);
    expect(payload.nonce).toBe(sent.nonce);
    const hashes = { c_hash: told.get('code'), at_hash: told.get('access_token') };
    for (const [claim, of] of Object.entries(hashes)) {
      expect(payload[claim]).toBe(of === null ? undefined : await halfHash(idToken, of));
    }
    return payload;
  }

  return {
    server,
    variant,
    party,
    metadata,
    client,
    auth,
    browser: signedIn,
    ask,
    finish,
    verify,
    complete: async (more, browser) => finish(await ask(more, browser)),
    async token(fields) {
      const form = new URLSearchParams(formOf(fields));
      const headers = new Headers({ 'content-type': 'application/x-www-form-urlencoded' });
      await auth(metadata, client, form, headers);
      const response = await here(metadata.token_endpoint as string, { method: 'POST', headers, body: form });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    },
    userinfo: (accessToken, init) =>
      here(metadata.userinfo_endpoint as string, init ?? { headers: { authorization: `Bearer ${accessToken}` } }),
  };
}

function authOf({ clientAuth }: Variant, { clientSecret }: RelyingParty): oauth.ClientAuth {
  if (clientAuth === 'none') return oauth.None();
  return clientAuth === 'client_secret_post'
    ? oauth.ClientSecretPost(clientSecret)
    : oauth.ClientSecretBasic(clientSecret);
}

/** The request that every module begins with, and changes one thing of. */
export function requestOf({ client_id }: oauth.Client, variant: Variant, more: Params): Params {
  return {
    client_id,
    response_type: variant.responseType,
    response_mode: variant.responseMode,
    redirect_uri: callback,
    scope: 'openid',
    state: oauth.generateRandomState(),
    nonce: oauth.generateRandomNonce(),
    ...more,
  };
}

export const formOf = (params: Params): string =>
  new URLSearchParams(
    Object.entries(params).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  ).toString();

export function answered(
  { status, headers, text }: { readonly status: number; readonly headers: Headers; readonly text: string },
  sent: Params,
): Answered {
  const to = headers.get('location');
  const location = to === null ? null : new URL(to, 'http://here.invalid');
  const isForm = location === null && text.includes(`<form method="post" action="${callback}">`);
  const inAddress = location?.hash ? location.hash.slice(1) : location?.search;
  const told = new URLSearchParams(isForm ? fieldsOf(text) : inAddress);
  return { status, location, text, told, sent };
}

/** OpenID Connect Core §3.1.3.6: the left half of a hash that is as long as the signature's. */
async function halfHash(jwt: string, text: string): Promise<string> {
  const { alg } = JSON.parse(Buffer.from(jwt.split('.')[0] ?? '', 'base64url').toString());
  const digest = createHash(`sha${String(alg).slice(-3)}`)
    .update(text)
    .digest();
  return digest.subarray(0, digest.length / 2).toString('base64url');
}
