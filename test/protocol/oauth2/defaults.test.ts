import { decodeProtectedHeader } from 'jose';
import { expect, test } from 'vitest';
import { callback, signInTo, visitor } from '../../support/relying-party.ts';
import { describeOnSqlite } from '../../support/server.ts';

describeOnSqlite('an application that was set up with the least', (server) => {
  test('OpenID Connect Core §3.1: signs people in with what the transactional operation answers', async () => {
    const { admin } = server();
    const redirect_uris = [{ matching_mode: 'strict', url: callback }];
    const { status, body } = await admin.put('/core/transactional/applications/', {
      app: { name: 'Least', slug: 'least' },
      provider_model: 'svc_providers_oauth2.oauth2provider',
      provider: { name: 'least', redirect_uris },
    });
    expect(status).toBe(200);
    const { client_id: clientId, client_secret: clientSecret, issuer } = body;
    const party = { provider: {}, application: {}, slug: 'least', clientId, clientSecret };
    const person = await server().user([], { name: 'Ada Mercer', email: 'ada@example.org' });
    const browser = await visitor(server(), person);
    const { tokens, config } = await signInTo(server(), party, browser, {
      scope: 'openid profile email offline_access',
    });
    expect(config.serverMetadata().issuer).toBe(issuer);
    expect(tokens.claims()).toMatchObject({ iss: issuer, name: 'Ada Mercer', email: 'ada@example.org' });
    expect(tokens.refresh_token).toBeTypeOf('string');
    expect(decodeProtectedHeader(tokens.id_token ?? '').alg).toBe('RS256');
  });
});
