import { decodeJwt, UnsecuredJWT } from 'jose';
import * as oauth from 'oauth4webapi';
import { beforeAll, expect, test } from 'vitest';
import { randomToken } from '../../../src/platform/random.ts';
import { callback } from '../../support/relying-party.ts';
import { describeOnSqlite } from '../../support/server.ts';
import { type DpopKey, dpopKey, type ProofOptions } from './dpop-key.ts';
import { now } from './movable-clock.ts';
import { prepare } from './person.ts';
import { push } from './pushed.ts';
import { describeVariant } from './run-variant.ts';
import { atThisServer, formOf, type Params } from './suite-client.ts';

describeOnSqlite('DPoP (RFC 9449)', (server) => {
  beforeAll(() => prepare(server()));

  describeVariant(server, { responseType: 'code' }, (suite) => {
    const endpoint = (which: 'token' | 'userinfo' | 'pushed_authorization_request') =>
      suite().metadata[`${which}_endpoint`] as string;

    async function exchange(code: string, dpop?: string) {
      const { metadata, client, auth } = suite();
      const form = { code, redirect_uri: callback };
      const headers = new Headers(dpop === undefined ? {} : { dpop });
      const options = { ...atThisServer(server()), headers };
      const grant = 'authorization_code';
      const response = await oauth.genericTokenEndpointRequest(metadata, client, auth, grant, form, options);
      return { status: response.status, body: (await response.json()) as Record<string, string> };
    }

    const codeFor = async (more: Params = {}) => (await suite().ask(more)).told.get('code') ?? '';
    const prove = (key: DpopKey, options?: ProofOptions) => key.prove(endpoint('token'), options);

    /** An access token that is bound to the key. */
    async function boundTo(key: DpopKey): Promise<string> {
      const { status, body } = await exchange(await codeFor(), await prove(key));
      expect([status, body.token_type]).toEqual([200, 'DPoP']);
      return body.access_token ?? '';
    }

    const call = async (authorization: string, ...proofs: string[]): Promise<number> => {
      const headers = new Headers({ authorization });
      for (const proof of proofs) headers.append('dpop', proof);
      return (await suite().userinfo('', { headers })).status;
    };

    test('fapi2-security-profile-final-happy-flow: from the code to userinfo, with proofs of a client library', async () => {
      const { metadata, client, auth, ask } = suite();
      expect(metadata.dpop_signing_alg_values_supported).toEqual(expect.arrayContaining(['ES256', 'PS256', 'EdDSA']));
      const DPoP = oauth.DPoP(client, await oauth.generateKeyPair('ES256', { extractable: true }));
      const options = { ...atThisServer(server()), DPoP };
      const { told, sent } = await ask({ dpop_jkt: await DPoP.calculateThumbprint() });
      const answer = oauth.validateAuthResponse(metadata, client, told, sent.state);
      const response = await oauth.authorizationCodeGrantRequest(
        metadata,
        client,
        auth,
        answer,
        callback,
        oauth.nopkce,
        options,
      );
      const expected = { expectedNonce: sent.nonce ?? '', requireIdToken: true };
      const tokens = await oauth.processAuthorizationCodeResponse(metadata, client, response, expected);
      expect(tokens.token_type).toBe('dpop');
      expect(decodeJwt(tokens.access_token).cnf).toEqual({ jkt: await DPoP.calculateThumbprint() });
      const info = await oauth.userInfoRequest(metadata, client, tokens.access_token, options);
      const sub = oauth.getValidatedIdTokenClaims(tokens)?.sub ?? '';
      expect((await oauth.processUserInfoResponse(metadata, client, sub, info)).sub).toBe(sub);
    });

    test('fapi2-security-profile-final-access-token-type-header-case-sensitivity: the scheme may be written in any case', async () => {
      const key = await dpopKey();
      const accessToken = await boundTo(key);
      for (const scheme of ['DPoP', 'dpop', 'DPOP']) {
        const proof = await key.prove(endpoint('userinfo'), { accessToken, method: 'GET' });
        expect([scheme, await call(`${scheme} ${accessToken}`, proof)]).toEqual([scheme, 200]);
      }
    });

    test.each([
      ['fapi2-security-profile-final-check-dpop-proof-nbf-exp', { nbf: -10, exp: 300 }],
      ['fapi2-security-profile-final-ensure-dpopproof-with-iat-10seconds-before-succeeds', { iat: -10 }],
      ['fapi2-security-profile-final-ensure-dpopproof-with-iat-10seconds-after-succeeds', { iat: 10 }],
    ])('%s: %o seconds from now is taken', async (_module, offsets) => {
      const key = await dpopKey();
      const times = Object.entries(offsets).map(([claim, seconds]) => [claim, now() + seconds]);
      const proof = await prove(key, { claims: Object.fromEntries(times) });
      expect((await exchange(await codeFor(), proof)).status).toBe(200);
    });

    test('fapi2-security-profile-final-ensure-dpop-auth-code-binding-success: a code that is bound by dpop_jkt, with its key', async () => {
      const key = await dpopKey();
      const { status } = await exchange(await codeFor({ dpop_jkt: key.thumbprint }), await prove(key));
      expect(status).toBe(200);
    });

    test('fapi2-security-profile-final-ensure-token-endpoint-fails-with-mismatched-dpop-jkt: and with no other, nor without', async () => {
      const [key, other] = [await dpopKey(), await dpopKey()];
      const code = await codeFor({ dpop_jkt: key.thumbprint });
      for (const proof of [await prove(other), undefined]) {
        const { status, body } = await exchange(code, proof);
        expect([status, body.error]).toEqual([400, 'invalid_dpop_proof']);
      }
    });

    /** A code for a request that was pushed with a proof of this key. */
    async function codePushedBy(key: DpopKey): Promise<string> {
      const dpop = await key.prove(endpoint('pushed_authorization_request'));
      const { requestUri } = await push(suite(), {}, { dpop });
      const query = formOf({ client_id: suite().client.client_id, request_uri: requestUri });
      const { headers } = await suite().browser.get(`/application/o/authorize/?${query}`);
      return new URL(headers.get('location') ?? '').searchParams.get('code') ?? '';
    }

    test('fapi2-security-profile-final-ensure-dpopproof-at-par-endpoint-binding-success: a proof that comes with the push binds too', async () => {
      const key = await dpopKey();
      expect((await exchange(await codePushedBy(key), await prove(key))).status).toBe(200);
    });

    test('fapi2-security-profile-final-ensure-token-endpoint-fails-with-mismatched-dpop-proof-jkt: to that key alone', async () => {
      const [key, other] = [await dpopKey(), await dpopKey()];
      const { status, body } = await exchange(await codePushedBy(key), await prove(other));
      expect([status, body.error]).toEqual([400, 'invalid_dpop_proof']);
    });

    test('fapi2-security-profile-final-ensure-mismatched-dpop-jkt-fails: dpop_jkt and the proof name the same key', async () => {
      const [key, other] = [await dpopKey(), await dpopKey()];
      const dpop = await key.prove(endpoint('pushed_authorization_request'));
      const { status, body } = await push(suite(), { dpop_jkt: other.thumbprint }, { dpop });
      expect([status, body.error]).toEqual([400, 'invalid_dpop_proof']);
    });

    test('fapi2-security-profile-final-ensure-holder-of-key-required: a token that is bound is no bearer token', async () => {
      const key = await dpopKey();
      const accessToken = await boundTo(key);
      const proof = await key.prove(endpoint('userinfo'), { accessToken, method: 'GET' });
      expect(await call(`Bearer ${accessToken}`)).toBe(401);
      expect(await call(`Bearer ${accessToken}`, proof)).toBe(401);
      expect(await call(`DPoP ${accessToken}`)).toBe(401);
    });

    test('fapi2-security-profile-final-refresh-token: a confidential client refreshes with whatever key it holds by then', async () => {
      const key = await dpopKey();
      const { body } = await exchange(await codeFor({ scope: 'openid offline_access' }), await prove(key));
      const { metadata, client, auth } = suite();
      const DPoP = oauth.DPoP(client, await oauth.generateKeyPair('ES256', { extractable: true }));
      const options = { ...atThisServer(server()), DPoP };
      const refresh = body.refresh_token ?? '';
      const response = await oauth.refreshTokenGrantRequest(metadata, client, auth, refresh, options);
      const tokens = await oauth.processRefreshTokenResponse(metadata, client, response);
      expect(decodeJwt(tokens.access_token).cnf).toEqual({ jkt: await DPoP.calculateThumbprint() });
    });

    test('fapi2-security-profile-final-dpop-negative-tests: proofs that userinfo does not take (§4.3)', async () => {
      const [key, other] = [await dpopKey(), await dpopKey()];
      const accessToken = await boundTo(key);
      const url = endpoint('userinfo');
      const usual = { accessToken, method: 'GET' };
      const make = (claims: ProofOptions['claims'] = {}, header: ProofOptions['header'] = {}) =>
        key.prove(url, { ...usual, claims, header });
      const good = await make();
      const [head = '', body = '', signature = ''] = good.split('.');
      const { alg: _, ...withoutAlg } = JSON.parse(Buffer.from(head, 'base64url').toString());
      const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
      const table: [string, number, ...string[]][] = [
        ['two proofs', 401, await make(), await make()],
        ['not well-formed', 401, `${good}.x`],
        ['typ missing', 401, await make({}, { typ: undefined })],
        ['alg missing', 401, `${encoded(withoutAlg)}.${body}.${signature}`],
        ['jwk missing', 401, await make({}, { jwk: undefined })],
        ...(await Promise.all(
          ['jti', 'htm', 'htu', 'iat', 'ath'].map(
            async (claim): Promise<[string, number, string]> => [
              `${claim} missing`,
              401,
              await make({ [claim]: undefined }),
            ],
          ),
        )),
        ['typ wrong', 401, await make({}, { typ: 'JWT' })],
        ['alg none', 401, new UnsecuredJWT(decodeJwt(good)).encode()],
        ['signature wrong', 401, `${head}.${body}.${[...signature].reverse().join('')}`],
        ['private key in jwk', 401, await make({}, { jwk: key.privateJwk })],
        ['htm wrong', 401, await make({ htm: 'PUT' })],
        ['htu with a query and a fragment', 200, await make({ htu: `${url}?a=b#c` })],
        ['htu elsewhere', 401, await make({ htu: 'https://example.com/userinfo/' })],
        ['iat in an hour', 401, await make({ iat: now() + 3600 })],
        ['iat an hour ago', 401, await make({ iat: now() - 3600 })],
        ['ath wrong', 401, await make({ ath: 'fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo' })],
        ['another key', 401, await other.prove(url, usual)],
        ['more claims and header members', 200, await make({ extra: 'claim' }, { extra: 'member' })],
        ['htu in another case', 200, await make({ htu: url.replace('http://localhost', 'HTTP://LOCALHOST') })],
      ];
      for (const [what, status, ...proofs] of table) {
        expect([what, await call(`DPoP ${accessToken}`, ...proofs)]).toEqual([what, status]);
      }
      const fixed = { jti: randomToken() };
      expect(await call(`DPoP ${accessToken}`, await make(fixed))).toBe(200);
      expect(await call(`DPoP ${accessToken}`, await make(fixed))).toBe(401);
    });
  });
});
