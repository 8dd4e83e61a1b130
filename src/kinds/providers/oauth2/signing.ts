import {
  constants,
  createHmac,
  createPublicKey,
  hash,
  type KeyObject,
  type SigningOptions,
  sign,
  X509Certificate,
} from 'node:crypto';
import { readPrivateKey } from '../../../lib/certificate.ts';
import { createLruCache } from '../../../lib/lru-cache.ts';
import { readPem } from '../../../lib/pem.ts';
import { type SecretBox, sealContext } from '../../../platform/keys.ts';
import type { Claims } from './claims.ts';
import type { Client, StoredKey } from './client.ts';
import { OAuthError } from './oauth-error.ts';
import { isFapi2, type SecurityProfile } from './security-profile.ts';

export type Alg = 'RS256' | 'PS256' | 'ES256' | 'ES384' | 'ES512' | 'EdDSA' | 'HS256';

/** RFC 7517 */
export type PublicJwk = Readonly<Record<string, unknown>>;

/** What tokens of a client are signed with. */
export interface SigningKey {
  readonly alg: Alg;
  /** Both null where the client's secret signs: nothing of that is published. */
  readonly kid: string | null;
  readonly jwk: PublicJwk | null;
  sign(bytes: Buffer): Promise<Buffer>;
}

export interface Signer {
  /** The key of a client as it is stored now. Throws when it has none that could sign. */
  keyOf(
    client: Pick<Client, 'signingKey' | 'client_secret' | 'security_profile' | 'id_token_signed_response_alg'>,
  ): SigningKey;
}

const maxKeys = 500;

/** Reading a key takes longer than signing with it, so keys are cached, each as it was stored. */
export function createSigner(box: SecretBox): Signer {
  const known = createLruCache<{ readonly stored: StoredKey; readonly key: SigningKey }>(maxKeys);
  function read(stored: StoredKey): SigningKey {
    const { pk, sealedKey, certificate, profile } = stored;
    const name = `${profile} ${pk}`;
    const last = known.get(name);
    // A changed pair has a new sealed value.
    if (last && last.stored.sealedKey === sealedKey && last.stored.certificate === certificate) return last.key;
    const pem = sealedKey === '' ? '' : box.open(sealedKey, sealContext('certificates', 'key_data', pk));
    const key = pairKey(pem, certificate, profile);
    known.set(name, { stored, key });
    return key;
  }

  return {
    keyOf(client) {
      if (client.signingKey !== null) return read(client.signingKey);
      if (client.id_token_signed_response_alg !== 'HS256')
        throw unusable('Neither the provider nor this server has a key pair to sign with.');
      if (isFapi2(client)) throw unusable('The provider has no signing key, which its security profile asks for.');
      return secretKey(client.client_secret);
    },
  };
}

function secretKey(secret: string): SigningKey {
  if (secret === '') throw unusable('The provider has neither a signing key nor a client secret to sign with.');
  return {
    alg: 'HS256',
    kid: null,
    jwk: null,
    sign: async (bytes) => createHmac('sha256', secret).update(bytes).digest(),
  };
}

function pairKey(pem: string, certificatePem: string, profile: SecurityProfile): SigningKey {
  const key = readPrivateKey(pem)?.key;
  if (!key) throw unusable('The signing key of the provider cannot be read.');
  const alg = algOf(key, profile);
  if (!alg) throw unusable('The signing key of the provider is of a kind that tokens cannot be signed with.');
  const publicKey = createPublicKey(key);
  const spki = publicKey.export({ format: 'der', type: 'spki' });
  // A pair that signs by two algorithms is published as two keys.
  const kid = hash('sha256', alg === 'PS256' ? Buffer.concat([spki, Buffer.from(alg)]) : spki, 'base64url');
  const jwk = { ...publicKey.export({ format: 'jwk' }), use: 'sig', alg, kid, ...certificateMembers(certificatePem) };
  return { alg, kid, jwk, sign: (bytes) => signWith(key, alg, bytes) };
}

const unusable = (text: string) => new OAuthError('server_error', text);

const ecAlgs: Readonly<Record<string, Alg>> = { prime256v1: 'ES256', secp384r1: 'ES384', secp521r1: 'ES512' };

/** Clients refuse shorter keys (RFC 7518 §3.3). */
const leastRsaBits = 2048;

/** Whether tokens can be signed with a key of this kind, so that clients accept them. */
export function canSign(key: KeyObject, profile: SecurityProfile): boolean {
  return algOf(key, profile) !== undefined && (key.asymmetricKeyDetails?.modulusLength ?? leastRsaBits) >= leastRsaBits;
}

function algOf(key: KeyObject, profile: SecurityProfile): Alg | undefined {
  const isNarrow = profile === 'fapi2';
  if (key.asymmetricKeyType === 'rsa') return isNarrow ? 'PS256' : 'RS256';
  if (key.asymmetricKeyType === 'ed25519') return 'EdDSA';
  const alg = key.asymmetricKeyType === 'ec' ? ecAlgs[key.asymmetricKeyDetails?.namedCurve ?? ''] : undefined;
  return isNarrow && alg !== 'ES256' ? undefined : alg;
}

const digests: Readonly<Record<Alg, string>> = {
  RS256: 'sha256',
  PS256: 'sha256',
  ES256: 'sha256',
  ES384: 'sha384',
  ES512: 'sha512',
  EdDSA: 'sha512',
  HS256: 'sha256',
};

/** RFC 7518 §3.3, §3.5 */
const forms: Readonly<Partial<Record<Alg, SigningOptions>>> = {
  RS256: { padding: constants.RSA_PKCS1_PADDING },
  PS256: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST },
};

/** Off the event loop, which would be blocked: RSA takes a millisecond and more. */
function signWith(key: KeyObject, alg: Alg, bytes: Buffer): Promise<Buffer> {
  const form = forms[alg] ?? { dsaEncoding: 'ieee-p1363' };
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  sign(alg === 'EdDSA' ? null : digests[alg], bytes, { key, ...form }, (error, signature) =>
    error ? reject(error) : resolve(signature),
  );
  return promise;
}

/** RFC 7517 §4.7, §4.9. Left out when the certificate is none that can be read. */
function certificateMembers(pem: string): Record<string, unknown> {
  const block = readPem(pem).find(({ label }) => label.endsWith('CERTIFICATE'));
  if (!block?.bytes) return {};
  try {
    const { raw } = new X509Certificate(block.bytes);
    return { x5c: [raw.toString('base64')], 'x5t#S256': hash('sha256', raw, 'base64url') };
  } catch {
    // The key alone serves clients just as well.
    return {};
  }
}

/** A signed token: `at+jwt` (RFC 9068), `JWT` for ID tokens, `logout+jwt`. */
export async function signJwt(key: SigningKey, typ: string, claims: Claims): Promise<string> {
  const { alg, kid } = key;
  const text = `${encode({ alg, typ, ...(kid !== null && { kid }) })}.${encode(claims)}`;
  const signature = await key.sign(Buffer.from(text));
  return `${text}.${signature.toString('base64url')}`;
}

const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url');

/** OpenID Connect Core §3.1.3.6, §3.3.2.11: the left half of the digest, for `at_hash` and `c_hash`. */
export function leftHalfHash(alg: Alg, text: string): string {
  const digest = hash(digests[alg], text, 'buffer');
  return digest.subarray(0, digest.length / 2).toString('base64url');
}
