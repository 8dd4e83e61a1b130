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

export function createPemReader(): PemReader {
  const certificates = createLruCache<{ readonly facts: CertificateFacts | null }>(remembered);
  const keyTypes = createLruCache<{ readonly type: string | null }>(remembered);
  return {
    certificate(pem) {
      const name = hash('sha256', pem);
      const cached = certificates.get(name);
      if (cached) return cached.facts;
      const facts = readCertificate(pem);
      certificates.set(name, { facts });
      return facts;
    },
    keyType(pem) {
      if (pem === '') return null;
      // Cached by hash: a private key must not stay in memory longer than the request that reads it.
      const name = hash('sha256', pem);
      const cached = keyTypes.get(name);
      if (cached) return cached.type;
      const type = readPrivateKey(pem)?.type ?? null;
      keyTypes.set(name, { type });
      return type;
    },
  };
}
