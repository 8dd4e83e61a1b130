import { createHash } from 'node:crypto';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { randomToken } from '../../../src/platform/random.ts';
import { now } from './movable-clock.ts';

export interface ProofOptions {
  /** Undefined leaves a claim out. */
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
  /** For a proof that comes with an access token. */
  readonly accessToken?: string;
  readonly method?: string;
}

/** A key that a client holds, and can be made to misuse: every claim and header can be replaced. */
export interface DpopKey {
  readonly thumbprint: string;
  readonly privateJwk: JWK;
  prove(url: string, options?: ProofOptions): Promise<string>;
}

export async function dpopKey(): Promise<DpopKey> {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk = await exportJWK(publicKey);
  return {
    thumbprint: await calculateJwkThumbprint(jwk),
    privateJwk: await exportJWK(privateKey),
    prove(url, { claims = {}, header = {}, accessToken, method = 'POST' } = {}) {
      const usual = { jti: randomToken(), htm: method, htu: url, iat: now() };
      const ath = accessToken !== undefined && { ath: createHash('sha256').update(accessToken).digest('base64url') };
      const protectedHeader = { typ: 'dpop+jwt', alg: 'ES256', jwk, ...header };
      return new SignJWT({ ...usual, ...ath, ...claims }).setProtectedHeader(protectedHeader).sign(privateKey);
    },
  };
}
