import { hash } from 'node:crypto';
import { addMilliseconds } from '../../../platform/clock.ts';
import type { Call } from '../../../resource/call.ts';
import { seconds } from './claims.ts';
import type { Client } from './client.ts';
import type { OAuthDependencies } from './dependencies.ts';
import { OAuthError } from './oauth-error.ts';
import { markUsed } from './replay-protection.ts';
import { checkAnonymousQuota } from './requests.ts';
import { algorithmsOf } from './security-profile.ts';

interface ProofRequest {
  readonly client: Pick<Client, 'security_profile'>;
  /** How the client proved itself; omitted where an access token authenticates the client. */
  readonly method?: string;
  /** The access token that comes with it. */
  readonly accessToken?: string;
  /** The status of a refusal: 401 where a token is presented. */
  readonly status?: number;
}

/** How long after it was made a proof is taken, and how far ahead a client's clock may be. */
const validForSeconds = 60;
/**
 * Longer than any proof is taken: one from a clock ahead is taken twice as long, to the end of a second, and clocks of
 * instances differ.
 */
const rememberedForMs = 3 * validForSeconds * 1000;
const maxProofLength = 8_192;
const maxIdLength = 256;

/** The thumbprint of the key that a request proves to hold (RFC 9449 §4.3); null when it brings no proof. */
export async function readDpopProof(
  { key, publicUrl }: Pick<OAuthDependencies, 'key' | 'publicUrl'>,
  call: Call,
  { client, method, accessToken, status = 400 }: ProofRequest,
): Promise<string | null> {
  const proof = call.request.header('dpop');
  if (proof === undefined) return null;
  const refuse = (text: string) => new OAuthError('invalid_dpop_proof', text, { status });
  // Two headers come joined by a comma, which no proof holds.
  if (proof.length > maxProofLength || proof.includes(',')) throw refuse('There must be one DPoP proof.');
  const { calculateJwkThumbprint, EmbeddedJWK, errors, jwtVerify } = await import('jose');
  try {
    const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, {
      typ: 'dpop+jwt',
      algorithms: algorithmsOf(client),
      currentDate: new Date(call.now),
    });
    const { jti, iat, htm, htu, ath } = payload;
    if (typeof jti !== 'string' || jti === '' || jti.length > maxIdLength) throw refuse('The proof has no jti.');
    if (htm !== call.request.method) throw refuse('htm is not the method of the request.');
    if (withoutQuery(htu) !== `${publicUrl}${call.request.path}`) throw refuse('htu is not where the request went.');
    if (typeof iat !== 'number' || Math.abs(seconds(call.now) - iat) > validForSeconds) {
      throw refuse('The proof was not made just now.');
    }
    const expected = accessToken === undefined ? undefined : hash('sha256', accessToken, 'base64url');
    if (ath !== expected) throw refuse('ath is not the hash of the access token.');
    const jwk = protectedHeader.jwk;
    if (!jwk || 'd' in jwk || 'k' in jwk) throw refuse('The proof must hold a public key and nothing more.');
    const thumbprint = await calculateJwkThumbprint(jwk);
    await checkAnonymousQuota(call, 'oauth2_seen', method);
    const expires = addMilliseconds(call.now, rememberedForMs);
    const use = { use: 'dpop proof', id: `${thumbprint} ${jti}`, expires };
    if (!(await call.db.write((tx) => markUsed(tx, key, use)))) throw refuse('The proof was used before.');
    return thumbprint;
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof TypeError) throw refuse('The DPoP proof is invalid.');
    throw error;
  }
}

/** RFC 9449 §4.3: without query and fragment, compared after normalization. */
function withoutQuery(htu: unknown): string | null {
  const url = typeof htu === 'string' ? URL.parse(htu) : null;
  if (!url) return null;
  url.search = '';
  url.hash = '';
  return url.href;
}
