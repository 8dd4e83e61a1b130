import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { randomText } from '../../src/platform/random.ts';
import type { TestServer } from './server.ts';

/** A service whose keys an administrator trusts, and what it signs. */
export async function makeTrusted(server: TestServer, serve?: (jwks: object) => Promise<string>) {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256', use: 'sig' };
  const slug = `source-${randomText(8).toLowerCase()}`;
  const { status, body } = await server.admin.post('/sources/oauth/', {
    name: slug,
    slug,
    provider_type: 'openidconnect',
    consumer_key: 'key',
    consumer_secret: 'secret',
    authorization_url: 'https://issuer.example/authorize',
    access_token_url: 'https://issuer.example/token',
    profile_url: 'https://issuer.example/me',
    ...(serve ? { oidc_jwks_url: await serve({ keys: [jwk] }) } : { oidc_jwks: { keys: [jwk] } }),
  });
  if (status !== 201) throw new Error(`no source: ${JSON.stringify(body)}`);
  const sign = (claims: Record<string, unknown>, life = '5m') =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: 'ES256', kid: 'one' })
      .setIssuedAt()
      .setExpirationTime(life)
      .sign(privateKey);
  return { pk: body.pk as string, slug, jwk, sign };
}
