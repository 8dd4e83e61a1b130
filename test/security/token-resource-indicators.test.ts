import { decodeJwt } from 'jose';
import { expect, test } from 'vitest';
import { bindExpression } from '../support/make-walk.ts';
import { admitClients, makeRelying, post, tokensFor, tradeToken } from '../support/oauth2.ts';
import { callback, makeRelyingParty, visitor } from '../support/relying-party.ts';
import { describeOnBoth } from '../support/server.ts';

// A client gets tokens for another client's API, or for an API elsewhere, only where the owner has allowed it.

const explicit = 'default-provider-authorization-explicit-consent';

describeOnBoth('the target of an access token', (server) => {
  const errorOf = (location: URL | null) => location?.searchParams.get('error') ?? null;

  test('another client is refused as an audience until its provider lists the client', async () => {
    const [front, api] = [await makeRelying(server()), await makeRelying(server())];
    const { access_token } = await tokensFor(server(), front, (await server().user()).pk);
    const audience = api.provider.client_id;
    const refused = await tradeToken(server(), front, access_token, { audience });
    expect([refused.status, refused.body.error]).toEqual([400, 'invalid_target']);
    await admitClients(server(), api, [front]);
    const given = await tradeToken(server(), front, access_token, { audience });
    expect(decodeJwt(given.body.access_token).aud).toBe(audience);
    await admitClients(server(), api, []);
    expect((await tradeToken(server(), front, access_token, { audience })).body.error).toBe('invalid_target');
  });

  test('a user whom the policies of the target deny gets no token for it', async () => {
    const [front, api] = [await makeRelying(server()), await makeRelying(server())];
    await admitClients(server(), api, [front]);
    const { access_token } = await tokensFor(server(), front, (await server().user()).pk);
    await bindExpression(server(), api.application.pk, 'return false');
    const refused = await tradeToken(server(), front, access_token, { audience: api.provider.client_id });
    expect([refused.status, refused.body.error]).toEqual([400, 'invalid_request']);
  });

  test.each(['client_credentials', 'authorization request', 'pushed request', 'device code'])(
    'an unknown resource is refused: %s',
    async (way) => {
      const resource = 'https://payroll.example/api';
      const own = {
        grant_types: ['authorization_code', 'client_credentials', 'urn:ietf:params:oauth:grant-type:device_code'],
      };
      const party = await makeRelyingParty(server(), own);
      const { clientId: client_id, clientSecret: client_secret } = party;
      const browser = await visitor(server());
      const ask = async () => {
        const asked = { client_id, response_type: 'code', redirect_uri: callback, scope: 'openid', resource };
        if (way === 'authorization request') return errorOf((await browser.authorize(asked)).location);
        if (way === 'pushed request')
          return (await post(server(), 'par', { ...asked, client_secret })).body.error ?? null;
        const secret = { client_id, client_secret, resource };
        if (way === 'device code') return (await post(server(), 'device', secret)).body.error ?? null;
        return (await post(server(), 'token', { grant_type: 'client_credentials', ...secret })).body.error ?? null;
      };
      expect(await ask()).toBe('invalid_target');
      const path = `/providers/oauth2/${party.provider.pk}/`;
      expect((await server().admin.patch(path, { resources: [resource] })).status).toBe(200);
      expect(await ask()).toBeNull();
    },
  );

  test('listing the id of another client as a resource does not reach it', async () => {
    const api = await makeRelying(server(), { client_id: `https://api-${crypto.randomUUID()}.example` });
    const resource = api.provider.client_id;
    const front = await makeRelying(server(), { resources: [resource] });
    const fields = { grant_type: 'client_credentials', resource };
    expect((await post(server(), 'token', fields, { authorization: front.basic })).body.error).toBe('invalid_target');
  });

  test('a delegate cannot add resources', async () => {
    const provider = (await makeRelying(server(), {}, ['openid'])).provider;
    const rights = ['view', 'change'].map((verb) => `svc_providers_oauth2.${verb}_oauth2provider`);
    const { api } = await server().user(rights);
    const path = `/providers/oauth2/${provider.pk}/`;
    const refused = await api.patch(path, { resources: ['https://payroll.example/'] });
    expect([refused.status, refused.body.detail]).toEqual([403, 'Only superusers may add resources.']);
    expect((await api.patch(path, { access_token_validity: 'minutes=5' })).status).toBe(200);
  });

  test('the consent page names the targets', async () => {
    const api = await makeRelying(server(), { client_id: `https://api-${crypto.randomUUID()}.example` });
    const elsewhere = 'https://payroll.example/api';
    const party = await makeRelyingParty(server(), { resources: [elsewhere] }, explicit);
    await admitClients(server(), api, [{ provider: party.provider } as typeof api]);
    const browser = await visitor(server());
    const params = new URLSearchParams({ client_id: party.clientId, response_type: 'code', redirect_uri: callback });
    for (const one of [api.provider.client_id, elsewhere]) params.append('resource', one);
    const { location } = await browser.visit(`/application/o/authorize/?${params}`);
    const [, flow = ''] = /^\/if\/flow\/([^/]+)\/$/.exec(location?.pathname ?? '') ?? [];
    const { permissions } = await browser.answerStep(flow);
    expect(permissions.map(({ name }: { name: string }) => name)).toEqual([
      `Access ${api.application.name} on your behalf`,
      `Access ${elsewhere} on your behalf`,
    ]);
  });

  test('a user whom the policies of the target deny is refused before consent', async () => {
    const api = await makeRelying(server(), { client_id: `https://api-${crypto.randomUUID()}.example` });
    const party = await makeRelyingParty(server());
    await admitClients(server(), api, [{ provider: party.provider } as typeof api]);
    const browser = await visitor(server());
    const asked = { client_id: party.clientId, response_type: 'code', redirect_uri: callback };
    const resource = api.provider.client_id;
    expect(errorOf((await browser.authorize({ ...asked, resource })).location)).toBeNull();
    await bindExpression(server(), api.application.pk, 'return false');
    expect(errorOf((await browser.authorize({ ...asked, resource })).location)).toBe('access_denied');
    expect(errorOf((await browser.authorize(asked)).location)).toBeNull();
  });
});
