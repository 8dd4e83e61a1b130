import { expect, test } from 'vitest';
import { makeRelying, tokensFor } from '../support/oauth2.ts';
import { describeOnSqlite } from '../support/server.ts';

// Whoever runs another service could call the API with the tokens that people brought them.
describeOnSqlite('the audience of an access token for the API', (server) => {
  const statusWith = async (resource?: string[]) => {
    const relying = await makeRelying(server(), { resources: resource ?? [] });
    const { pk } = await server().user();
    const terms = resource ? { terms: { resource } } : {};
    const grant = { scope: ['openid', 'gatehouse/api'], ...terms };
    const { access_token } = await tokensFor(server(), relying, pk, grant);
    return (await server().as(access_token).get('/core/users/me/')).status;
  };

  test('a token for another resource, or one with our URL as a prefix, is refused', async () => {
    const { publicUrl } = server().world.config;
    expect(await statusWith(['https://files.example/'])).toBe(403);
    expect(await statusWith([`${publicUrl}@evil.example/`])).toBe(403);
    expect(await statusWith([`${publicUrl}/api/v3x`])).toBe(403);
  });

  test('a token without a resource or for this server is accepted', async () => {
    const { publicUrl } = server().world.config;
    expect(await statusWith()).toBe(200);
    expect(await statusWith([`${publicUrl}/api/v3/`])).toBe(200);
    expect(await statusWith(['https://files.example/', publicUrl])).toBe(200);
  });
});
