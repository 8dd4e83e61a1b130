import { createHash, type KeyObject, sign, verify } from 'node:crypto';
import type { SignedXml } from 'xml-crypto';
import { digests, type Hash, type SignatureMethod, signatureMethods } from './algorithms.ts';

/** Signs the octets as XML signatures do: RSA with PKCS #1, EC as r and s side by side (RFC 4050). */
export function signOctets({ key, hash }: SignatureMethod, octets: string, privateKey: KeyObject): Buffer {
  requireKeyKind(key, privateKey);
  return sign(hash, Buffer.from(octets), { key: privateKey, dsaEncoding: 'ieee-p1363' });
}

export function verifyOctets(
  { key, hash }: SignatureMethod,
  octets: string,
  publicKey: KeyObject,
  signature: Buffer,
): boolean {
  if (publicKey.asymmetricKeyType !== key) return false;
  return verify(hash, Buffer.from(octets), { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature);
}

export function requireKeyKind(kind: SignatureMethod['key'], key: KeyObject): void {
  if (key.asymmetricKeyType !== kind) throw new Error(`A signature by ${kind} needs a key of that kind.`);
}

/** Gives the library our methods and digests and takes all of its own away, so that only those in the lists work. */
export function withOurAlgorithms(
  signed: SignedXml,
  keys: { readonly privateKey?: KeyObject; readonly publicKey?: KeyObject },
  isAllowed: (algorithm: { readonly hash: Hash }) => boolean,
  digest: Digest = digestOf,
): SignedXml {
  signed.SignatureAlgorithms = Object.fromEntries(
    Object.entries(signatureMethods)
      .filter(([, method]) => isAllowed(method))
      .map(([name, method]) => [name, signatureAlgorithm(name, method, keys)]),
  );
  signed.HashAlgorithms = Object.fromEntries(
    Object.entries(digests)
      .filter(([, hash]) => isAllowed({ hash }))
      .map(([name, hash]) => [name, hashAlgorithm(name, hash, digest)]),
  );
  return signed;
}

function signatureAlgorithm(
  name: string,
  method: SignatureMethod,
  keys: { readonly privateKey?: KeyObject; readonly publicKey?: KeyObject },
) {
  return class {
    getAlgorithmName = () => name;
    getSignature(octets: unknown): string {
      if (!keys.privateKey) throw new Error('The private key is missing.');
      return signOctets(method, String(octets), keys.privateKey).toString('base64');
    }
    verifySignature(octets: string, _key: unknown, signature: string): boolean {
      return (
        keys.publicKey !== undefined && verifyOctets(method, octets, keys.publicKey, Buffer.from(signature, 'base64'))
      );
    }
  };
}

/** The digest of a text, in base64. */
export type Digest = (hash: Hash, text: string) => string;

export const digestOf: Digest = (hash, text) => createHash(hash).update(text, 'utf8').digest('base64');

function hashAlgorithm(name: string, hash: Hash, digest: Digest) {
  return class {
    getAlgorithmName = () => name;
    getHash = (text: string) => digest(hash, text);
  };
}
