import { SignJWT } from 'jose';
import * as oauth from 'oauth4webapi';
import { beforeAll, expect, test } from 'vitest';
import { openBrowser } from '../../support/flow-client.ts';
import { callback } from '../../support/relying-party.ts';
import { describeOnSqlite } from '../../support/server.ts';
import { movableClock } from './movable-clock.ts';
import { prepare, signInOn } from './person.ts';
import { push } from './pushed.ts';
import { describeVariant } from './run-variant.ts';
import { answered, atThisServer, formOf, requestOf, type SuiteClient, suiteClient } from './suite-client.ts';

const clock = movableClock();
describeOnSqlite(
  'PAR (RFC 9126)',
  (server) => {
    let other: SuiteClient | undefined;
    beforeAll(async () => {
      await prepare(server());
      other = await suiteClient(server(), { responseType: 'code' });
    });

    describeVariant(server, { responseType: 'code' }, (suite) => {
      /** Goes to the authorize endpoint with a reference, and whatever stands beside it. */
      async function follow(request_uri: string, beside: Record<string, string> = {}, browser = suite().browser) {
        const params = { client_id: suite().client.client_id, request_uri, ...beside };
        return answered(await browser.get(`/application/o/authorize/?${formOf(params)}`), params);
      }

      /** A page for the person, and nothing for any client. */
      const isRefused = ({ status, location }: Awaited<ReturnType<typeof follow>>) =>
        expect([status, location]).toEqual([400, null]);

      test('fapi2-security-profile-final-happy-flow: what was pushed is carried out as if it had been asked for', async () => {
        const { metadata, client, auth, variant, finish } = suite();
        const sent = requestOf(client, variant, {});
        const form = new URLSearchParams(formOf(sent));
        const options = atThisServer(server());
        const response = await oauth.pushedAuthorizationRequest(metadata, client, auth, form, options);
        expect(response.headers.get('cache-control')).toContain('no-store');
        const pushed = await oauth.processPushedAuthorizationResponse(metadata, client, response);
        expect(pushed.request_uri).toMatch(/^urn:ietf:params:oauth:request_uri:[\w-]{43}$/);
        expect(pushed.expires_in).toBeLessThanOrEqual(600);
        await finish({ ...(await follow(pushed.request_uri)), sent });
      });

      test('fapi2-security-profile-final-par-without-duplicate-parameters: what stands beside the reference counts for nothing', async () => {
        const { requestUri, sent } = await push(suite());
        const beside = {
          state: 'beside',
          nonce: 'beside',
          scope: 'openid email',
          redirect_uri: 'https://evil.example/',
        };
        const done = await suite().finish({ ...(await follow(requestUri, beside)), sent });
        expect(done.tokens?.scope).toBe('openid');
      });

      test('fapi2-security-profile-final-par-attempt-reuse-request_uri: a reference is good once', async () => {
        const { requestUri } = await push(suite());
        expect((await follow(requestUri)).told.has('code')).toBe(true);
        isRefused(await follow(requestUri));
      });

      test('fapi2-security-profile-final-par-ensure-reused-request-uri-prior-to-auth-completion-succeeds: a page may be loaded again', async () => {
        const { requestUri, sent } = await push(suite());
        const browser = openBrowser(server());
        expect((await follow(requestUri, {}, browser)).location?.pathname).toMatch(/^\/if\/flow\//);
        const again = await follow(requestUri, {}, browser);
        const back = await signInOn(browser, again.location);
        await suite().finish(answered(await browser.get(back), sent));
      });

      test('fapi2-security-profile-final-par-attempt-to-use-expired-request_uri: a reference is good for ten minutes', async () => {
        const { requestUri, body } = await push(suite());
        clock.pass(Number(body.expires_in) + 1);
        isRefused(await follow(requestUri));
      });

      test('fapi2-security-profile-final-par-attempt-to-use-request_uri-for-different-client: a reference is its client’s alone', async () => {
        const { requestUri } = await push(other as SuiteClient);
        isRefused(await follow(requestUri));
        const { client, browser } = other as SuiteClient;
        const query = formOf({ client_id: client.client_id, request_uri: requestUri });
        const own = answered(await browser.get(`/application/o/authorize/?${query}`), {});
        expect(own.told.has('code')).toBe(true);
      });

      test('fapi2-security-profile-final-par-authorization-request-containing-request_uri-form-param: no reference within', async () => {
        const { requestUri } = await push(suite());
        const { status, body } = await push(suite(), { request_uri: requestUri });
        expect([status, body.error]).toEqual([400, 'invalid_request']);
      });

      test('fapi2-security-profile-final-par-authorization-request-containing-request_uri: nor in a signed request', async () => {
        const { requestUri } = await push(suite());
        const { client, variant, metadata, party } = suite();
        const request = await new SignJWT({ ...requestOf(client, variant, {}), request_uri: requestUri })
          .setProtectedHeader({ alg: 'HS256' })
          .setIssuer(client.client_id)
          .setAudience(metadata.issuer)
          .setExpirationTime('1h')
          .sign(new TextEncoder().encode(party.clientSecret));
        const { status, body } = await push(suite(), { request });
        expect([status, body.error]).toEqual([400, 'invalid_request_object']);
      });

      test('fapi2-security-profile-final-par-attempt-invalid-http-method: requests are pushed by POST alone', async () => {
        const path = new URL(suite().metadata.pushed_authorization_request_endpoint as string).pathname;
        for (const method of ['GET', 'PUT', 'DELETE']) {
          const { status } = await server().nobody.send(method, path);
          expect([method, status]).toEqual([method, expect.toBeOneOf([404, 405])]);
        }
      });

      test('fapi2-security-profile-final-ensure-registered-redirect-uri: the client is told at once', async () => {
        const { status, body } = await push(suite(), { redirect_uri: 'https://app.example/elsewhere' });
        expect([status, body.error]).toEqual([400, 'invalid_request']);
      });

      test('fapi2-security-profile-final-ensure-redirect-uri-in-authorization-request: it is never guessed', async () => {
        const { status, body } = await push(suite(), { redirect_uri: undefined });
        expect([status, body.error]).toEqual([400, 'invalid_request']);
      });

      test.each([
        ['fapi2-security-profile-final-ensure-response-type-code-idtoken-fails', 'code id_token'],
        ['fapi2-security-profile-final-ensure-response-type-token-fails', 'token'],
      ])('%s: %s is not for this client', async (_module, response_type) => {
        const { status, body } = await push(suite(), { response_type });
        expect([status, body.error]).toEqual([
          400,
          expect.toBeOneOf(['unauthorized_client', 'unsupported_response_type']),
        ]);
      });

      test.each([
        ['fapi2-security-profile-final-ensure-authorization-request-without-state-success', { state: undefined }],
        ['fapi2-security-profile-final-ensure-authorization-request-without-nonce-success', { nonce: undefined }],
        [
          'fapi2-security-profile-final-ensure-authorization-request-with-64-char-nonce-success',
          { nonce: 'n'.repeat(64) },
        ],
        ['fapi2-security-profile-final-ensure-authorization-request-with-long-nonce', { nonce: 'n'.repeat(384) }],
        ['fapi2-security-profile-final-ensure-authorization-request-with-long-state', { state: 's'.repeat(384) }],
        ['fapi2-security-profile-final-ensure-other-scope-order-succeeds', { scope: 'email openid' }],
      ])('%s: comes back as it was sent', async (_module, more) => {
        const { requestUri, sent } = await push(suite(), more);
        await suite().finish({ ...(await follow(requestUri)), sent });
      });

      /** A code of this client, exchanged by some client after some time. */
      async function exchangeLater(seconds: number, by = suite()) {
        const { told } = await suite().ask();
        clock.pass(seconds);
        const fields = { grant_type: 'authorization_code', code: told.get('code') ?? '', redirect_uri: callback };
        return { fields, answer: await by.token(fields) };
      }

      test('fapi2-security-profile-final-ensure-authorization-code-is-bound-to-client: another client gets nothing for a code', async () => {
        const { fields, answer } = await exchangeLater(0, other);
        expect([answer.status, answer.body.error]).toEqual([400, 'invalid_grant']);
        expect((await suite().token(fields)).status).toBe(200);
      });

      test('fapi2-security-profile-final-attempt-reuse-authorization-code-after-one-second: nor anybody for a code that was used', async () => {
        const { fields, answer } = await exchangeLater(0);
        expect(answer.status).toBe(200);
        clock.pass(1);
        const again = await suite().token(fields);
        expect([again.status, again.body.error]).toEqual([400, 'invalid_grant']);
      });

      test('fapi2-security-profile-final-ensure-token-endpoint-fails-with-expired-auth-code: a code is good for a minute', async () => {
        const { answer } = await exchangeLater(61);
        expect([answer.status, answer.body.error]).toEqual([400, 'invalid_grant']);
      });

      test('not one of the suite’s: who pushes proves who they are', async () => {
        const { client, metadata, auth, variant } = suite();
        const form = new URLSearchParams(formOf(requestOf(client, variant, {})));
        const nobody = { ...client, client_id: 'nobody' };
        const response = await oauth.pushedAuthorizationRequest(metadata, nobody, auth, form, atThisServer(server()));
        expect(response.status).toBe(401);
      });
    });
  },
  { clock },
);
