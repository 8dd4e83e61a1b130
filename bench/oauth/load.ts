import { hash } from 'node:crypto';
import { sql } from 'kysely';
import type { World } from '../../src/app/world.ts';
import { storeAuthorizationCode, storeRefreshToken } from '../../src/kinds/providers/oauth2/grants.ts';
import { generateCertificate } from '../../src/lib/certificate/generate-certificate.ts';
import { addMilliseconds } from '../../src/platform/clock.ts';
import { randomToken } from '../../src/platform/random.ts';
import { headersOf } from '../capture.ts';
import { type Made, makeObject } from '../open-app.ts';
import { sessionCookie } from '../session.ts';
import type { FloorOrder } from './floor.ts';
import {
  basic,
  callback,
  formOf,
  liveTokenCount,
  type OAuthRowName,
  type ReadyRequest,
  redeemForm,
  type Supply,
  userScopes,
  verifier,
} from './supply.ts';

const dayMs = 86_400_000;
const root = '/application/o';
const challenge = hash('sha256', verifier, 'base64url');

/** A row as it is asked of our server, and one answer of it for the floor to give as well. */
export interface LoadedRow {
  readonly supply: Supply;
  readonly floor: FloorOrder;
}

export interface LoadedOAuth {
  /** What signs the tokens, for the others to sign with. */
  readonly privateKey: string;
  readonly rows: Readonly<Record<OAuthRowName, LoadedRow>>;
  /** Asks for a code with the cookie of a session. */
  readonly authorization: Supply;
}

/** One application, one user, and enough codes and refresh tokens for the run. */
export async function loadOAuth(world: World, url: string, count: number): Promise<LoadedOAuth> {
  const pair = await generateCertificate({
    commonName: 'bench',
    subjectAltNames: [],
    validityDays: 1,
    algorithm: 'ecdsa',
    rsaBits: 2048,
  });
  const signing = { name: 'bench', certificate_data: pair.certificate, key_data: pair.key };
  const flow = { name: 'bench-oauth', slug: 'bench-oauth', title: 'Bench', designation: 'authorization' };
  const provider = await makeObject(url, '/providers/oauth2/', {
    name: 'bench-oauth',
    authorization_flow: (await makeObject(url, '/flows/instances/', flow)).pk,
    signing_key: (await makeObject(url, '/crypto/certificatekeypairs/', signing)).pk,
    redirect_uris: [{ matching_mode: 'strict', url: callback }],
    property_mappings: await mappingsOf(world, [...userScopes, 'gatehouse/api']),
  });
  await makeObject(url, '/core/applications/', { name: 'Bench', slug: 'bench', provider: provider.pk });
  const { pk: user } = await makeObject(url, '/core/users/', {
    username: 'ada',
    name: 'Ada',
    email: 'ada@example.com',
  });
  const authorization = basic(String(provider.client_id), String(provider.client_secret));

  async function answerTo({ method, path, requests }: Supply, at = 0): Promise<FloorOrder> {
    const { authorization, form } = requests[at] as ReadyRequest;
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { authorization, ...(form !== null && { 'content-type': 'application/x-www-form-urlencoded' }) },
      body: form,
    });
    if (answer.status !== 200) throw new Error(`${path} answers ${answer.status}: ${await answer.text()}`);
    const body = (await answer.json()) as FloorOrder['body'];
    const signed = ['access_token', 'id_token'].filter((name) => name in body);
    return { headers: headersOf(answer.headers), body, signed };
  }
  const token = (requests: ReadyRequest[], isSingleUse: boolean): Supply => ({
    method: 'POST',
    path: `${root}/token/`,
    requests,
    isSingleUse,
  });
  /** The first of them is used up for the floor's sake. */
  async function singleUse(
    grant: 'authorization_code' | 'refresh_token',
    given: readonly string[],
  ): Promise<LoadedRow> {
    const requests = given.map((one) => ({ authorization, form: formOf(redeemForm(grant, one)) }));
    const floor = await answerTo(token(requests, true));
    return { supply: token(requests.slice(1), true), floor };
  }
  const repeated = async (supply: Supply): Promise<LoadedRow> => ({ supply, floor: await answerTo(supply) });

  const whose = { provider: provider.pk as number, user: user as number };
  const codes = await storeCodes(world, whose, count + liveTokenCount + 1);
  const exchanges = codes.splice(0, liveTokenCount).map((code) => ({
    authorization,
    form: formOf(redeemForm('authorization_code', code)),
  }));
  const live: Made[] = [];
  for (const at of exchanges.keys()) live.push((await answerTo(token(exchanges, true), at)).body);
  const accessTokens = live.map(({ access_token }) => String(access_token));
  const refreshTokens = await storeRefreshTokens(world, whose, claimsIn(String(live[0]?.id_token)), count + 1);

  const query = new URLSearchParams({
    response_type: 'code',
    // So that the answer is a page, not a redirect.
    response_mode: 'form_post',
    client_id: String(provider.client_id),
    redirect_uri: callback,
    scope: userScopes.join(' '),
    code_challenge: challenge,
    code_challenge_method: 'S256',
  });
  const authorizePath = `${root}/authorize/?${query}`;
  const cookie = await sessionCookie(world, whose.user);
  const page = await fetch(`${url}${authorizePath}`, { headers: { cookie } });
  const html = await page.text();
  if (!/name="code"/.test(html)) throw new Error(`no code was given out: ${page.status} ${html}`);

  return {
    privateKey: pair.key,
    authorization: {
      method: 'GET',
      path: authorizePath,
      requests: [{ authorization: '', cookie, form: null }],
      isSingleUse: false,
    },
    rows: {
      client_credentials: await repeated(
        token([{ authorization, form: formOf({ grant_type: 'client_credentials', scope: 'gatehouse/api' }) }], false),
      ),
      authorization_code: await singleUse('authorization_code', codes),
      refresh_token: await singleUse('refresh_token', refreshTokens),
      introspection: await repeated({
        method: 'POST',
        path: `${root}/introspect/`,
        requests: accessTokens.map((one) => ({ authorization, form: formOf({ token: one }) })),
        isSingleUse: false,
      }),
      userinfo: await repeated({
        method: 'GET',
        path: `${root}/userinfo/`,
        requests: accessTokens.map((one) => ({ authorization: `Bearer ${one}`, form: null })),
        isSingleUse: false,
      }),
    },
  };
}

async function mappingsOf({ db }: World, scopes: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ pk: string }>`select s.pk from mapping_scope s join property_mappings m on m.pk = s.pk
    where m.managed is not null and s.scope_name in (${sql.join(scopes)})`.execute(db.read);
  return rows.map(({ pk }) => pk);
}

type Whose = { readonly provider: number; readonly user: number };

function grantOf({ clock }: World, whose: Whose) {
  const now = clock.now();
  return { ...whose, session: null, scope: userScopes, now, authTime: now, expires: addMilliseconds(now, dayMs) };
}

/** As the authorize endpoint gives them out. */
async function storeCodes(world: World, whose: Whose, count: number): Promise<string[]> {
  const codes = Array.from({ length: count }, randomToken);
  const grant = grantOf(world, whose);
  const pkce = { codeChallenge: challenge, codeChallengeMethod: 'S256' };
  await world.db.write(async (tx) => {
    for (const code of codes) {
      await storeAuthorizationCode(tx, world.key, { ...grant, ...pkce, code, redirectUri: callback, nonce: 'n-1' });
    }
  });
  return codes;
}

async function storeRefreshTokens(world: World, whose: Whose, idToken: Made, count: number): Promise<string[]> {
  const tokens = Array.from({ length: count }, randomToken);
  const grant = grantOf(world, whose);
  await world.db.write(async (tx) => {
    for (const token of tokens) await storeRefreshToken(tx, world.key, { ...grant, token, idToken });
  });
  return tokens;
}

const claimsIn = (jwt: string): Made => JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString());
