import { expect, test } from 'vitest';
import { evilAddresses } from '../support/evil-addresses.ts';
import { asForm, makeRelyingParty, signInTo, visitor } from '../support/relying-party.ts';
import { describeOnSqlite } from '../support/server.ts';

// CVE-2023-6291, CVE-2024-1132, CVE-2024-8883 and their kin: parsers that read the same address differently.
describeOnSqlite('redirect URIs that imitate registered ones', (server) => {
  const uris = [
    { matching_mode: 'strict', url: 'https://app.example/cb/x' },
    { matching_mode: 'regex', url: 'https://app\\.example/cb/[^?#]*' },
  ];

  test('are refused when authorizing and pushing, whether registered strictly or by a pattern', async () => {
    expect(evilAddresses.length).toBeGreaterThan(190);
    const { clientId: client_id, clientSecret: client_secret } = await makeRelyingParty(server(), {
      redirect_uris: uris,
    });
    const { authorize, visit } = await visitor(server());
    const params = { client_id, response_type: 'code', scope: 'openid' };
    for (const { url } of [{ url: 'https://app.example/cb/x' }, { url: 'https://app.example/cb/other' }])
      expect((await authorize({ ...params, redirect_uri: url })).location?.origin).toBe('https://app.example');
    for (const redirect_uri of evilAddresses) {
      const { status, location } = await authorize({ ...params, redirect_uri });
      expect([redirect_uri, status, location]).toEqual([redirect_uri, 400, null]);
    }
    for (const redirect_uri of evilAddresses) {
      const pushed = await visit('/application/o/par/', asForm({ ...params, client_secret, redirect_uri }));
      expect([redirect_uri, pushed.status]).toEqual([redirect_uri, 400]);
    }
  });

  test('are refused after signing out', async () => {
    const party = await makeRelyingParty(server(), { post_logout_redirect_uris: uris });
    const browser = await visitor(server());
    const { tokens } = await signInTo(server(), party, browser);
    const hint = { id_token_hint: tokens.id_token ?? '' };
    for (const post_logout_redirect_uri of evilAddresses) {
      const query = new URLSearchParams({ ...hint, post_logout_redirect_uri });
      const { location } = await browser.visit(`/application/o/${party.slug}/end-session/?${query}`);
      expect([post_logout_redirect_uri, location]).toEqual([post_logout_redirect_uri, null]);
    }
  });
});
