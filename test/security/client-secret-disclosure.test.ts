import { beforeAll, expect, test } from 'vitest';
import { grantOn } from '../support/grants.ts';
import { makeApplication, makeConsent, makeGrant, makeProvider } from '../support/providers.ts';
import { describeOnBoth, type TestUser } from '../support/server.ts';

const secret = 'client-secret-that-must-not-leak';
const kinds = ['access_tokens', 'refresh_tokens', 'authorization_codes'] as const;

// The provider nested in a token gave its client secret to whoever the token belonged to.
describeOnBoth('a token’s owner does not learn the client secret', (server) => {
  let provider: { pk: number; name: string };
  let owner: TestUser;
  beforeAll(async () => {
    provider = await makeProvider(server(), { client_secret: secret });
    owner = await server().user();
    for (const kind of kinds) await makeGrant(server(), kind, { provider: provider.pk, user: owner.pk });
  });
  const secretsFor = async (user: TestUser) => {
    const shown: string[] = [];
    for (const kind of kinds) {
      const list = await user.api.get(`/oauth2/${kind}/`);
      const one = await user.api.get(`/oauth2/${kind}/${list.body.results[0].pk}/`);
      shown.push(list.body.results[0].provider.client_secret, one.body.provider.client_secret);
    }
    return new Set(shown);
  };

  test('the owner of a token sees an empty secret, callers who may view the provider see it', async () => {
    expect(await secretsFor(owner)).toEqual(new Set(['']));
    const viewer = await server().user(['svc_providers_oauth2.view_oauth2provider_secret']);
    for (const kind of kinds) await makeGrant(server(), kind, { provider: provider.pk, user: viewer.pk });
    expect(await secretsFor(viewer)).toEqual(new Set([secret]));
    const { text } = await server().admin.get(`/oauth2/access_tokens/?user=${owner.pk}`);
    expect(text).toContain(secret);
  });

  test('the right to the secrets of one provider shows only its own', async () => {
    const other = await makeProvider(server(), { client_secret: `${secret}-of-another` });
    const some = await server().user();
    for (const { pk } of [provider, other]) await makeGrant(server(), 'access_tokens', { provider: pk, user: some.pk });
    await grantOn(server(), some.pk, 'svc_providers_oauth2.view_oauth2provider_secret', other.pk);
    const { results } = (await some.api.get('/oauth2/access_tokens/')).body;
    const shown = results.map((token: { provider: { pk: number; client_secret: string } }) => [
      token.provider.pk,
      token.provider.client_secret,
    ]);
    expect(shown).toEqual([
      [provider.pk, ''],
      [other.pk, `${secret}-of-another`],
    ]);
  });

  test('no other view of the provider shows the secret to the owner', async () => {
    const application = await makeApplication(server(), { provider: provider.pk });
    await makeConsent(server(), { user: owner.pk, application: application.pk, scopes: ['openid'] });
    for (const path of [
      '/core/user_consent/',
      '/core/applications/',
      `/core/applications/${application.slug}/check_access/`,
      `/providers/oauth2/${provider.pk}/`,
      `/providers/all/${provider.pk}/`,
      `/providers/oauth2/${provider.pk}/setup_urls/`,
      `/providers/oauth2/${provider.pk}/preview_user/`,
      '/events/events/',
    ]) {
      const { text } = await owner.api.get(path);
      expect([path, text.includes(secret)]).toEqual([path, false]);
    }
  });

  test('the secret cannot be guessed by filter, search or order', async () => {
    for (const query of [`client_secret=${secret}`, `search=${secret}`, 'ordering=client_secret']) {
      const { status, body } = await server().admin.get(`/providers/oauth2/?${query}`);
      expect(status).toBe(200);
      if (query.startsWith('search')) expect(body.results).toEqual([]);
    }
  });
});
