import { readPrivateKey } from '../../../lib/certificate.ts';
import { createLruCache } from '../../../lib/lru-cache.ts';
import type { SigningKey } from '../../../lib/xml/sign.ts';
import { type SecretBox, sealContext } from '../../../platform/keys.ts';
import type { ServiceProvider, StoredPair } from './service-provider.ts';

type Signing = Pick<ServiceProvider, 'signing' | 'digest_algorithm' | 'signature_algorithm'>;

/** The key that signs messages to a service provider; null if they are not signed. */
export type KeyOf = (provider: Signing) => SigningKey | null;

const maxKeys = 500;

/** Reading a key takes longer than signing with it, so keys are cached, each as it was stored. */
export function createKeyOf(box: SecretBox): KeyOf {
  const known = createLruCache<{ readonly sealedKey: string; readonly key: SigningKey['privateKey'] }>(maxKeys);
  function read({ pk, sealedKey }: StoredPair): SigningKey['privateKey'] {
    const last = known.get(pk);
    // A changed pair has a new sealed value.
    if (last?.sealedKey === sealedKey) return last.key;
    const pem = sealedKey === '' ? '' : box.open(sealedKey, sealContext('certificates', 'key_data', pk));
    const key = readPrivateKey(pem)?.key;
    if (!key) throw new Error('The signing pair of the provider has no key that can be read.');
    known.set(pk, { sealedKey, key });
    return key;
  }
  return ({ signing, digest_algorithm: digestAlgorithm, signature_algorithm: signatureAlgorithm }) =>
    signing && { privateKey: read(signing), certificate: signing.certificate, signatureAlgorithm, digestAlgorithm };
}
