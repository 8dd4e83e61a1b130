import { hash } from 'node:crypto';
import { type CertificateFacts, readCertificate, readPrivateKey } from '../../lib/certificate.ts';
import { createLruCache } from '../../lib/lru-cache.ts';

/** Parses PEM and caches the result, so that lists do not parse every certificate and key again. */
export interface PemReader {
  certificate(pem: string): CertificateFacts | null;
  /** `rsa`, `ec`, `ed25519`, …; null if there is no key or it cannot be loaded. */
  keyType(pem: string): string | null;
}

const remembered = 2_000;

export const createPemReader = (): PemReader => ({
  certificate: memoizeByHash(readCertificate),
  keyType: memoizeByHash((pem) => (pem === '' ? null : (readPrivateKey(pem)?.type ?? null))),
});

/** By hash: a private key must not stay in memory longer than the request that reads it. */
function memoizeByHash<Facts>(read: (pem: string) => Facts): (pem: string) => Facts {
  const known = createLruCache<{ readonly facts: Facts }>(remembered);
  return (pem) => {
    const name = hash('sha256', pem);
    const cached = known.get(name);
    if (cached) return cached.facts;
    const facts = read(pem);
    known.set(name, { facts });
    return facts;
  };
}
