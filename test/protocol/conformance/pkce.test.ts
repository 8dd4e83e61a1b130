import * as oauth from 'oauth4webapi';
import { beforeAll, expect, test } from 'vitest';
import { callback } from '../../support/relying-party.ts';
import { describeOnSqlite } from '../../support/server.ts';
import { prepare } from './person.ts';
import { push } from './pushed.ts';
import { describeVariant } from './run-variant.ts';
import type { Params, SuiteClient } from './suite-client.ts';

async function pair() {
  const verifier = oauth.generateRandomCodeVerifier();
  return { verifier, code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' };
}

describeOnSqlite('PKCE (RFC 7636)', (server) => {
  beforeAll(() => prepare(server()));

  const publicClient = { responseType: 'code', clientAuth: 'none', settings: { client_type: 'public' } } as const;
  for (const variant of [publicClient, { responseType: 'code' }]) {
    describeVariant(server, variant, (suite) => {
      /** A code that was asked for with a challenge, exchanged with whatever. */
      async function exchange(fields: Params) {
        const { verifier, ...asked } = await pair();
        const { told } = await suite().ask(asked);
        const usual = { grant_type: 'authorization_code', code: told.get('code') ?? '', redirect_uri: callback };
        return { verifier, answer: await suite().token({ ...usual, ...fields }) };
      }

      /** At either endpoint, by the code of RFC 7636 §4.4.1. */
      async function isRefused(more: Params): Promise<void> {
        const { told, sent } = await suite().ask(more);
        expect([told.get('error'), told.get('state'), told.has('code')]).toEqual([
          'invalid_request',
          sent.state,
          false,
        ]);
        const { status, body } = await push(suite() as SuiteClient, more);
        expect([status, body.error]).toEqual([400, 'invalid_request']);
      }

      test('oidcc-ensure-request-with-valid-pkce-succeeds: a verifier that belongs to the challenge', async () => {
        const { verifier, ...asked } = await pair();
        const { finish, ask, metadata } = suite();
        expect(metadata.code_challenge_methods_supported).toEqual(['S256']);
        await finish(await ask(asked), verifier);
      });

      test('fapi2-security-profile-final-ensure-pkce-code-verifier-required: a challenge demands its verifier', async () => {
        const { answer } = await exchange({});
        expect([answer.status, answer.body.error]).toEqual([400, 'invalid_grant']);
      });

      test('fapi2-security-profile-final-incorrect-pkce-code-verifier-rejected: and no other', async () => {
        const wrong = [oauth.generateRandomCodeVerifier(), 'short', 'x'.repeat(129)];
        for (const code_verifier of wrong) {
          const { answer } = await exchange({ code_verifier });
          expect([answer.status, answer.body.error]).toEqual([400, 'invalid_grant']);
        }
      });

      test('fapi2-security-profile-final-par-plain-pkce-rejected: plain is refused', async () => {
        const code_challenge = oauth.generateRandomCodeVerifier();
        await isRefused({ code_challenge, code_challenge_method: 'plain' });
        // RFC 7636 §4.3: left out, it would mean the same.
        await isRefused({ code_challenge });
      });

      if (variant === publicClient) {
        test('fapi2-security-profile-final-par-ensure-pkce-required: of clients that keep no secret', () =>
          isRefused({}));
      } else {
        // RFC 9700 §2.1.1, against a challenge that an attacker removed on the way.
        test('not one of the suite’s: a verifier without a challenge is refused', async () => {
          const { told } = await suite().ask();
          const usual = { grant_type: 'authorization_code', code: told.get('code') ?? '', redirect_uri: callback };
          const { status, body } = await suite().token({
            ...usual,
            code_verifier: oauth.generateRandomCodeVerifier(),
          });
          expect([status, body.error]).toEqual([400, 'invalid_grant']);
        });
      }
    });
  }
});
