import { sql } from 'kysely';
import { storeConsent } from '../../src/core/consent/consent.ts';
import {
  storeAccessToken,
  storeAuthorizationCode,
  storeRefreshToken,
  type TokenGrant,
} from '../../src/kinds/providers/oauth2/grants.ts';
import { addMilliseconds } from '../../src/platform/clock.ts';
import { randomText } from '../../src/platform/random.ts';
import type { TestServer } from './server.ts';

/** A flow, since every OAuth2 provider names one. */
export async function makeFlow({ admin }: TestServer): Promise<string> {
  const slug = `flow-${randomText(8)}`;
  const body = { name: slug, slug, title: slug, designation: 'authorization' };
  const { status, body: flow } = await admin.post('/flows/instances/', body);
  if (status !== 201) throw new Error(`no flow: ${JSON.stringify(flow)}`);
  return flow.pk;
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies freely
export type Made = any;

export async function makeProvider(server: TestServer, values: Record<string, unknown> = {}): Promise<Made> {
  const { status, body } = await server.admin.post('/providers/oauth2/', {
    name: `provider-${randomText(8)}`,
    authorization_flow: await makeFlow(server),
    redirect_uris: [{ matching_mode: 'strict', url: 'https://app.example/callback' }],
    ...(typeof values.signing_key !== 'string' && { id_token_signed_response_alg: 'HS256' }),
    property_mappings: [],
    ...values,
  });
  if (status !== 201) throw new Error(`no provider: ${JSON.stringify(body)}`);
  return body;
}

export async function makeApplication({ admin }: TestServer, values: Record<string, unknown> = {}): Promise<Made> {
  const slug = `app-${randomText(8)}`;
  const { status, body } = await admin.post('/core/applications/', { name: slug, slug, ...values });
  if (status !== 201) throw new Error(`no application: ${JSON.stringify(body)}`);
  return body;
}

export const grantKinds = {
  access_tokens: storeAccessToken,
  refresh_tokens: storeRefreshToken,
  authorization_codes: storeAuthorizationCode,
} as const;

/** A grant as the token endpoint would make it. */
export async function makeGrant(
  { world }: TestServer,
  kind: keyof typeof grantKinds,
  grant: Pick<TokenGrant, 'provider' | 'user'> & Partial<TokenGrant>,
): Promise<{ pk: number; token: string }> {
  const now = world.clock.now();
  const token = randomText(43);
  const whole = {
    session: null,
    scope: ['openid', 'email'],
    now,
    authTime: now,
    expires: addMilliseconds(now, 3_600_000),
    idToken: { iss: 'https://gate.example/', sub: 'x', claims: { nested: true } },
    token,
    code: token,
    redirectUri: 'https://app.example/callback',
    nonce: '',
    codeChallenge: '',
    codeChallengeMethod: '',
    ...grant,
  };
  await world.db.write((tx) => grantKinds[kind](tx, world.key, whole));
  const { rows } = await sql<{ pk: number }>`select max(pk) as pk from ${sql.table(`oauth2_${kind}`)}`.execute(
    world.db.read,
  );
  return { pk: rows[0]?.pk as number, token };
}

export const makeConsent = (
  { world }: TestServer,
  consent: Parameters<typeof storeConsent>[1],
  expires: string | null = null,
): Promise<number> => world.db.write((tx) => storeConsent(tx, consent, expires));
