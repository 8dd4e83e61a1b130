import { generateKeyPairSync } from 'node:crypto';
import { importJWK, jwtVerify } from 'jose';
import { expect, test } from 'vitest';
import { createInstanceKey, sealContext } from '../../../platform/keys.ts';
import type { SecurityProfile } from './security-profile.ts';
import { createSigner, leftHalfHash, signJwt } from './signing.ts';

const { box } = createInstanceKey('a key for tests only, long enough for it');
const pem = { type: 'pkcs8', format: 'pem' } as const;
const publicPem = { type: 'spki', format: 'pem' } as const;
const encodings = { privateKeyEncoding: pem, publicKeyEncoding: publicPem };

const stored = (privateKey: string, profile: SecurityProfile = 'standard') => ({
  client_secret: 'a secret',
  id_token_signed_response_alg: 'auto' as const,
  security_profile: profile,
  signingKey: {
    pk: 'one',
    certificate: '',
    sealedKey: box.seal(privateKey, sealContext('certificates', 'key_data', 'one')),
    profile,
  },
});

const standard = { signingKey: null, security_profile: 'standard', id_token_signed_response_alg: 'HS256' } as const;

const kinds: [string, string, () => string][] = [
  ['RSA', 'RS256', () => generateKeyPairSync('rsa', { modulusLength: 2048, ...encodings }).privateKey],
  ['P-256', 'ES256', () => generateKeyPairSync('ec', { namedCurve: 'P-256', ...encodings }).privateKey],
  ['P-384', 'ES384', () => generateKeyPairSync('ec', { namedCurve: 'P-384', ...encodings }).privateKey],
  ['P-521', 'ES512', () => generateKeyPairSync('ec', { namedCurve: 'P-521', ...encodings }).privateKey],
  ['Ed25519', 'EdDSA', () => generateKeyPairSync('ed25519', encodings).privateKey],
];

test.each(kinds)('a key of the kind %s signs by %s, and its public half verifies', async (_name, alg, make) => {
  const key = createSigner(box).keyOf(stored(make()));
  expect(key.alg).toBe(alg);
  expect(Object.keys(key.jwk ?? {})).not.toContain('d');
  const token = await signJwt(key, 'at+jwt', { sub: 'ada' });
  const { payload, protectedHeader } = await jwtVerify(token, await importJWK({ ...key.jwk }, alg), { typ: 'at+jwt' });
  expect([payload.sub, protectedHeader.kid]).toEqual(['ada', key.kid]);
});

test('the secret signs where that is chosen, and never in place of a missing pair', async () => {
  const signer = createSigner(box);
  const key = signer.keyOf({ ...standard, client_secret: 'the secret of the client' });
  expect([key.alg, key.kid, key.jwk]).toEqual(['HS256', null, null]);
  await jwtVerify(await signJwt(key, 'JWT', {}), new TextEncoder().encode('the secret of the client'));
  expect(() => signer.keyOf({ ...standard, client_secret: '' })).toThrow('neither');
  const auto = { ...standard, id_token_signed_response_alg: 'auto', client_secret: 'a secret' } as const;
  expect(() => signer.keyOf(auto)).toThrow('Neither the provider nor this server');
});

test('keys that tokens cannot be signed with are refused, not replaced by another', () => {
  const signer = createSigner(box);
  const ed448 = generateKeyPairSync('ed448', encodings).privateKey;
  const bitcoin = generateKeyPairSync('ec', { namedCurve: 'secp256k1', ...encodings }).privateKey;
  for (const key of [ed448, bitcoin]) expect(() => signer.keyOf(stored(key))).toThrow('of a kind');
  expect(() => signer.keyOf(stored('no key at all'))).toThrow('cannot be read');
  const keyless = { ...stored(''), signingKey: { ...stored('').signingKey, sealedKey: '' } };
  expect(() => signer.keyOf(keyless)).toThrow('cannot be read');
});

test('FAPI 2.0 Security Profile §5.4.1: RSA signs by PS256, longer curves and secrets sign nothing', async () => {
  const signer = createSigner(box);
  const [rsa = '', p256 = '', p384 = ''] = kinds.map(([, , make]) => make());
  const key = signer.keyOf(stored(rsa, 'fapi2'));
  expect([key.alg, key.jwk?.alg]).toEqual(['PS256', 'PS256']);
  await jwtVerify(await signJwt(key, 'JWT', {}), await importJWK({ ...key.jwk }, 'PS256'));
  expect(key.kid).not.toBe(signer.keyOf(stored(rsa)).kid);
  expect(signer.keyOf(stored(p256, 'fapi2')).alg).toBe('ES256');
  expect(() => signer.keyOf(stored(p384, 'fapi2'))).toThrow('of a kind');
  expect(() => signer.keyOf({ ...standard, client_secret: 'a secret', security_profile: 'fapi2' })).toThrow(
    'no signing key',
  );
});

test('a pair that was changed is not found under what it was before', () => {
  const signer = createSigner(box);
  const make = kinds[1]?.[2] as () => string;
  const before = signer.keyOf(stored(make()));
  expect(signer.keyOf(stored(make())).kid).not.toBe(before.kid);
});

// OpenID Connect Core, Appendix A.3: the access token of the example and its at_hash.
test('half of the digest is the at_hash of the specification', () => {
  expect(leftHalfHash('RS256', 'jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y')).toBe('77QmUPtjPfzWtF2AnpK9RQ');
});
