import { exportJWK, generateKeyPair } from 'jose';
import * as oauth from 'oauth4webapi';
import { beforeAll, expect, test } from 'vitest';
import { made } from '../../support/make-walk.ts';
import { callback } from '../../support/relying-party.ts';
import { describeOnSqlite, type TestServer } from '../../support/server.ts';
import { now } from './movable-clock.ts';
import { prepare } from './person.ts';
import { push } from './pushed.ts';
import { type SuiteClient, suiteClient } from './suite-client.ts';

/** Where an administrator puts the keys of a client. */
async function sourceOf(server: TestServer, key: CryptoKey): Promise<string> {
  const jwk = { ...(await exportJWK(key)), kid: 'suite', alg: 'ES256', use: 'sig' };
  const source = await made(server, '/sources/oauth/', {
    name: 'keys of the suite',
    slug: 'keys-of-the-suite',
    provider_type: 'openidconnect',
    consumer_key: 'unused',
    consumer_secret: 'unused',
    authorization_url: 'https://issuer.example/authorize',
    access_token_url: 'https://issuer.example/token',
    profile_url: 'https://issuer.example/me',
    oidc_jwks: { keys: [jwk] },
  });
  return source.pk;
}

describeOnSqlite('private_key_jwt (RFC 7523)', (server) => {
  let suite: SuiteClient | undefined;
  let key: CryptoKey | undefined;
  beforeAll(async () => {
    await prepare(server());
    const { publicKey, privateKey } = await generateKeyPair('ES256');
    key = privateKey;
    const settings = { jwks_sources: [await sourceOf(server(), publicKey)] };
    suite = await suiteClient(server(), { responseType: 'code', settings });
  });

  /** A code that the client exchanges with an assertion; both are as they should be but for the change. */
  async function exchange(change: (claims: Record<string, unknown>) => void) {
    const { ask, metadata, client } = suite as SuiteClient;
    const { told } = await ask();
    const auth = oauth.PrivateKeyJwt(
      { key: key as CryptoKey, kid: 'suite' },
      { [oauth.modifyAssertion]: (_header, claims) => change(claims) },
    );
    const form = new URLSearchParams({ grant_type: 'authorization_code', code: told.get('code') ?? '' });
    form.set('redirect_uri', callback);
    const headers = new Headers({ 'content-type': 'application/x-www-form-urlencoded' });
    await auth(metadata, client, form, headers);
    const path = new URL(metadata.token_endpoint as string).pathname;
    return server().nobody.send('POST', path, form.toString(), Object.fromEntries(headers));
  }

  test('oidcc-server: an assertion will do in place of the secret, at the token endpoint and where requests are pushed', async () => {
    expect((await exchange(() => undefined)).status).toBe(200);
    const auth = oauth.PrivateKeyJwt({ key: key as CryptoKey, kid: 'suite' });
    expect((await push({ ...(suite as SuiteClient), auth })).status).toBe(201);
  });

  test('fapi2-security-profile-final-par-ensure-jwt-client-assertions-nbf-8-seconds-in-the-future-is-accepted: clocks differ', async () => {
    const { status } = await exchange((claims) => Object.assign(claims, { nbf: now() + 8, iat: now() + 8 }));
    expect(status).toBe(200);
  });

  test.each<[string, (claims: Record<string, unknown>) => void]>([
    [
      'fapi2-security-profile-final-ensure-client-assertion-with-exp-is-5-minutes-in-past-fails',
      (claims) => Object.assign(claims, { exp: now() - 300 }),
    ],
    [
      'fapi2-security-profile-final-ensure-client-assertion-with-wrong-aud-fails',
      (claims) => Object.assign(claims, { aud: 'https://elsewhere.example/' }),
    ],
    [
      'fapi2-security-profile-final-ensure-client-assertion-with-no-sub-fails',
      (claims) => void Reflect.deleteProperty(claims, 'sub'),
    ],
  ])('%s', async (_module, change) => {
    const { status, body } = await exchange(change);
    expect([status, body.error]).toEqual([401, 'invalid_client']);
  });

  test('fapi2-security-profile-final-ensure-client-assertion-in-token-endpoint: its id alone proves no client', async () => {
    const { ask, client } = suite as SuiteClient;
    const { told } = await ask();
    const form = new URLSearchParams({ grant_type: 'authorization_code', client_id: client.client_id });
    form.set('code', told.get('code') ?? '');
    form.set('redirect_uri', callback);
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const { status, body } = await server().nobody.send('POST', '/application/o/token/', form.toString(), type);
    expect([status, body.error]).toEqual([401, 'invalid_client']);
  });
});
