import { expect, test } from 'vitest';
import { makeRelying, tokensFor } from '../support/oauth2.ts';
import { describeOnBoth } from '../support/server.ts';

// Whoever runs another service could call the API with the tokens that people brought them.
describeOnBoth('class 58: a token for another resource is none for the API', (server) => {
  const statusWith = async (resource?: string[]) => {
    const relying = await makeRelying(server());
    const { pk } = await server().user();
    const terms = resource ? { terms: { resource } } : {};
    const grant = { scope: ['openid', 'gatehouse/api'], ...terms };
    const { access_token } = await tokensFor(server(), relying, pk, grant);
    return (await server().as(access_token).get('/core/users/me/')).status;
  };

  test('for another resource, and for one whose name begins like ours', async () => {
    const { publicUrl } = server().world.config;
    expect(await statusWith(['https://files.example/'])).toBe(403);
    expect(await statusWith([`${publicUrl}.evil.example/`])).toBe(403);
    expect(await statusWith([`${publicUrl}/api/v3x`])).toBe(403);
  });

  test('for none in particular, or for this server', async () => {
    const { publicUrl } = server().world.config;
    expect(await statusWith()).toBe(200);
    expect(await statusWith([`${publicUrl}/api/v3/`])).toBe(200);
    expect(await statusWith(['https://files.example/', publicUrl])).toBe(200);
  });
});
