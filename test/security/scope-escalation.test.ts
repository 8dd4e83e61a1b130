import { expect, test } from 'vitest';
import { exchangeCode, makeCode, makeRelying, post, tokensFor } from '../support/oauth2.ts';
import { describeOnSqlite } from '../support/server.ts';

// Clients got scopes that no user had given them, the API's among them (CVE-2024-52287).
describeOnSqlite('scopes that the provider does not have', (server) => {
  const wider = ['gatehouse/api', 'openid gatehouse/api', 'goodness', 'OPENID', 'openid\ngatehouse/api'];

  test.each(wider)('client credentials and devices do not get %j', async (scope) => {
    const relying = await makeRelying(server(), {}, ['openid', 'email']);
    const headers = { authorization: relying.basic };
    for (const [endpoint, fields] of [
      ['token', { grant_type: 'client_credentials', scope }],
      ['device', { scope }],
    ] as const) {
      const { status, body } = await post(server(), endpoint, fields, headers);
      expect([status, body.error]).toEqual([400, 'invalid_scope']);
    }
  });

  test('a scope in a grant is not given once the provider has lost it', async () => {
    const relying = await makeRelying(server(), {}, ['openid', 'offline_access']);
    const { pk } = await server().user();
    const scope = ['openid', 'offline_access', 'gatehouse/api'];
    const { access_token, scope: given, refresh_token } = await tokensFor(server(), relying, pk, { scope });
    expect(given).toBe('openid offline_access');
    expect((await server().as(access_token).get('/core/users/me/')).status).toBe(403);
    const code = await makeCode(server(), relying, pk, { scope });
    const named = await exchangeCode(server(), relying, code, { scope: 'gatehouse/api' });
    expect(named.body.error).toBe('invalid_scope');
    const fields = { grant_type: 'refresh_token', refresh_token, scope: 'gatehouse/api' };
    const { body } = await post(server(), 'token', fields, { authorization: relying.basic });
    expect(body.error).toBe('invalid_scope');
  });
});
