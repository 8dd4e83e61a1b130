import { expect, test } from 'vitest';
import { makeKey, makeRelying, post, tokensFor } from '../support/oauth2.ts';
import { describeOnSqlite } from '../support/server.ts';

const type = (name: string) => `urn:ietf:params:oauth:token-type:${name}`;

// An ID token was taken for an access token, since both are signed by the same key (Logto 1.43).
describeOnSqlite('one type of token in place of another', (server) => {
  test('ID tokens, refresh tokens and forged ones are refused by token exchange, userinfo and the API', async () => {
    const relying = await makeRelying(server(), { signing_key: await makeKey(server()) });
    const scope = ['openid', 'offline_access', 'gatehouse/api'];
    const given = await tokensFor(server(), relying, (await server().user()).pk, { scope });
    const [, payload, signature] = given.access_token.split('.');
    const unsigned = `${Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url')}.${payload}.`;
    const renamed = `${Buffer.from('{"alg":"ES256","typ":"at+jwt"}').toString('base64url')}.${payload}.${signature}`;
    for (const subject_token of [given.id_token, given.refresh_token, unsigned, renamed]) {
      const fields = {
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token,
        subject_token_type: type('access_token'),
      };
      const { status, body } = await post(server(), 'token', fields, { authorization: relying.basic });
      expect([status, body.error]).toEqual([400, 'invalid_request']);
      expect((await server().as(subject_token).get('/application/o/userinfo/')).status).toBe(401);
      expect((await server().as(subject_token).get('/core/users/me/')).status).toBe(403);
    }
    for (const name of ['id_token', 'refresh_token', 'jwt', 'saml2']) {
      const fields = {
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token: given.access_token,
        subject_token_type: type(name),
      };
      const { body } = await post(server(), 'token', fields, { authorization: relying.basic });
      expect(body.error).toBe('invalid_request');
    }
  });
});
