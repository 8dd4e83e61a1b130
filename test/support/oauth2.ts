import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { type CodeGrant, storeAuthorizationCode } from '../../src/kinds/providers/oauth2/grants.ts';
import { type CertificateAlgorithm, generateCertificate } from '../../src/lib/certificate/generate-certificate.ts';
import { addMilliseconds } from '../../src/platform/clock.ts';
import { randomToken } from '../../src/platform/random.ts';
import type { Answer } from './api.ts';
import { type Made, makeApplication, makeProvider } from './providers.ts';
import type { TestServer } from './server.ts';

export interface Relying {
  readonly provider: Made;
  readonly application: Made;
  readonly slug: string;
  readonly issuer: string;
  /** What an id and a secret make of an `Authorization` header. */
  readonly basic: string;
}

export const callback = 'https://app.example/callback';
const usualScopes = ['openid', 'email', 'profile', 'offline_access', 'gatehouse/api'];

/** An application with a provider that has the usual scopes. */
export async function makeRelying(
  server: TestServer,
  values: Record<string, unknown> = {},
  scopes: readonly string[] = usualScopes,
): Promise<Relying> {
  const provider = await makeProvider(server, { property_mappings: await mappingsOf(server, scopes), ...values });
  const application = await makeApplication(server, { provider: provider.pk });
  return {
    provider,
    application,
    slug: application.slug,
    issuer: `${server.world.config.publicUrl}/application/o/${application.slug}/`,
    basic: basicHeader(provider.client_id, provider.client_secret),
  };
}

export const basicHeader = (id: string, secret: string): string =>
  `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`;

/** Lets these clients ask for tokens that are meant for another. */
export async function admitClients(
  { admin }: TestServer,
  { provider }: Relying,
  clients: readonly Relying[],
): Promise<void> {
  const audience_clients = clients.map((client) => client.provider.pk);
  const { status, text } = await admin.patch(`/providers/oauth2/${provider.pk}/`, { audience_clients });
  if (status !== 200) throw new Error(text);
}

/** The scope mappings that every installation has. */
export async function mappingsOf({ world }: TestServer, scopes: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ pk: string }>`select s.pk from mapping_scope s join property_mappings m on m.pk = s.pk
    where m.managed is not null and s.scope_name in (${sql.join(scopes)})`.execute(world.db.read);
  return rows.map(({ pk }) => pk);
}

/** A pair of a kind to sign with. */
export async function makeKey({ admin }: TestServer, algorithm: CertificateAlgorithm = 'ecdsa'): Promise<string> {
  const request = { commonName: 'signs tokens', subjectAltNames: [], validityDays: 1, algorithm };
  const { certificate, key } = await generateCertificate({ ...request, rsaBits: 2048 });
  const body = { name: `key-${randomToken()}`, certificate_data: certificate, key_data: key };
  const { status, body: made } = await admin.post('/crypto/certificatekeypairs/', body);
  if (status !== 201) throw new Error(`no key: ${JSON.stringify(made)}`);
  return made.pk;
}

export type Fields = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A form sent to an endpoint, anonymous unless a header says who. */
export function post(
  { nobody }: TestServer,
  endpoint: string,
  fields: Fields,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined) form.append(name, one as string);
  }
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  return nobody.send('POST', `/application/o/${endpoint}/`, form.toString(), { ...type, ...headers });
}

export const verifier = 'a-verifier-for-tests-that-is-long-enough-0123456789';
export const challenge = hash('sha256', verifier, 'base64url');

/** A code as the authorize endpoint gives it out, with PKCE. */
export async function makeCode(
  { world }: TestServer,
  { provider }: Relying,
  user: number,
  values: Partial<CodeGrant> = {},
): Promise<string> {
  const now = world.clock.now();
  const code = randomToken();
  const grant: CodeGrant = {
    provider: provider.pk,
    user,
    session: null,
    scope: ['openid', 'email', 'offline_access'],
    now,
    authTime: now,
    expires: addMilliseconds(now, 60_000),
    code,
    redirectUri: callback,
    nonce: 'n-1',
    codeChallenge: challenge,
    codeChallengeMethod: 'S256',
    ...values,
  };
  await world.db.write((tx) => storeAuthorizationCode(tx, world.key, grant));
  return grant.code;
}

/** Exchanges a code, the usual way. */
export function exchangeCode(server: TestServer, relying: Relying, code: string, fields: Fields = {}): Promise<Answer> {
  const usual = { grant_type: 'authorization_code', code, redirect_uri: callback, code_verifier: verifier };
  return post(server, 'token', { ...usual, ...fields }, { authorization: relying.basic });
}

export const accessTokenType = 'urn:ietf:params:oauth:token-type:access_token';

/** Trades an access token for another (RFC 8693). */
export function tradeToken(
  server: TestServer,
  { basic }: Relying,
  subject_token: string,
  fields: Fields = {},
  headers: Record<string, string> = {},
): Promise<Answer> {
  const grant_type = 'urn:ietf:params:oauth:grant-type:token-exchange';
  const usual = { grant_type, subject_token, subject_token_type: accessTokenType };
  return post(server, 'token', { ...usual, ...fields }, { authorization: basic, ...headers });
}

/** Tokens of a user, by way of a code. */
export async function tokensFor(
  server: TestServer,
  relying: Relying,
  user: number,
  values: Partial<CodeGrant> = {},
): Promise<Made> {
  const { status, body } = await exchangeCode(server, relying, await makeCode(server, relying, user, values));
  if (status !== 200) throw new Error(`no tokens: ${JSON.stringify(body)}`);
  return body;
}
