import { decodeJwt } from 'jose';
import { expect, test } from 'vitest';
import { fapiClient } from '../../support/fapi-client.ts';
import { basicHeader, makeRelying, post } from '../../support/oauth2.ts';
import type { Made } from '../../support/providers.ts';
import { describeOnBoth } from '../../support/server.ts';

describeOnBoth('the root discovery document', (server) => {
  const root = () => server().world.config.publicUrl;
  const document = async (path = ''): Promise<Made> =>
    (await fetch(`${server().url}${path}/.well-known/openid-configuration`)).json();

  test('names the endpoint for registration, which documents of applications do not', async () => {
    const { slug } = await makeRelying(server());
    expect((await document()).registration_endpoint).toBe(`${root()}/application/o/register/`);
    expect(await document(`/application/o/${slug}`)).not.toHaveProperty('registration_endpoint');
  });

  test('is the one of clients that register: their tokens name its issuer', async () => {
    const rights = ['svc_providers_oauth2.add_oauth2provider', 'svc_core.add_application'];
    const { token } = await server().user(rights);
    const { registration_endpoint, issuer, token_endpoint } = await document();
    const registered = await server()
      .as(token)
      .post(new URL(registration_endpoint).pathname, {
        redirect_uris: ['https://app.example/callback'],
        grant_types: ['authorization_code', 'client_credentials'],
        require_signed_request_object: true,
      });
    expect([registered.status, registered.body.require_signed_request_object]).toEqual([201, true]);
    const { client_id, client_secret } = registered.body;
    expect(token_endpoint).toBe(`${root()}/application/o/token/`);
    const grant = { grant_type: 'client_credentials', scope: 'openid' };
    const { body } = await post(server(), 'token', grant, { authorization: basicHeader(client_id, client_secret) });
    expect(decodeJwt(body.access_token).iss).toBe(issuer);
    const { results } = (await server().admin.get(`/providers/oauth2/?client_id=${client_id}`)).body;
    expect(results[0]).toMatchObject({ issuer_mode: 'global', require_signed_request_object: true });
    await server().admin.delete(`/providers/oauth2/${results[0].pk}/`);
  });

  test('announces FAPI 2.0 when every provider with its issuer follows it', async () => {
    const { results } = (await server().admin.get('/providers/oauth2/?page_size=100')).body;
    expect(results.filter(({ issuer_mode }: { issuer_mode: string }) => issuer_mode === 'global')).toEqual([]);
    expect(await document()).not.toHaveProperty('require_pushed_authorization_requests');
    await fapiClient(server(), { issuer_mode: 'global' });
    await makeRelying(server());
    expect(await document()).toMatchObject({
      require_pushed_authorization_requests: true,
      require_signed_request_object: false,
      token_endpoint_auth_methods_supported: ['private_key_jwt'],
      id_token_signing_alg_values_supported: ['PS256', 'ES256', 'EdDSA'],
      request_object_signing_alg_values_supported: ['PS256', 'ES256', 'EdDSA', 'Ed25519'],
    });
    await makeRelying(server(), { issuer_mode: 'global' });
    expect(await document()).not.toHaveProperty('require_pushed_authorization_requests');
  });
});
