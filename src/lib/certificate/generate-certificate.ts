import { randomBytes, webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import type { Extension, JsonGeneralName } from '@peculiar/x509';
import { writePem } from '../pem.ts';

export type CertificateAlgorithm = 'rsa' | 'ecdsa' | 'ed25519';

export interface CertificateRequest {
  commonName: string;
  /** Host names and IP addresses. */
  subjectAltNames: readonly string[];
  validityDays: number;
  algorithm: CertificateAlgorithm;
  /** For RSA keys; by default 4096. */
  rsaBits?: 2048 | 3072 | 4096;
  notBefore?: Date;
}

export class UnusableAltName extends Error {
  override readonly name = 'UnusableAltName';

  constructor(altName: string) {
    super(`"${altName}" is neither a host name nor an IP address`);
  }
}

/** Loaded on first use: it is slow to load, and most processes never create a certificate. */
const loadLibrary = async () => (await import('./x509-library.ts')).library;

const algorithms = {
  rsa: ({ rsaBits = 4096 }: CertificateRequest) => ({
    name: 'RSASSA-PKCS1-v1_5',
    hash: 'SHA-256',
    modulusLength: rsaBits,
    publicExponent: Uint8Array.of(1, 0, 1),
  }),
  ecdsa: () => ({ name: 'ECDSA', hash: 'SHA-256', namedCurve: 'P-256' }),
  ed25519: () => ({ name: 'Ed25519' }),
};

/**
 * Creates a self-signed certificate and its key (PKCS#8), both PEM, off the event loop. Throws `UnusableAltName` for an
 * alternative name that a certificate cannot hold.
 */
export async function generateCertificate(request: CertificateRequest): Promise<{ certificate: string; key: string }> {
  const altNames = request.subjectAltNames.map(altName);
  const signingAlgorithm = algorithms[request.algorithm](request);
  const keys = await webcrypto.subtle.generateKey(signingAlgorithm, true, ['sign', 'verify']);
  if (!('privateKey' in keys)) throw new Error('the algorithm has no key pairs');
  const { X509CertificateGenerator, Name } = await loadLibrary();
  const certificate = await X509CertificateGenerator.createSelfSigned({
    // The highest bit is 0 and the next one 1: the number is positive and has a fixed length.
    serialNumber: Buffer.concat([Uint8Array.of(0x40), randomBytes(15)]).toString('hex'),
    name: new Name([{ CN: [{ utf8String: request.commonName }] }]),
    ...validity(request),
    signingAlgorithm,
    keys,
    extensions: await extensionsOf(request.algorithm, altNames, keys.publicKey),
  });
  const key = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return {
    certificate: writePem('CERTIFICATE', new Uint8Array(certificate.rawData)),
    key: writePem('PRIVATE KEY', new Uint8Array(key)),
  };
}

const earliestEnd = Date.UTC(1950, 0, 1);
// RFC 5280 §4.1.2.5: the end date of a certificate that never expires.
const latestEnd = Date.UTC(9999, 11, 31, 23, 59, 59);

function validity({ notBefore = new Date(), validityDays }: CertificateRequest): { notBefore: Date; notAfter: Date } {
  const end = notBefore.getTime() + validityDays * 86_400_000;
  return { notBefore, notAfter: new Date(Math.max(earliestEnd, Math.min(end, latestEnd))) };
}

async function extensionsOf(
  algorithm: CertificateAlgorithm,
  altNames: JsonGeneralName[],
  publicKey: webcrypto.CryptoKey,
): Promise<Extension[]> {
  const { BasicConstraintsExtension, KeyUsageFlags, KeyUsagesExtension, ...x509 } = await loadLibrary();
  // RFC 8813 §3 and RFC 8410 §5: elliptic-curve keys do not encipher keys.
  const enciphers = algorithm === 'rsa' ? KeyUsageFlags.keyEncipherment : 0;
  return [
    new BasicConstraintsExtension(false, undefined, true),
    new KeyUsagesExtension(KeyUsageFlags.digitalSignature | enciphers, true),
    await x509.SubjectKeyIdentifierExtension.create(publicKey),
    ...(altNames.length > 0 ? [new x509.SubjectAlternativeNameExtension(altNames)] : []),
  ];
}

function altName(text: string): JsonGeneralName {
  if (isIP(text)) return { type: 'ip', value: text };
  const host = /^[\x21-\x7e]+$/.test(text) ? text : domainToASCII(text);
  if (!host) throw new UnusableAltName(text);
  return { type: 'dns', value: host };
}
