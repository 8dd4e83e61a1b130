import { expect, test } from 'vitest';
import { makeRelyingParty, visitor } from '../support/relying-party.ts';
import { describeOnSqlite } from '../support/server.ts';

// Plain redirect URIs were taken for patterns, and without any the first one that came was trusted (CVE-2024-52289).
describeOnSqlite('redirect URIs as patterns', (server) => {
  async function goesTo(redirect_uris: unknown, redirect_uri: string): Promise<string | null> {
    const { clientId: client_id } = await makeRelyingParty(server(), { redirect_uris });
    const { authorize } = await visitor(server());
    return (await authorize({ client_id, response_type: 'code', redirect_uri })).location?.origin ?? null;
  }

  test('a strict URI is not read as a pattern', async () => {
    const strict = [{ matching_mode: 'strict', url: 'https://foo.example.com' }];
    expect(await goesTo(strict, 'https://foo.example.com')).toBe('https://foo.example.com');
    expect(await goesTo(strict, 'https://fooaexample.com')).toBeNull();
    expect(await goesTo([{ matching_mode: 'strict', url: '.*' }], 'https://evil.example/')).toBeNull();
  });

  test('a provider without redirect URIs redirects nowhere', async () => {
    expect(await goesTo([], 'https://first.example/')).toBeNull();
  });

  test('a pattern must match the whole address', async () => {
    const regex = [{ matching_mode: 'regex', url: 'https://[a-z]+\\.example\\.com/callback' }];
    expect(await goesTo(regex, 'https://foo.example.com/callback')).toBe('https://foo.example.com');
    expect(await goesTo(regex, 'https://foo.example.com/callback/../../evil')).toBeNull();
    expect(await goesTo(regex, 'https://evil.example/?https://foo.example.com/callback')).toBeNull();
  });

  test('a pattern with catastrophic backtracking does not block the server', async () => {
    const regex = [{ matching_mode: 'regex', url: 'https://(a+)+b' }];
    expect(await goesTo(regex, `https://${'a'.repeat(60)}`)).toBeNull();
  });
});
