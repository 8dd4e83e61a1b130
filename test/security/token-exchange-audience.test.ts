import { expect, test } from 'vitest';
import { admitClients, makeRelying, tokensFor, tradeToken } from '../support/oauth2.ts';
import { describeOnSqlite } from '../support/server.ts';

// People agree by name that a client acts as them in the API. What one client hands to another is no such agreement.
describeOnSqlite('an access token that another client was given', (server) => {
  test('is traded for none that acts as its user in the API', async () => {
    const [front, back] = [await makeRelying(server()), await makeRelying(server())];
    await admitClients(server(), back, [front]);
    const { pk } = await server().user();
    const { access_token } = await tokensFor(server(), front, pk, { scope: ['openid', 'gatehouse/api'] });
    const me = async (token: string) => (await server().as(token).get('/core/users/me/')).status;
    const meant = (await tradeToken(server(), front, access_token, { audience: back.provider.client_id })).body;
    expect(await me(meant.access_token)).toBe(403);
    const traded = (await tradeToken(server(), back, meant.access_token)).body;
    expect([traded.scope, await me(traded.access_token)]).toEqual(['openid', 403]);
    const { publicUrl } = server().world.config;
    const own = await tradeToken(server(), back, meant.access_token, { resource: publicUrl });
    expect(own.body.error).toBe('invalid_target');
    const asked = await tradeToken(server(), back, meant.access_token, { scope: 'gatehouse/api' });
    expect(asked.body.error).toBe('invalid_scope');
  });
});
