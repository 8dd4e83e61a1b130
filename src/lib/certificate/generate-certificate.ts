import { createHash, generateKeyPair, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { promisify } from 'node:util';
import { readAddress } from '../cidr.ts';
import { writePem } from '../pem.ts';
import { derTag, readDer, writeBitString, writeDer, writeObjectId, writeUnsigned } from './der.ts';

export type CertificateAlgorithm = 'rsa' | 'ecdsa' | 'ed25519';

export interface CertificateRequest {
  commonName: string;
  /** Host names and IP addresses. */
  subjectAltNames: readonly string[];
  validityDays: number;
  algorithm: CertificateAlgorithm;
  /** Of an RSA key; 4096 unless said otherwise. */
  rsaBits?: 2048 | 3072 | 4096;
  notBefore?: Date;
}

export class UnusableAltName extends Error {
  override readonly name = 'UnusableAltName';

  constructor(altName: string) {
    super(`"${altName}" is neither a host name nor an IP address`);
  }
}

interface KeyPair {
  publicKey: KeyObject;
  privateKey: KeyObject;
}

const generate = promisify(generateKeyPair);
const signAside = promisify(sign);

const keyPairs: Record<CertificateAlgorithm, (request: CertificateRequest) => Promise<KeyPair>> = {
  rsa: ({ rsaBits = 4096 }) => generate('rsa', { modulusLength: rsaBits }),
  ecdsa: () => generate('ec', { namedCurve: 'P-256' }),
  ed25519: () => generate('ed25519'),
};

const nothing = writeDer(derTag.null);
const signatures: Record<CertificateAlgorithm, { digest: string | null; identifier: Uint8Array }> = {
  rsa: { digest: 'sha256', identifier: writeDer(derTag.sequence, writeObjectId('1.2.840.113549.1.1.11'), nothing) },
  ecdsa: { digest: 'sha256', identifier: writeDer(derTag.sequence, writeObjectId('1.2.840.10045.4.3.2')) },
  ed25519: { digest: null, identifier: writeDer(derTag.sequence, writeObjectId('1.3.101.112')) },
};

const digitalSignature = 0x80;
const keyEncipherment = 0x20;

/**
 * A self-signed certificate and its key (PKCS#8), both PEM. Keys are made and used off the event loop. Throws
 * `UnusableAltName` for an alternative name that no certificate can hold.
 */
export async function generateCertificate(request: CertificateRequest): Promise<{ certificate: string; key: string }> {
  const altNames = request.subjectAltNames.map(writeAltName);
  const { publicKey, privateKey } = await keyPairs[request.algorithm](request);
  const { digest, identifier } = signatures[request.algorithm];
  const toBeSigned = writeToBeSigned(request, altNames, publicKey.export({ type: 'spki', format: 'der' }), identifier);
  const signature = await signAside(digest, toBeSigned, privateKey);
  const certificate = writeDer(derTag.sequence, toBeSigned, identifier, writeBitString(signature));
  return {
    certificate: writePem('CERTIFICATE', certificate),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/** RFC 5280 §4.1.2. */
function writeToBeSigned(
  request: CertificateRequest,
  altNames: readonly Uint8Array[],
  publicKey: Uint8Array,
  signatureIdentifier: Uint8Array,
): Uint8Array {
  const name = writeCommonName(request.commonName);
  const versionThree = writeDer(0xa0, writeUnsigned(Uint8Array.of(2)));
  const extensions = writeExtensions(request.algorithm, altNames, publicKey);
  return writeDer(
    derTag.sequence,
    versionThree,
    writeUnsigned(randomBytes(16)),
    signatureIdentifier,
    name,
    writeValidity(request.notBefore ?? new Date(), request.validityDays),
    name,
    publicKey,
    writeDer(0xa3, writeDer(derTag.sequence, ...extensions)),
  );
}

function writeCommonName(commonName: string): Uint8Array {
  const value = writeDer(derTag.utf8String, Buffer.from(commonName));
  const attribute = writeDer(derTag.sequence, writeObjectId('2.5.4.3'), value);
  return writeDer(derTag.sequence, writeDer(derTag.set, attribute));
}

const earliestEnd = Date.UTC(1950, 0, 1);
// RFC 5280 §4.1.2.5: what a certificate without end has.
const latestEnd = Date.UTC(9999, 11, 31, 23, 59, 59);

function writeValidity(notBefore: Date, days: number): Uint8Array {
  const end = notBefore.getTime() + days * 86_400_000;
  const notAfter = new Date(Math.max(earliestEnd, Math.min(end, latestEnd)));
  return writeDer(derTag.sequence, writeTime(notBefore), writeTime(notAfter));
}

// RFC 5280 §4.1.2.5: two digits of the year through 2049, four from 2050.
function writeTime(date: Date): Uint8Array {
  const digits = `${date.toISOString().slice(0, 19).replace(/\D/g, '')}Z`;
  return date.getUTCFullYear() < 2050
    ? writeDer(derTag.utcTime, Buffer.from(digits.slice(2)))
    : writeDer(derTag.generalizedTime, Buffer.from(digits));
}

function writeExtensions(
  algorithm: CertificateAlgorithm,
  altNames: readonly Uint8Array[],
  publicKey: Uint8Array,
): Uint8Array[] {
  // RFC 8813 §3 and RFC 8410 §5: keys on elliptic curves encipher no keys. The lowest bits of the octet are unused.
  const usage =
    algorithm === 'rsa'
      ? writeBitString(Uint8Array.of(digitalSignature | keyEncipherment), 5)
      : writeBitString(Uint8Array.of(digitalSignature), 7);
  const noAuthority = writeDer(derTag.sequence);
  const keyIdentifier = writeDer(derTag.octetString, createHash('sha1').update(publicKeyBits(publicKey)).digest());
  const extensions = [
    writeExtension('2.5.29.19', noAuthority, true),
    writeExtension('2.5.29.15', usage, true),
    writeExtension('2.5.29.14', keyIdentifier, false),
  ];
  if (altNames.length) extensions.push(writeExtension('2.5.29.17', writeDer(derTag.sequence, ...altNames), false));
  return extensions;
}

function writeExtension(objectId: string, value: Uint8Array, isCritical: boolean): Uint8Array {
  const critical = isCritical ? [writeDer(derTag.boolean, Uint8Array.of(0xff))] : [];
  return writeDer(derTag.sequence, writeObjectId(objectId), ...critical, writeDer(derTag.octetString, value));
}

/** RFC 5280 §4.2.1.2 (1): the bits of the key, without the octet that counts unused bits. */
function publicKeyBits(publicKey: Uint8Array): Uint8Array {
  const [outer] = readDer(publicKey);
  const [, bits] = readDer(outer?.content ?? publicKey);
  return bits?.content.subarray(1) ?? publicKey;
}

function writeAltName(altName: string): Uint8Array {
  const address = isIP(altName) ? readAddress(altName) : null;
  if (address) return writeDer(0x87, address);
  const host = /^[\x21-\x7e]+$/.test(altName) ? altName : domainToASCII(altName);
  if (!host) throw new UnusableAltName(altName);
  return writeDer(0x82, Buffer.from(host));
}
