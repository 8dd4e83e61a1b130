import { createHash, createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { generateCertificate } from './certificate/generate-certificate.ts';
import { keyMatchesCertificate, readCertificate, readPrivateKey } from './certificate.ts';
import { readPem, writePem } from './pem.ts';

const request = { subjectAltNames: [], validityDays: 30, algorithm: 'ecdsa' } as const;
const first = await generateCertificate({ ...request, commonName: 'first' });
const second = await generateCertificate({ ...request, commonName: 'second' });
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const ec = createPrivateKey(first.key);

const rsaPkcs1 = rsa.export({ type: 'pkcs1', format: 'pem' }).toString();
const ecSec1 = ec.export({ type: 'sec1', format: 'pem' }).toString();

test('a certificate tells its fingerprints, end and subject', () => {
  const bytes = readPem(first.certificate)[0]?.bytes ?? new Uint8Array();
  const fingerprint = (algorithm: string): string | undefined =>
    createHash(algorithm).update(bytes).digest('hex').match(/../g)?.join(':');
  const validTo = new X509Certificate(first.certificate).validToDate;
  expect(readCertificate(first.certificate)).toEqual({
    fingerprintSha256: fingerprint('sha256'),
    fingerprintSha1: fingerprint('sha1'),
    notAfter: `${validTo.toISOString().slice(0, 19)}.000000Z`,
    subject: 'CN=first',
    hasWeakKey: false,
  });
});

test('the first certificate of a chain counts, wherever it stands', () => {
  expect(readCertificate(first.certificate + second.certificate)?.subject).toBe('CN=first');
  expect(readCertificate(`${second.key}\nsubject=x\n${second.certificate}${first.certificate}`)?.subject).toBe(
    'CN=second',
  );
  expect(readCertificate(first.certificate.trim())?.subject).toBe('CN=first');
  expect(readCertificate(first.certificate.replaceAll('\n', '\r\n'))?.subject).toBe('CN=first');
  expect(readCertificate(first.certificate.replaceAll(' CERT', ' X509 CERT'))?.subject).toBe('CN=first');
});

test('a damaged first certificate is not passed over for the second', () => {
  expect(readCertificate(first.certificate.replace(/\n.{8}/, '\n********') + second.certificate)).toBeNull();
});

test('an expired certificate is loaded', async () => {
  const expired = await generateCertificate({ ...request, commonName: 'old', validityDays: -10 });
  expect(readCertificate(expired.certificate)?.subject).toBe('CN=old');
});

test.each([
  '',
  'certificate',
  first.key,
  writePem('CERTIFICATE', Uint8Array.of(0x30, 0x00)),
  writePem('CERTIFICATE', Buffer.from(first.certificate)),
  writePem('CERTIFICATE', Uint8Array.of(...(readPem(first.certificate)[0]?.bytes ?? []), 0)),
  first.certificate.replaceAll('CERTIFICATE', 'CERTIFICATE REQUEST'),
  first.certificate.replace(/\n[^\n]+\n-----END/, '\n-----END'),
])('not a certificate: %j', (text) => {
  expect(readCertificate(text)).toBeNull();
});

test.each([
  ['PKCS#8', first.key, 'ec'],
  ['SEC1', ecSec1, 'ec'],
  ['SEC1 after its parameters', `${writePem('EC PARAMETERS', Uint8Array.of(6, 1, 42))}${ecSec1}`, 'ec'],
  ['PKCS#1', rsaPkcs1, 'rsa'],
  ['PKCS#8 of RSA', rsa.export({ type: 'pkcs8', format: 'pem' }).toString(), 'rsa'],
  ['Ed25519', exportNew('ed25519'), 'ed25519'],
  ['X25519', exportNew('x25519'), 'x25519'],
  ['Ed448', exportNew('ed448'), 'ed448'],
  ['a key after its certificate', first.certificate + first.key, 'ec'],
  ['without the last new line', first.key.trim(), 'ec'],
])('a key is loaded: %s', (_, pem, type) => {
  const loaded = readPrivateKey(pem);
  expect(loaded?.type).toBe(type);
  expect(loaded?.key.type).toBe('private');
});

function exportNew(type: 'ed25519' | 'x25519' | 'ed448'): string {
  const options = {
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  } as const;
  if (type === 'ed25519') return generateKeyPairSync('ed25519', options).privateKey;
  return type === 'x25519'
    ? generateKeyPairSync('x25519', options).privateKey
    : generateKeyPairSync('ed448', options).privateKey;
}

const encryption = { cipher: 'aes-256-cbc', passphrase: 'secret', format: 'pem' } as const;

test.each([
  ['encrypted PKCS#8', rsa.export({ ...encryption, type: 'pkcs8' }).toString()],
  ['encrypted PKCS#1', rsa.export({ ...encryption, type: 'pkcs1' }).toString()],
  ['encrypted SEC1', ec.export({ ...encryption, type: 'sec1' }).toString()],
  ['an encrypted key before a plain one', rsa.export({ ...encryption, type: 'pkcs8' }).toString() + first.key],
  ['a public key', new X509Certificate(first.certificate).publicKey.export({ type: 'spki', format: 'pem' }).toString()],
  ['a certificate', first.certificate],
  ['a cut key', first.key.replace(/\n[^\n]+\n-----END/, '\n-----END')],
  ['an unknown kind', writePem('OPENSSH PRIVATE KEY', Uint8Array.of(1, 2, 3))],
  ['nothing', ''],
])('a key is refused: %s', (_, pem) => {
  expect(readPrivateKey(pem)).toBeNull();
});

test('a key matches its own certificate only', () => {
  expect(keyMatchesCertificate(first.key, first.certificate)).toBe(true);
  expect(keyMatchesCertificate(ecSec1, first.certificate)).toBe(true);
  expect(keyMatchesCertificate(second.key, first.certificate)).toBe(false);
  expect(keyMatchesCertificate(rsaPkcs1, first.certificate)).toBe(false);
  expect(keyMatchesCertificate(first.certificate, first.key)).toBe(false);
  expect(keyMatchesCertificate('', '')).toBe(false);
});

test('whatever byte of a certificate or key is changed, reading answers', () => {
  const blocks = [first.certificate, first.key, rsaPkcs1].flatMap(readPem);
  fc.assert(
    fc.property(fc.constantFrom(...blocks), fc.nat(), fc.nat(255), fc.boolean(), (block, place, value, cuts) => {
      const bytes = Uint8Array.from(block.bytes ?? []);
      bytes[place % bytes.length] = value;
      const pem = writePem(block.label, cuts ? bytes.subarray(0, (place % bytes.length) + 1) : bytes);
      expect(() => [readCertificate(pem), readPrivateKey(pem), keyMatchesCertificate(pem, pem)]).not.toThrow();
      expect(() => keyMatchesCertificate(first.key, pem)).not.toThrow();
    }),
    { numRuns: 2000 },
  );
});
