import type { KeyObject } from 'node:crypto';
import { sql } from 'kysely';
import { asObject, asText } from '../../../lib/json.ts';
import type { Complaints } from '../../../lib/problem.ts';
import type { Query } from '../../../platform/db/database.ts';
import { isKeySet } from '../../../platform/fetch/remote-keys.ts';
import { ownSigningKey } from '../../../provider/install-defaults.ts';
import { lengthOf } from './claims.ts';
import type { RedirectUri } from './redirect-uris.ts';
import { fapi2Algorithms } from './security-profile.ts';
import { publicKeyOf } from './signing-pair.ts';

const maxCodeMs = 60_000;
const leastRsaBits = 2048;
const refusedGrants = ['implicit', 'hybrid', 'password'];
const goodKeys = 'RSA with at least 2048 bits, EC on P-256, or Ed25519';

export interface Fapi2Settings {
  readonly client_type: string;
  readonly grant_types: readonly string[];
  readonly access_code_validity: string;
  readonly redirect_uris: readonly RedirectUri[];
  readonly post_logout_redirect_uris: readonly RedirectUri[];
  readonly jwks: unknown;
  readonly jwks_uri: string;
  readonly jwks_sources: readonly string[];
  readonly signing_key: string | null;
  readonly id_token_signed_response_alg: string;
}

/** The settings of a provider that contradict the FAPI 2.0 Security Profile (§5.3.2, §5.4.1). */
export async function fapi2Complaints(tx: Query, values: Fapi2Settings): Promise<Complaints> {
  const complaints: Complaints = {};
  const complain = (member: string, text: string | null) => {
    if (text !== null) complaints[member] = [`FAPI 2.0: ${text}`];
  };
  complain('client_type', values.client_type === 'public' ? 'the client must be confidential.' : null);
  complain('grant_types', grantsComplaint(values.grant_types));
  complain('access_code_validity', codeComplaint(values.access_code_validity));
  complain('redirect_uris', redirectComplaint(values.redirect_uris));
  complain('post_logout_redirect_uris', patternComplaint(values.post_logout_redirect_uris));
  complain('jwks', keysComplaint(values));
  complain('jwks_uri', addressComplaint(values.jwks_uri));
  const isBySecret = values.id_token_signed_response_alg === 'HS256';
  complain('id_token_signed_response_alg', isBySecret ? 'tokens must be signed with a key pair.' : null);
  complain('signing_key', await signingKeyComplaint(tx, values.signing_key ?? (await ownSigningKey(tx))));
  return complaints;
}

function grantsComplaint(grants: readonly string[]): string | null {
  const refused = grants.filter((grant) => refusedGrants.includes(grant));
  return refused.length > 0 ? `these grant types are not allowed: ${refused.join(', ')}.` : null;
}

/** §5.3.2.1 */
function codeComplaint(validity: string): string | null {
  return lengthOf(validity) > maxCodeMs ? 'authorization codes must end within 60 seconds.' : null;
}

/** §5.3.2.2: over TLS, or to an app on the device itself (RFC 8252 §7.3). */
function redirectComplaint(uris: readonly RedirectUri[]): string | null {
  const open = uris.find(({ url }) => {
    const parsed = URL.parse(url);
    return parsed?.protocol === 'http:' && parsed.hostname !== '127.0.0.1' && parsed.hostname !== '[::1]';
  });
  return patternComplaint(uris) ?? (open ? `${open.url} must use https.` : null);
}

function patternComplaint(uris: readonly RedirectUri[]): string | null {
  const isExact = uris.every(({ matching_mode }) => matching_mode === 'strict');
  return isExact ? null : 'addresses must be compared as they are (strict).';
}

/** §5.3.2.1: the client authenticates by private_key_jwt. */
function keysComplaint({ jwks, jwks_uri, jwks_sources }: Fapi2Settings): string | null {
  if (!isKeySet(jwks)) {
    const hasOthers = jwks_uri !== '' || jwks_sources.length > 0;
    return hasOthers ? null : 'the client authenticates with a key; set jwks or jwks_uri.';
  }
  const { keys } = asObject(jwks);
  return [keys].flat().every((key) => isGoodJwk(asObject(key))) ? null : `keys must be ${goodKeys}.`;
}

function isGoodJwk({ kty, crv, n, alg }: Record<string, unknown>): boolean {
  if (alg !== undefined && !fapi2Algorithms.includes(asText(alg))) return false;
  if (kty === 'EC') return crv === 'P-256';
  if (kty === 'OKP') return crv === 'Ed25519';
  return kty === 'RSA' && typeof n === 'string' && Buffer.from(n, 'base64url').length * 8 >= leastRsaBits;
}

const addressComplaint = (uri: string): string | null =>
  uri === '' || URL.parse(uri)?.protocol === 'https:' ? null : 'the keys must be fetched over https.';

async function signingKeyComplaint(tx: Query, pk: unknown): Promise<string | null> {
  if (pk === null) return 'neither the provider nor this server has a key pair to sign with.';
  const { rows } = await sql<{ certificate_data: string }>`select certificate_data from certificates
    where pk = ${pk}`.execute(tx);
  const key = rows[0] && publicKeyOf(rows[0].certificate_data);
  return key && isGoodKey(key) ? null : `the signing key must be ${goodKeys}.`;
}

function isGoodKey({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): boolean {
  if (type === 'rsa') return (details?.modulusLength ?? 0) >= leastRsaBits;
  return type === 'ed25519' || (type === 'ec' && details?.namedCurve === 'prime256v1');
}
