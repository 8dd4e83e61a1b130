import { expect, test } from 'vitest';
import { makeRelying, post, tokensFor } from '../support/oauth2.ts';
import { describeOnSqlite } from '../support/server.ts';

// Any client could look into and take back the tokens of every other (CVE-2024-47077).
describeOnSqlite("another client's tokens", (server) => {
  test('are shown as inactive to a client, and cannot be revoked by it', async () => {
    const [owner, other] = [await makeRelying(server()), await makeRelying(server())];
    const given = await tokensFor(server(), owner, (await server().user()).pk);
    for (const token of [given.access_token, given.refresh_token, given.id_token]) {
      const told = await post(server(), 'introspect', { token }, { authorization: other.basic });
      expect([told.status, told.body]).toEqual([200, { active: false }]);
      const asSomebody = await post(server(), 'revoke', { token }, { authorization: other.basic });
      expect(asSomebody.status).toBe(200);
    }
    for (const token of [given.access_token, given.refresh_token]) {
      const told = await post(server(), 'introspect', { token }, { authorization: owner.basic });
      expect(told.body.active).toBe(true);
    }
    const stolen = { grant_type: 'refresh_token', refresh_token: given.refresh_token };
    expect((await post(server(), 'token', stolen, { authorization: other.basic })).body.error).toBe('invalid_grant');
    expect((await post(server(), 'token', stolen, { authorization: owner.basic })).status).toBe(200);
  });
});
