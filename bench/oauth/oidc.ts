import { hash, type webcrypto } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { Provider } from 'oidc-provider';
import { createMapAdapter } from './map-adapter.ts';
import {
  basic,
  callback,
  formOf,
  liveTokenCount,
  type OAuthRowName,
  redeemForm,
  type Supply,
  userScopes,
  verifier,
} from './supply.ts';

const clientId = 'bench';
const clientSecret = 'the-secret-of-the-client-in-benchmarks-only-0123456789';
const accountId = 'ada';
const resource = 'https://api.example';
const dayS = 86_400;

/** Signed access tokens, as ours are, come of it only for a resource. */
const resourceServer = {
  scope: `api ${userScopes.join(' ')}`,
  audience: resource,
  accessTokenTTL: 3600,
  accessTokenFormat: 'jwt',
  jwt: { sign: { alg: 'ES256' } },
};

export interface OidcServer {
  readonly handle: RequestListener;
  mint(row: OAuthRowName, count: number): Promise<Supply>;
}

/** The other server: with the same kind of key, set to do what ours does, and told what ours knows of the user. */
export function openOidcProvider(jwk: webcrypto.JsonWebKey): OidcServer {
  const provider = new Provider('http://127.0.0.1', {
    adapter: createMapAdapter(),
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [callback],
        grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
        response_types: ['code'],
        id_token_signed_response_alg: 'ES256',
      },
    ],
    jwks: { keys: [{ ...jwk, use: 'sig', alg: 'ES256' }] },
    cookies: { keys: ['for-benchmarks-only'] },
    scopes: ['openid', 'offline_access', 'api'],
    claims: {
      email: ['email', 'email_verified'],
      profile: ['name', 'given_name', 'preferred_username', 'nickname', 'groups'],
    },
    findAccount: async (_context: unknown, id: string) => ({ accountId: id, claims: async () => claimsOf(id) }),
    // As ours: the claims in the ID token, a new refresh token each time, lifetimes longer than any run.
    conformIdTokenClaims: false,
    rotateRefreshToken: true,
    ttl: {
      AccessToken: 3600,
      AuthorizationCode: dayS,
      ClientCredentials: 3600,
      Grant: dayS,
      IdToken: 3600,
      RefreshToken: dayS,
    },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      introspection: { enabled: true, allowedPolicy: () => true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => undefined,
        getResourceServerInfo: () => resourceServer,
        useGrantedResource: () => false,
      },
    },
  });
  const authorization = basic(clientId, clientSecret);

  /** What each token hangs on; one for each, since the list of what hangs on it is gone through. */
  async function base() {
    const grant = new provider.Grant({ accountId, clientId });
    grant.addOIDCScope(userScopes.join(' '));
    grant.addResourceScope(resource, userScopes.join(' '));
    const client = await provider.Client.find(clientId);
    const authTime = Math.floor(Date.now() / 1000);
    const gty = 'authorization_code';
    return { accountId, client, grantId: await grant.save(), scope: userScopes.join(' '), authTime, gty };
  }
  const makers = {
    authorization_code: async () =>
      new provider.AuthorizationCode({
        ...(await base()),
        resource,
        redirectUri: callback,
        nonce: 'n-1',
        codeChallenge: hash('sha256', verifier, 'base64url'),
        codeChallengeMethod: 'S256',
      }).save(),
    refresh_token: async () =>
      new provider.RefreshToken({
        ...(await base()),
        resource,
        rotations: 0,
        iiat: Math.floor(Date.now() / 1000),
      }).save(),
    access_token: async () => new provider.AccessToken(await base()).save(),
  };

  async function mint(row: OAuthRowName, count: number): Promise<Supply> {
    const made = (kind: keyof typeof makers, amount: number) =>
      Promise.all(Array.from({ length: amount }, makers[kind]));
    switch (row) {
      case 'client_credentials': {
        const form = formOf({ grant_type: row, scope: 'api', resource });
        return { method: 'POST', path: '/token', requests: [{ authorization, form }], isSingleUse: false };
      }
      case 'introspection': {
        const tokens = await made('access_token', liveTokenCount);
        const requests = tokens.map((token) => ({ authorization, form: formOf({ token }) }));
        return { method: 'POST', path: '/token/introspection', requests, isSingleUse: false };
      }
      case 'userinfo': {
        const tokens = await made('access_token', liveTokenCount);
        const requests = tokens.map((token) => ({ authorization: `Bearer ${token}`, form: null }));
        return { method: 'GET', path: '/me', requests, isSingleUse: false };
      }
      default: {
        const tokens = await made(row, count);
        const requests = tokens.map((token) => ({
          authorization,
          form: formOf({ ...redeemForm(row, token), resource }),
        }));
        return { method: 'POST', path: '/token', requests, isSingleUse: true };
      }
    }
  }

  return { handle: provider.callback(), mint };
}

const claimsOf = (id: string) => ({
  sub: id,
  email: 'ada@example.com',
  email_verified: false,
  name: 'Ada',
  given_name: 'Ada',
  preferred_username: id,
  nickname: id,
  groups: [],
});
