import { SignJWT, UnsecuredJWT } from 'jose';
import { beforeAll, expect, test } from 'vitest';
import { describeOnSqlite } from '../../support/server.ts';
import { now } from './movable-clock.ts';
import { prepare } from './person.ts';
import { push } from './pushed.ts';
import { describeVariant } from './run-variant.ts';
import { type Params, requestOf, type SuiteClient, suiteClient } from './suite-client.ts';

describeOnSqlite('JAR (RFC 9101)', (server) => {
  let other: SuiteClient | undefined;
  beforeAll(async () => {
    await prepare(server());
    other = await suiteClient(server(), { responseType: 'code' });
  });

  describeVariant(server, { responseType: 'code' }, (suite) => {
    function claimsOf(more: Readonly<Record<string, unknown>>) {
      const { client, variant, metadata } = suite();
      const inside = requestOf(client, variant, {});
      const jwt = { iss: client.client_id, aud: metadata.issuer, nbf: now(), exp: now() + 60 };
      return { inside, claims: { ...inside, ...jwt, ...more } };
    }

    /** The usual request, signed by the client; what is undefined is left out. */
    async function sign(more: Readonly<Record<string, unknown>> = {}, secret = suite().party.clientSecret) {
      const { inside, claims } = claimsOf(more);
      const jwt = new SignJWT(claims).setProtectedHeader({ alg: 'HS256', typ: 'oauth-authz-req+jwt' });
      return { inside, request: await jwt.sign(new TextEncoder().encode(secret)) };
    }

    async function works(more: Readonly<Record<string, unknown>>, beside: Params = {}): Promise<void> {
      const { inside, request } = await sign(more);
      const answer = await suite().ask({ ...beside, request });
      await suite().finish({ ...answer, sent: { ...inside, ...(more as Params) } });
    }

    /** At either endpoint. No user is sent anywhere by a request that is not proven to be the client’s. */
    async function isRefused(request: string, error = 'invalid_request_object'): Promise<void> {
      const { status, location } = await suite().ask({ request });
      expect([status, location]).toEqual([400, null]);
      const pushed = await push(suite(), { request });
      expect([pushed.status, pushed.body.error]).toEqual([400, error]);
    }

    test('fapi2-security-profile-final-ensure-request-object-with-multiple-aud-succeeds: this server is one of them', () =>
      works({ aud: ['https://elsewhere.example/', suite().metadata.issuer] }));

    test('fapi2-security-profile-final-ensure-request-object-with-nbf-8-seconds-in-the-future-is-accepted: clocks differ', () =>
      works({ nbf: now() + 8 }));

    test('fapi2-security-profile-final-ensure-different-nonce-inside-and-outside-request-object: the one inside counts', () =>
      works({}, { nonce: 'outside' }));

    test('fapi2-security-profile-final-ensure-different-state-inside-and-outside-request-object: the one inside counts', () =>
      works({}, { state: 'outside' }));

    test('fapi2-security-profile-final-state-only-outside-request-object-not-used: what was not signed is not there', () =>
      works({ state: undefined }, { state: 'outside' }));

    test('fapi2-security-profile-final-ensure-request-object-without-redirect-uri-fails: not even if one stands beside it', async () => {
      const { request } = await sign({ redirect_uri: undefined });
      await isRefused(request, 'invalid_request');
    });

    test('fapi2-security-profile-final-ensure-expired-request-object-fails', async () => {
      await isRefused((await sign({ exp: now() - 300 })).request);
    });

    test('fapi2-security-profile-final-ensure-request-object-with-bad-aud-fails: meant for another server', async () => {
      await isRefused((await sign({ aud: 'https://elsewhere.example/' })).request);
    });

    test('fapi2-security-profile-final-ensure-request-object-signature-algorithm-is-not-none', async () => {
      await isRefused(new UnsecuredJWT(claimsOf({}).claims).encode());
    });

    test('fapi2-security-profile-final-ensure-request-object-with-invalid-signature-fails', async () => {
      const [header, claims, signature = ''] = (await sign()).request.split('.');
      await isRefused(`${header}.${claims}.${[...signature].reverse().join('')}`);
    });

    test('fapi2-security-profile-final-ensure-matching-key-in-authorization-request: signed by another client', async () => {
      await isRefused((await sign({}, (other as SuiteClient).party.clientSecret)).request);
    });
  });
});
