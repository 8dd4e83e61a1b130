import { createPublicKey, hash, type KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';
import { sql } from 'kysely';
import { readPrivateKey } from '../../../lib/certificate.ts';
import type { Json } from '../../../lib/json.ts';
import { addMilliseconds } from '../../../platform/clock.ts';
import type { Query } from '../../../platform/db/database.ts';
import { type InstanceKey, sealContext } from '../../../platform/keys.ts';
import { isOwnPairSql } from '../../../provider/install-defaults.ts';
import type { ProtectedApplication } from './protected-application.ts';

export interface TokenNeeds {
  readonly key: Pick<InstanceKey, 'box'>;
  readonly publicUrl: string;
  readonly ownKey: OwnKey;
}

interface Signing {
  readonly alg: string;
  readonly kid: string;
  readonly key: KeyObject;
  readonly jwk: Readonly<Record<string, unknown>>;
}

/** The pair of this server, which signs the tokens; null if there is none that can. */
export type OwnKey = (query: Query) => Promise<Signing | null>;

/** Reading a key takes longer than signing with it, so the last one is kept, as it was stored. */
export function createOwnKey({ box }: Pick<InstanceKey, 'box'>): OwnKey {
  let last: { readonly sealed: string; readonly signing: Signing | null } | null = null;
  return async (query) => {
    const { rows } = await sql<{ pk: string; sealed: string }>`select c.pk, c.key_data as sealed from certificates c
      where ${isOwnPairSql('c')}`.execute(query);
    const [row] = rows;
    if (!row) return null;
    if (last?.sealed !== row.sealed)
      last = {
        sealed: row.sealed,
        signing: read(box.open(row.sealed, sealContext('certificates', 'key_data', row.pk))),
      };
    return last.signing;
  };
}

const algs: Readonly<Record<string, string>> = { rsa: 'RS256', ed25519: 'EdDSA' };
const curves: Readonly<Record<string, string>> = { prime256v1: 'ES256', secp384r1: 'ES384', secp521r1: 'ES512' };

function read(pem: string): Signing | null {
  const key = readPrivateKey(pem)?.key;
  if (!key) return null;
  const { asymmetricKeyType: type = '', asymmetricKeyDetails: details } = key;
  const alg = type === 'ec' ? curves[details?.namedCurve ?? ''] : algs[type];
  if (alg === undefined || (alg === 'RS256' && (details?.modulusLength ?? 0) < 2048)) return null;
  const publicKey = createPublicKey(key);
  const kid = hash('sha256', publicKey.export({ format: 'der', type: 'spki' }), 'base64url');
  return { alg, kid, key, jwk: { ...publicKey.export({ format: 'jwk' }), use: 'sig', alg, kid } };
}

export const issuerOf = (publicUrl: string, slug: string): string => `${publicUrl}/application/proxy/${slug}/`;
export const jwksPath = (slug: string): string => `/application/proxy/${slug}/jwks/`;

/** Applications get a new one each minute, so a leaked token expires soon. */
const lifetimeMs = 5 * 60_000;

/** What the headers say, signed: for applications that do not trust everybody in their network. */
export async function writeToken(
  { ownKey, publicUrl }: TokenNeeds,
  query: Query,
  { client_id, application: { slug } }: ProtectedApplication,
  facts: { readonly claims: Record<string, Json>; readonly now: string; readonly expires: string },
): Promise<{ readonly jwt: string; readonly jwks: string } | null> {
  const signing = await ownKey(query);
  if (!signing) return null;
  const latest = addMilliseconds(facts.now, lifetimeMs);
  const expires = facts.expires < latest ? facts.expires : latest;
  const jwt = await new SignJWT(facts.claims)
    .setProtectedHeader({ alg: signing.alg, kid: signing.kid, typ: 'JWT' })
    .setIssuer(issuerOf(publicUrl, slug))
    .setAudience(client_id)
    .setIssuedAt(new Date(facts.now))
    .setExpirationTime(new Date(expires))
    .sign(signing.key);
  return { jwt, jwks: `${publicUrl}${jwksPath(slug)}` };
}
