import { hash } from 'node:crypto';
import type { Keycloak } from '../../scripts/peers/keycloak/keycloak.ts';
import { benchPassword, rareWord } from '../load.ts';
import { basic, callback, liveTokenCount, redeemForm, verifier } from '../oauth/supply.ts';
import { type Acts, bearer, codeIn, cookiesAfter, type Send, sender } from './acts.ts';

const realm = 'bench';
const client = { clientId: 'bench', secret: 'the-secret-of-a-client-in-benchmarks' };
const userCount = 10_000;
const signInCount = 500;
const foundCount = 20;
/** Those who are read and changed: a longer list takes it minutes. */
const knownCount = 500;
const batchSize = 500;
const dayInSeconds = 86_400;
const openId = `/realms/${realm}/protocol/openid-connect`;
const authorization = basic(client.clientId, client.secret);

/** As many users as the other server has, and a client. Its events stay off, as it is delivered. */
export async function theirActs(keycloak: Keycloak): Promise<Acts> {
  const send = sender(keycloak.url);
  await keycloak.admin('PUT', '/master', { accessTokenLifespan: dayInSeconds });
  await keycloak.admin('POST', '', {
    realm,
    enabled: true,
    accessTokenLifespan: dayInSeconds,
    ssoSessionIdleTimeout: dayInSeconds,
    ssoSessionMaxLifespan: dayInSeconds,
  });
  await keycloak.admin('POST', `/${realm}/clients`, {
    ...client,
    publicClient: false,
    serviceAccountsEnabled: true,
    directAccessGrantsEnabled: true,
    redirectUris: [callback],
    // Only those whom a token is meant for may ask about it.
    protocolMappers: [
      {
        name: 'audience',
        protocol: 'openid-connect',
        protocolMapper: 'oidc-audience-mapper',
        config: { 'included.client.audience': client.clientId, 'access.token.claim': 'true' },
      },
    ],
  });
  for (let from = 0; from < userCount; from += batchSize) {
    const users = Array.from({ length: batchSize }, (_, index) => userAt(from + index));
    await keycloak.admin('POST', `/${realm}/partialImport`, { ifResourceExists: 'FAIL', users });
  }
  const users: User[] = await keycloak.admin('GET', `/${realm}/users?max=${knownCount}&briefRepresentation=true`);
  const token = await keycloak.token();
  return actsOf(send, {
    headers: bearer(token),
    known: users,
    session: await signIn(send, 0),
    accessTokens: await accessTokens(send),
  });
}

const nameAt = (number: number) => `user-${number}${number < foundCount ? rareWord : ''}`;

const userAt = (number: number) => ({
  username: nameAt(number),
  email: `${nameAt(number)}@example.com`,
  firstName: 'User',
  lastName: String(number),
  enabled: true,
  ...(number < signInCount && { credentials: [{ type: 'password', value: benchPassword }] }),
});

const authorizeUrl = `${openId}/auth?${new URLSearchParams({
  response_type: 'code',
  client_id: client.clientId,
  redirect_uri: callback,
  scope: 'openid email profile',
  code_challenge: hash('sha256', verifier, 'base64url'),
  code_challenge_method: 'S256',
})}`;

/** The cookies of a user who has signed in and got a code. */
async function signIn(send: Send, number: number): Promise<string> {
  const page = await send(authorizeUrl);
  const cookie = cookiesAfter(page);
  const action = /<form[^>]*\baction="([^"]+)"/.exec(page.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
  const body = new URLSearchParams({ username: nameAt(number % signInCount), password: benchPassword });
  const answer = await send(action, { method: 'POST', headers: { cookie }, body, expected: 302 });
  codeIn(answer);
  return cookiesAfter(answer, cookie);
}

/** Live tokens of users. */
async function accessTokens(send: Send): Promise<string[]> {
  const tokens: string[] = [];
  for (let number = 0; number < liveTokenCount; number++) {
    const body = new URLSearchParams({
      grant_type: 'password',
      username: nameAt(number),
      password: benchPassword,
      scope: 'openid',
    });
    const answer = await send(`${openId}/token`, { method: 'POST', headers: { authorization }, body });
    tokens.push(JSON.parse(answer.text).access_token);
  }
  return tokens;
}

interface User {
  readonly id: string;
  readonly email: string;
  readonly lastName: string;
}

interface Known {
  readonly headers: Record<string, string>;
  readonly known: readonly User[];
  /** Cookies of a signed-in user. */
  readonly session: string;
  readonly accessTokens: readonly string[];
}

function actsOf(send: Send, { headers, known, session, accessTokens }: Known): Acts {
  const users = `/admin/realms/${realm}/users`;
  const knownAt = (number: number) => known[number % known.length] as User;
  const tokenAt = (number: number) => accessTokens[number % accessTokens.length] as string;
  const post = (path: string, form: Record<string, string>) =>
    send(`${openId}${path}`, { method: 'POST', headers: { authorization }, body: new URLSearchParams(form) });
  const create = (number: number) =>
    send(users, {
      method: 'POST',
      headers,
      body: {
        username: `new-${number}`,
        firstName: 'New',
        lastName: String(number),
        email: `new-${number}@example.com`,
      },
      expected: 201,
    });
  return {
    async 'client credentials: access token'() {
      await post('/token', { grant_type: 'client_credentials' });
    },
    async introspection(number) {
      const { text } = await post('/token/introspect', { token: tokenAt(number) });
      if (JSON.parse(text).active !== true) throw new Error('the token is not active');
    },
    async userinfo(number) {
      await send(`${openId}/userinfo`, { headers: bearer(tokenAt(number)) });
    },
    async 'authorization of a user with a session, and code exchange'() {
      const answer = await send(authorizeUrl, { headers: { cookie: session }, expected: 302 });
      await post('/token', redeemForm('authorization_code', codeIn(answer)));
    },
    async 'reading a user'(number) {
      await send(`${users}/${knownAt(number).id}`, { headers });
    },
    async 'a page of 20 users'(number) {
      await send(`${users}?max=20&first=${20 * (number % 5)}`, { headers });
    },
    async 'search of users by three letters, 20 found'() {
      const { text } = await send(`${users}?max=20&search=*${rareWord}*`, { headers });
      if (JSON.parse(text).length !== foundCount) throw new Error('not all were found');
    },
    async 'changing a user'(number) {
      const { id, email, lastName } = knownAt(number);
      const body = { email, lastName, firstName: `Changed ${number}` };
      await send(`${users}/${id}`, { method: 'PUT', headers, body, expected: 204 });
    },
    async 'creating a user'(number) {
      await create(number);
    },
    async 'creating and deleting a user'(number) {
      const { headers: created } = await create(number);
      await send(created.get('location') ?? '', { method: 'DELETE', headers, expected: 204 });
    },
    async 'sign-in by password, up to the code for an application'(number) {
      await signIn(send, number);
    },
  };
}
