import { expect, test } from 'vitest';
import { makeRelying, post } from '../support/oauth2.ts';
import { describeOnSqlite } from '../support/server.ts';

// A token that was too long was dropped without a word, and the client's own rights taken instead (CVE-2026-9704).
describeOnSqlite('an oversized subject token', (server) => {
  test.each([20_000, 100_000, 1_000_000, 3_000_000])('of %d characters is refused', async (length) => {
    const relying = await makeRelying(server());
    const fields = {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: 'x'.repeat(length),
      subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    };
    const refused = await post(server(), 'token', fields, { authorization: relying.basic });
    expect(refused.body.access_token).toBeUndefined();
    // What does not fit into a request at all is turned away before anybody looks at it.
    if (length > 2_000_000) expect(refused.status).toBe(413);
    else expect([refused.status, refused.body.error]).toEqual([400, 'invalid_request']);
    const { body } = await server().admin.get(`/oauth2/access_tokens/?provider=${relying.provider.pk}`);
    expect(body.pagination.count).toBe(0);
  });
});
