import { spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:tls';
import { expect, test } from 'vitest';
import { keyMatchesCertificate, readCertificate, readPrivateKey } from '../certificate.ts';
import { type CertificateRequest, generateCertificate, UnusableAltName } from './generate-certificate.ts';

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;
const request: CertificateRequest = {
  commonName: 'login.example.com',
  subjectAltNames: ['login.example.com', '*.example.com', '192.0.2.1', '2001:db8::1', 'bücher.example'],
  validityDays: 365,
  algorithm: 'ecdsa',
};

test.each([
  ['ecdsa', 'ec', { namedCurve: 'prime256v1' }],
  ['ed25519', 'ed25519', {}],
  ['rsa', 'rsa', { modulusLength: 4096 }],
] as const)('a certificate of %s signs itself and belongs to its key', async (algorithm, type, details) => {
  const { certificate, key } = await generateCertificate({ ...request, algorithm });
  const loaded = new X509Certificate(certificate);
  expect(loaded.verify(loaded.publicKey)).toBe(true);
  expect(loaded.issuer).toBe(loaded.subject);
  expect(loaded.ca).toBe(false);
  expect(keyMatchesCertificate(key, certificate)).toBe(true);
  expect(readPrivateKey(key)?.type).toBe(type);
  expect(readCertificate(certificate)?.subject).toBe('CN=login.example.com');
  expect(loaded.publicKey.asymmetricKeyDetails).toMatchObject(details);
});

test('generating a large key does not block the event loop', async () => {
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 1);
  await generateCertificate({ ...request, algorithm: 'rsa' });
  clearInterval(timer);
  expect(turns).toBeGreaterThan(10);
});

test.skipIf(!hasOpenssl).each([
  ['ecdsa', 'Digital Signature'],
  ['ed25519', 'Digital Signature'],
  ['rsa', 'Digital Signature, Key Encipherment'],
] as const)('OpenSSL reads what the key of an %s certificate may be used for', async (algorithm, usage) => {
  const { certificate } = await generateCertificate({ ...request, algorithm });
  const printed = spawnSync('openssl', ['x509', '-noout', '-text'], { input: certificate, encoding: 'utf8' });
  expect(printed.stdout.replace(/^ +/gm, ' ')).toContain(`X509v3 Key Usage: critical\n ${usage}\n`);
});

test('alternative names are encoded as DNS names or IP addresses', async () => {
  const { certificate } = await generateCertificate(request);
  expect(new X509Certificate(certificate).subjectAltName).toBe(
    'DNS:login.example.com, DNS:*.example.com, IP Address:192.0.2.1, IP Address:2001:DB8:0:0:0:0:0:1, DNS:xn--bcher-kva.example',
  );
  const bare = await generateCertificate({ ...request, subjectAltNames: [] });
  expect(new X509Certificate(bare.certificate).subjectAltName).toBeUndefined();
});

test.each(['', ' ', 'two words', 'a\0b', '\u3000'])('the name %j has no place in a certificate', async (altName) => {
  await expect(generateCertificate({ ...request, subjectAltNames: ['ok.example', altName] })).rejects.toThrow(
    UnusableAltName,
  );
});

test.each([
  [1, '2024-02-02T03:04:05.000000Z'],
  [365, '2025-01-31T03:04:05.000000Z'],
  [-1, '2024-01-31T03:04:05.000000Z'],
  [9_500, '2050-02-04T03:04:05.000000Z'],
  [99_999_999_999, '9999-12-31T23:59:59.000000Z'],
  [-99_999_999_999, '1950-01-01T00:00:00.000000Z'],
])('a certificate valid for %d days ends at %s', async (validityDays, expected) => {
  const notBefore = new Date('2024-02-01T03:04:05.678Z');
  const { certificate } = await generateCertificate({ ...request, validityDays, notBefore });
  expect(new X509Certificate(certificate).validFromDate).toEqual(new Date('2024-02-01T03:04:05Z'));
  expect(readCertificate(certificate)?.notAfter).toBe(expected);
});

test('a certificate is valid from now on and has a long random serial number', async () => {
  const start = Date.now();
  const made = await Promise.all(Array.from({ length: 20 }, () => generateCertificate(request)));
  const loaded = made.map(({ certificate }) => new X509Certificate(certificate));
  expect(new Set(loaded.map(({ serialNumber }) => serialNumber)).size).toBe(20);
  for (const { serialNumber, validFromDate } of loaded) {
    expect(serialNumber).toMatch(/^[0-9A-F]{24,32}$/);
    expect(Math.abs(validFromDate.getTime() - start)).toBeLessThan(10_000);
  }
});

test('any text is accepted as a common name', async () => {
  const commonName = `Zoë, "the" <admin> ${'x'.repeat(200)}`;
  const { certificate } = await generateCertificate({ ...request, commonName });
  expect(readCertificate(certificate)?.subject).toBe(`CN=Zoë\\, \\"the\\" \\<admin\\> ${'x'.repeat(200)}`);
});

test.each(['ecdsa', 'ed25519'] as const)('a TLS client that trusts a certificate of %s connects', async (algorithm) => {
  const { certificate, key } = await generateCertificate({ ...request, subjectAltNames: ['127.0.0.1'], algorithm });
  const server = createServer({ cert: certificate, key }, (socket) => socket.end('hello')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect({ host: '127.0.0.1', port: (server.address() as AddressInfo).port, ca: certificate });
  const [greeting] = await once(socket, 'data');
  expect(String(greeting)).toBe('hello');
  expect(socket.authorized).toBe(true);
  socket.destroy();
  server.close();
});
