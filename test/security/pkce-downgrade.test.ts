import { expect, test } from 'vitest';
import { callback, challenge, exchangeCode, makeCode, makeRelying, post, verifier } from '../support/oauth2.ts';
import { describeOnSqlite } from '../support/server.ts';

// Who took the challenge out on the way got tokens with any verifier, or none (CVE-2024-23647).
describeOnSqlite('PKCE downgrade', (server) => {
  const bare = { codeChallenge: '', codeChallengeMethod: '' };

  test('a verifier without a stored challenge is refused', async () => {
    const relying = await makeRelying(server());
    const { pk } = await server().user();
    const refused = await exchangeCode(server(), relying, await makeCode(server(), relying, pk, bare));
    expect([refused.status, refused.body.error]).toEqual([400, 'invalid_grant']);
    const plain = await exchangeCode(server(), relying, await makeCode(server(), relying, pk, bare), {
      code_verifier: undefined,
    });
    expect(plain.status).toBe(200);
  });

  test('a public client needs S256, whatever was stored', async () => {
    const relying = await makeRelying(server(), { client_type: 'public' });
    const { client_id } = relying.provider;
    const { pk } = await server().user();
    const exchange = async (values: Parameters<typeof makeCode>[3], code_verifier?: string) => {
      const code = await makeCode(server(), relying, pk, values);
      const fields = { grant_type: 'authorization_code', client_id, code, redirect_uri: callback, code_verifier };
      return (await post(server(), 'token', fields)).body.error;
    };
    expect(await exchange(bare)).toBe('invalid_grant');
    expect(await exchange(bare, verifier)).toBe('invalid_grant');
    expect(await exchange({ codeChallenge: verifier, codeChallengeMethod: 'plain' }, verifier)).toBe('invalid_grant');
    expect(await exchange({ codeChallenge: challenge, codeChallengeMethod: 'S256' }, challenge)).toBe('invalid_grant');
    expect(await exchange({ codeChallenge: challenge, codeChallengeMethod: 'S256' }, verifier)).toBeUndefined();
  });
});
