import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readSubject } from './certificate/distinguished-name.ts';
import { readPem } from './pem.ts';

export interface CertificateFacts {
  /** Lower-case hex bytes joined by ":". */
  readonly fingerprintSha256: string;
  readonly fingerprintSha1: string;
  /** In UTC, as `YYYY-MM-DDTHH:MM:SS.ffffffZ`. */
  readonly notAfter: string;
  /** RFC 4514 text. */
  readonly subject: string;
  /** Whether the key is so short that its private key can be computed. */
  readonly hasWeakKey: boolean;
}

export interface PrivateKey {
  /** `rsa`, `ec`, `ed25519` and other key types of OpenSSL. */
  readonly type: string;
  readonly key: KeyObject;
}

/** The first certificate of a PEM text, expired or not; null if it cannot be loaded. */
export function readCertificate(pem: string): CertificateFacts | null {
  const certificate = loadCertificate(pem);
  if (!certificate) return null;
  try {
    return {
      fingerprintSha256: certificate.fingerprint256.toLowerCase(),
      fingerprintSha1: certificate.fingerprint.toLowerCase(),
      notAfter: certificate.validToDate.toISOString().replace('Z', '000Z'),
      subject: readSubject(certificate.raw),
      hasWeakKey: isWeak(certificate),
    };
  } catch {
    // OpenSSL loads certificates whose names or dates are malformed.
    return null;
  }
}

/** RSA keys of 829 bits have been factored in public; SAML peers with 1024 bits still exist. */
const minRsaBits = 1024;

function isWeak(certificate: X509Certificate): boolean {
  try {
    const { modulusLength = minRsaBits } = certificate.publicKey.asymmetricKeyDetails ?? {};
    return modulusLength < minRsaBits;
  } catch {
    // A public key of a type that OpenSSL does not support verifies nothing.
    return false;
  }
}

/**
 * The first private key of a PEM text, in PKCS#8, PKCS#1 or SEC1; null if it cannot be loaded, for example if
 * encrypted.
 */
export function readPrivateKey(pem: string): PrivateKey | null {
  const block = readPem(pem).find(({ label }) => label.endsWith('PRIVATE KEY'));
  const encoding = block && keyEncodings.get(block.label);
  if (!block?.bytes || !encoding) return null;
  try {
    const key = createPrivateKey({ key: Buffer.from(block.bytes), format: 'der', type: encoding });
    return key.asymmetricKeyType ? { type: key.asymmetricKeyType, key } : null;
  } catch {
    // OpenSSL reports an unloadable key only by throwing.
    return null;
  }
}

/** Also false if either cannot be loaded. */
export function keyMatchesCertificate(keyPem: string, certificatePem: string): boolean {
  const privateKey = readPrivateKey(keyPem);
  const certificate = loadCertificate(certificatePem);
  if (!privateKey || !certificate) return false;
  try {
    return certificate.checkPrivateKey(privateKey.key);
  } catch {
    // The certificate has a public key of a type that OpenSSL does not support.
    return false;
  }
}

const certificateLabels: ReadonlySet<string> = new Set(['CERTIFICATE', 'X509 CERTIFICATE']);
const keyEncodings: ReadonlyMap<string, 'pkcs8' | 'pkcs1' | 'sec1'> = new Map([
  ['PRIVATE KEY', 'pkcs8'],
  ['RSA PRIVATE KEY', 'pkcs1'],
  ['EC PRIVATE KEY', 'sec1'],
]);

function loadCertificate(pem: string): X509Certificate | null {
  const block = readPem(pem).find(({ label }) => certificateLabels.has(label));
  if (!block?.bytes) return null;
  try {
    const certificate = new X509Certificate(block.bytes);
    // Node would also accept PEM inside the base64, or trailing bytes.
    return certificate.raw.equals(block.bytes) ? certificate : null;
  } catch {
    // OpenSSL reports an unloadable certificate only by throwing.
    return null;
  }
}
