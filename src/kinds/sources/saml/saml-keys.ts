import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { loadKeyPair } from '../../../core/key/key-pair.ts';
import { readPem } from '../../../lib/pem.ts';
import { signatureMethods } from '../../../lib/xml/algorithms.ts';
import type { SigningKey } from '../../../lib/xml/sign.ts';
import type { Query } from '../../../platform/db/database.ts';
import type { ResourceWorld } from '../../../resource/call.ts';
import { misconfigured } from '../../../source/source-refusal.ts';
import type { SamlSource } from './saml-model.ts';

interface Reads {
  readonly query: Query;
  readonly world: ResourceWorld;
}

/**
 * All keys that may have signed what the identity provider sends: a pair may hold several certificates during a change.
 */
export async function verificationKeys(
  { verification_kp }: Pick<SamlSource, 'verification_kp'>,
  { query, world }: Reads,
): Promise<KeyObject[]> {
  const pair = verification_kp === null ? null : await loadKeyPair(query, world, verification_kp);
  if (!pair) throw misconfigured('It has no verification certificate.');
  return certificatesIn(pair.certificate).map((certificate) => certificate.publicKey);
}

const certificatesIn = (pem: string): X509Certificate[] =>
  readPem(pem).flatMap(({ label, bytes }) => (label === 'CERTIFICATE' && bytes ? [new X509Certificate(bytes)] : []));

/** What we sign with; null when the source is to send unsigned messages. */
export async function signingKey(
  source: Pick<SamlSource, 'signing_kp' | 'signature_algorithm' | 'digest_algorithm'>,
  { query, world }: Reads,
): Promise<SigningKey | null> {
  const { signing_kp, signature_algorithm: signatureAlgorithm, digest_algorithm: digestAlgorithm } = source;
  if (signing_kp === null) return null;
  const pair = await loadKeyPair(query, world, signing_kp);
  if (!pair?.key) throw misconfigured('Its signing pair has no private key.');
  const privateKey = createPrivateKey(pair.key);
  if (signatureMethods[signatureAlgorithm]?.key !== privateKey.asymmetricKeyType) {
    throw misconfigured('Its signature algorithm does not fit the key of its signing pair.');
  }
  return { privateKey, certificate: pair.certificate, signatureAlgorithm, digestAlgorithm };
}

/** What assertions are decrypted with; null when they come unencrypted. */
export async function decryptionKey(
  { encryption_kp }: Pick<SamlSource, 'encryption_kp'>,
  { query, world }: Reads,
): Promise<KeyObject | null> {
  if (encryption_kp === null) return null;
  const pair = await loadKeyPair(query, world, encryption_kp);
  if (!pair?.key) throw misconfigured('Its encryption pair has no private key.');
  return createPrivateKey(pair.key);
}
