import { decodeProtectedHeader } from 'jose';
import * as oauth from 'oauth4webapi';
import { expect, test } from 'vitest';
import { attributes, email, username } from './person.ts';
import { answered, type Completed, formOf, requestOf, type SuiteClient } from './suite-client.ts';

type Claims = Readonly<Record<string, unknown>>;

/**
 * Modules about what comes back, which the Basic, Hybrid and Implicit profiles run with each of their response types.
 */
export function responseModules(responseType: string, suite: () => SuiteClient): void {
  const bringsAccessToken = responseType !== 'id_token';
  const bringsIdToken = responseType.includes('id_token');

  /** OpenID Connect Core §5.4: from the userinfo endpoint, or in the ID token where no access token is given. */
  async function claimsOf({ accessToken, claims }: Completed): Promise<Claims> {
    if (accessToken === undefined) return claims;
    const { metadata, client, userinfo } = suite();
    const told = await oauth.processUserInfoResponse(metadata, client, claims.sub ?? '', await userinfo(accessToken));
    const ofId = Object.keys(claims);
    expect(Object.keys(told).filter((name) => name !== 'sub' && ofId.includes(name))).toEqual([]);
    return told;
  }

  test('oidcc-server: the flow works from the request to tokens that a client can verify', async () => {
    const { claims } = await suite().complete();
    expect(claims.sub).toMatch(/^[\x20-\x7e]{1,255}$/);
    expect(claims.aud).toBe(suite().party.clientId);
    expect([claims.iat, claims.exp].every(Number.isInteger)).toBe(true);
    expect(claims.exp as number).toBeGreaterThan(claims.iat as number);
  });

  test('oidcc-response-type-missing: a request without response_type is refused', async () => {
    const { told, sent } = await suite().ask({ response_type: undefined });
    expect([told.get('error'), told.get('state')]).toEqual(['invalid_request', sent.state]);
    expect(told.has('code')).toBe(false);
  });

  test('oidcc-idtoken-signature: signed by a published key, which the header names', async () => {
    const { metadata, complete, verify } = suite();
    const { idToken } = await complete();
    const { alg, kid } = decodeProtectedHeader(idToken);
    expect(metadata.id_token_signing_alg_values_supported).toContain(alg);
    expect(kid).toBeTypeOf('string');
    const [header, , signature] = idToken.split('.');
    const forged = Buffer.from(JSON.stringify({ sub: 'somebody else' })).toString('base64url');
    await expect(verify(`${header}.${forged}.${signature}`)).rejects.toThrow('signature verification failed');
  });

  if (bringsAccessToken) {
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    test.each<[string, string, (token: string) => RequestInit]>([
      ['oidcc-userinfo-get', 'GET with a header', (token) => ({ headers: { authorization: `Bearer ${token}` } })],
      [
        'oidcc-userinfo-post-header',
        'POST with a header',
        (token) => ({ method: 'POST', headers: { authorization: `Bearer ${token}` } }),
      ],
      [
        'oidcc-userinfo-post-body',
        'POST with a form',
        (token) => ({ method: 'POST', headers: form, body: `access_token=${encodeURIComponent(token)}` }),
      ],
    ])('%s: the userinfo endpoint answers a %s', async (_name, _how, init) => {
      const { metadata, client, userinfo, complete } = suite();
      const { accessToken = '', claims } = await complete();
      const response = await userinfo(accessToken, init(accessToken));
      expect(response.headers.get('content-type')).toContain('application/json');
      const told = await oauth.processUserInfoResponse(metadata, client, claims.sub ?? '', response);
      expect(told.sub).toBe(claims.sub);
    });
  }

  if (bringsIdToken) {
    test('oidcc-ensure-request-without-nonce-fails: an ID token by way of the browser needs one', async () => {
      const { told } = await suite().ask({ nonce: undefined });
      expect([told.get('error'), told.has('id_token')]).toEqual(['invalid_request', false]);
    });
  } else {
    test('oidcc-ensure-request-without-nonce-succeeds-for-code-flow: the ID token then has none', async () => {
      const { claims } = await suite().complete({ nonce: undefined });
      expect(claims).not.toHaveProperty('nonce');
    });
  }

  const { address, phone_number, phone_number_verified, ...ofProfile } = attributes;
  const inProfile = { name: 'Connie Formance', preferred_username: username, ...ofProfile };
  const inEmail = { email };
  const inAddress = { address };
  const inPhone = { phone_number, phone_number_verified };
  const inAll = { ...inProfile, ...inEmail, ...inAddress, ...inPhone };
  test.each<[string, string, Claims]>([
    ['oidcc-scope-profile', 'openid profile', inProfile],
    ['oidcc-scope-email', 'openid email', inEmail],
    ['oidcc-scope-address', 'openid address', inAddress],
    ['oidcc-scope-phone', 'openid phone', inPhone],
    ['oidcc-scope-all', 'openid profile email address phone', inAll],
    ['oidcc-ensure-other-scope-order-succeeds', 'phone email openid', { ...inEmail, ...inPhone }],
  ])('%s: %s brings its claims and no others', async (_name, scope, expected) => {
    const told = await claimsOf(await suite().complete({ scope }));
    expect(told).toMatchObject(expected);
    expect(Object.keys(inAll).filter((name) => name in told && !(name in expected))).toEqual([]);
    if ('email' in expected) expect(told.email_verified).toBeTypeOf('boolean');
  });

  test('oidcc-alternate-happy-flow: the order of parameters and scopes says nothing', async () => {
    const { client, variant, browser, finish } = suite();
    const sent = requestOf(client, variant, { scope: 'email openid' });
    const reversed = Object.fromEntries(Object.entries(sent).reverse());
    await finish(answered(await browser.get(`/application/o/authorize/?${formOf(reversed)}`), sent));
  });
}
