import { expect, test } from 'vitest';
import { exchangeCode, makeCode, makeRelying, post, tokensFor } from '../support/oauth2.ts';
import { describeOnSqlite } from '../support/server.ts';

// A store of things that are good once did not tell its kinds apart (CVE-2026-4282).
describeOnSqlite('one kind of code in place of another', (server) => {
  test('is refused by every grant', async () => {
    const relying = await makeRelying(server());
    const headers = { authorization: relying.basic };
    const person = await server().user();
    const code = () => makeCode(server(), relying, person.pk);
    const device = (await post(server(), 'device', { scope: 'openid' }, headers)).body;
    const tokens = await tokensFor(server(), relying, person.pk);
    const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';
    const asCode = [device.device_code, device.user_code, tokens.refresh_token, tokens.access_token, person.token];
    for (const wrong of asCode) {
      expect((await exchangeCode(server(), relying, wrong)).body.error).toBe('invalid_grant');
    }
    for (const wrong of [await code(), device.device_code, tokens.access_token, person.token]) {
      const fields = { grant_type: 'refresh_token', refresh_token: wrong };
      expect((await post(server(), 'token', fields, headers)).body.error).toBe('invalid_grant');
    }
    for (const wrong of [await code(), device.user_code, tokens.refresh_token, tokens.access_token, person.token]) {
      const fields = { grant_type: deviceGrant, device_code: wrong };
      expect((await post(server(), 'token', fields, headers)).body.error).toBe('invalid_grant');
    }
    // An API token is no app password either.
    const fields = { grant_type: 'client_credentials', username: person.username, password: person.token };
    expect((await post(server(), 'token', fields, headers)).body.error).toBe('invalid_grant');
  });
});
