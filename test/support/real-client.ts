import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as client from 'openid-client';
import type { RelyingParty } from './relying-party.ts';
import type { TestServer } from './server.ts';

export interface RealClient {
  readonly url: string;
  /** Which client of the server it is. */
  becomes(party: RelyingParty): void;
  /** Of which sessions it was told by a browser that they are over. */
  readonly over: readonly string[];
  close(): Promise<void>;
}

/**
 * A web application that signs people in with `openid-client` and has only the address of this server. `/` requires a
 * signed-in user, `/sign-out` signs them out everywhere, `/quick-sign-out` without `id_token_hint`; `/over` receives
 * front-channel logouts.
 */
export async function startRealClient(server: () => TestServer): Promise<RealClient> {
  let party: RelyingParty | undefined;
  let flow: { verifier: string; state: string; nonce: string } | undefined;
  let person: { name: string; idToken: string } | undefined;
  const over: string[] = [];

  // The server is told its public address, and listens on another port in tests.
  const here = (address: string) => {
    const { url, world } = server();
    return address.replace(world.config.publicUrl, url.replace('127.0.0.1', 'localhost'));
  };
  async function discover(): Promise<client.Configuration> {
    const { slug, clientId, clientSecret } = party as RelyingParty;
    const toHere: client.CustomFetch = (address, options) => fetch(here(address), options as RequestInit);
    const issuer = new URL(`${server().world.config.publicUrl}/application/o/${slug}/`);
    const config = await client.discovery(issuer, clientId, clientSecret, undefined, {
      [client.customFetch]: toHere,
      execute: [client.allowInsecureRequests],
    });
    config[client.customFetch] = toHere;
    return config;
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', real.url);
    const redirect = (to: URL) => response.writeHead(302, { location: here(to.href) }).end();
    const say = (text: string) => response.writeHead(200, { 'content-type': 'text/html' }).end(`<h1>${text}</h1>`);
    if (url.pathname === '/favicon.ico') return void response.writeHead(204).end();
    const config = await discover();
    switch (url.pathname) {
      case '/callback': {
        const tokens = await client
          .authorizationCodeGrant(config, url, {
            pkceCodeVerifier: flow?.verifier ?? '',
            expectedState: flow?.state ?? '',
            expectedNonce: flow?.nonce ?? '',
          })
          .catch((error) => {
            if (error instanceof client.AuthorizationResponseError) return error;
            throw error;
          });
        if (tokens instanceof client.AuthorizationResponseError) return void say(`Not let in: ${tokens.error}`);
        const claims = tokens.claims();
        const info = await client.fetchUserInfo(config, tokens.access_token, claims?.sub ?? '');
        person = { name: String(info.preferred_username), idToken: tokens.id_token ?? '' };
        return void redirect(new URL('/', real.url));
      }
      case '/sign-out':
      case '/quick-sign-out': {
        const hint = url.pathname === '/sign-out' && person ? { id_token_hint: person.idToken } : {};
        person = undefined;
        return void redirect(
          client.buildEndSessionUrl(config, { post_logout_redirect_uri: `${real.url}/goodbye`, ...hint }),
        );
      }
      case '/over':
        over.push(url.searchParams.get('sid') ?? '');
        person = undefined;
        return void say('Over');
      case '/goodbye':
        return void say('Goodbye');
      default: {
        if (person) return void say(`Hello ${person.name}`);
        flow = {
          verifier: client.randomPKCECodeVerifier(),
          state: client.randomState(),
          nonce: client.randomNonce(),
        };
        const params = {
          redirect_uri: `${real.url}/callback`,
          scope: 'openid profile email',
          code_challenge: await client.calculatePKCECodeChallenge(flow.verifier),
          code_challenge_method: 'S256',
          state: flow.state,
          nonce: flow.nonce,
        };
        return void redirect(client.buildAuthorizationUrl(config, params));
      }
    }
  }

  const http = createServer((request, response) => {
    answer(request, response).catch((error) => response.writeHead(500).end(String(error)));
  });
  await new Promise<void>((done) => http.listen(0, '127.0.0.1', done));
  const real: RealClient = {
    url: `http://localhost:${(http.address() as AddressInfo).port}`,
    over,
    becomes(one) {
      party = one;
      person = undefined;
    },
    close: () =>
      new Promise((done) => {
        http.closeAllConnections();
        http.close(() => done());
      }),
  };
  return real;
}
