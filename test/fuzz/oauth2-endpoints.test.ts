import fc from 'fast-check';
import { expect, test } from 'vitest';
import { exchangeCode, makeCode, makeKey, makeRelying, type Relying, tokensFor } from '../support/oauth2.ts';
import { describeOnBoth } from '../support/server.ts';

const endpoints = ['token', 'introspect', 'revoke', 'userinfo', 'register', 'device', 'par'];
const names = [
  'grant_type',
  'code',
  'redirect_uri',
  'code_verifier',
  'refresh_token',
  'device_code',
  'subject_token',
  'subject_token_type',
  'audience',
  'resource',
  'scope',
  'username',
  'password',
  'client_id',
  'client_secret',
  'client_assertion',
  'client_assertion_type',
  'token',
  'access_token',
  'request',
  'claims',
];
const grantTypes = [
  'authorization_code',
  'refresh_token',
  'client_credentials',
  'password',
  'urn:ietf:params:oauth:grant-type:device_code',
  'urn:ietf:params:oauth:grant-type:token-exchange',
];

/** What no parameter should be, some of it not even text. */
const rawValue = fc.oneof(
  fc.constantFrom(
    '',
    '%00',
    '%',
    '%zz',
    '%ff%fe',
    '%ed%a0%80',
    '+',
    '%0d%0a',
    '{}',
    '[]',
    'null',
    '..%2f',
    '%F0%9F%9A%80',
  ),
  fc.constantFrom('a.b.c', 'e30.e30.', 'eyJhbGciOiJub25lIn0.e30.', 'eyJzdWIiOiJcdTAwMDAifQ.eyJzdWIiOiJcdTAwMDAifQ.x'),
  fc.constantFrom('openid', 'https%3A%2F%2Fa.example%2F', 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'),
  fc.string({ unit: 'binary', maxLength: 40 }).map((text) => encodeURIComponent(text.toWellFormed())),
  fc.constant('x'.repeat(70_000)),
);

const hostileHeader = fc.constantFrom(
  'Basic',
  'Basic Og==',
  'Basic AAAA',
  `Basic ${Buffer.from('\u0000:\u0000').toString('base64')}`,
  `Basic ${Buffer.from('%:%').toString('base64')}`,
  'Bearer',
  'Bearer x y',
  'DPoP x',
  'Digest x',
);

// Whatever a client sends, the fault is the client's: never a 500, and never a token.
const behindProxy = { env: { GATEHOUSE_TRUSTED_PROXIES: '127.0.0.1' } };

describeOnBoth(
  'random forms sent to endpoints of OAuth2 cause no server error',
  (server) => {
    const valuesIn = async (relying: Relying): Promise<string[]> => {
      const { pk } = await server().user();
      const tokens = await tokensFor(server(), relying, pk);
      return [tokens.access_token, tokens.id_token, await makeCode(server(), relying, pk), relying.provider.client_id];
    };

    test('with or without client authentication', async () => {
      const relying = await makeRelying(server(), { signing_key: await makeKey(server()) });
      const known = await valuesIn(relying);
      const value = fc.oneof({ weight: 3, arbitrary: rawValue }, { weight: 1, arbitrary: fc.constantFrom(...known) });
      const field = fc.oneof(
        fc.tuple(fc.constant('grant_type'), fc.constantFrom(...grantTypes)),
        fc.tuple(fc.constantFrom(...names), value),
      );
      const request = fc.record({
        endpoint: fc.constantFrom(...endpoints),
        fields: fc.array(field, { maxLength: 6 }),
        authorization: fc.oneof(fc.constant(relying.basic), fc.constant(undefined), hostileHeader),
        dpop: fc.option(fc.constantFrom('x', 'a.b.c', ',', 'e30.e30.e30'), { nil: undefined, freq: 4 }),
        type: fc.constantFrom(
          'application/x-www-form-urlencoded',
          'application/x-www-form-urlencoded',
          'application/json',
          'text/plain',
        ),
      });
      let count = 0;
      await fc.assert(
        fc.asyncProperty(request, async ({ endpoint, fields, authorization, dpop, type }) => {
          const body = fields.map(([name, text]) => `${name}=${text}`).join('&');
          const headers = {
            'content-type': type,
            // One address would soon have to wait.
            'x-forwarded-for': `10.0.${(count >> 8) & 255}.${count++ & 255}`,
            ...(authorization !== undefined && { authorization }),
            ...(dpop !== undefined && { dpop }),
          };
          const { status, text } = await server().nobody.send('POST', `/application/o/${endpoint}/`, body, headers);
          expect(status, text).toBeLessThan(500);
          if (status === 200 && endpoint === 'token') expect(authorization).toBe(relying.basic);
        }),
        { numRuns: 300 },
      );
      const { pk } = await server().user();
      expect((await exchangeCode(server(), relying, await makeCode(server(), relying, pk))).status).toBe(200);
    });
  },
  behindProxy,
);
