import { exportJWK, generateKeyPair } from 'jose';
import * as oauth from 'oauth4webapi';
import * as client from 'openid-client';
import { expect, test } from 'vitest';
import { randomText } from '../../../src/platform/random.ts';
import { discover, makeRelyingParty, type RelyingParty, signInTo, visitor } from '../../support/relying-party.ts';
import { describeOnSqlite, type TestServer } from '../../support/server.ts';

const exchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange';
const accessTokenType = 'urn:ietf:params:oauth:token-type:access_token';

describeOnSqlite('openid-client drives', (server) => {
  const signedIn = async (party: RelyingParty, more: Record<string, string> = {}) =>
    signInTo(server(), party, await visitor(server()), more);

  test('client credentials, introspection and revocation', async () => {
    const config = await discover(server(), await makeRelyingParty(server()));
    const { access_token, token_type } = await client.clientCredentialsGrant(config, { scope: 'openid' });
    expect(token_type).toBe('bearer');
    expect((await client.tokenIntrospection(config, access_token)).active).toBe(true);
    await client.tokenRevocation(config, access_token);
    expect((await client.tokenIntrospection(config, access_token)).active).toBe(false);
  });

  test('refresh and userinfo after a sign-in through a browser', async () => {
    const { config, tokens } = await signedIn(await makeRelyingParty(server()), {
      scope: 'openid email offline_access',
    });
    const sub = tokens.claims()?.sub ?? '';
    const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
    expect(refreshed.claims()?.sub).toBe(sub);
    const info = await client.fetchUserInfo(config, refreshed.access_token, sub);
    expect(info).toHaveProperty('email');
    await expect(client.refreshTokenGrant(config, tokens.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    });
  });

  test('token exchange', async () => {
    const { config, tokens } = await signedIn(await makeRelyingParty(server()), { scope: 'openid email' });
    const exchanged = await client.genericGrantRequest(config, exchangeGrant, {
      subject_token: tokens.access_token,
      subject_token_type: accessTokenType,
      scope: 'openid',
    });
    expect(exchanged).toMatchObject({ scope: 'openid', issued_token_type: accessTokenType });
  });

  test('DPoP from the token to userinfo', async () => {
    const config = await discover(server(), await makeRelyingParty(server()));
    const DPoP = client.getDPoPHandle(config, await client.randomDPoPKeyPair('ES256'));
    const tokens = await client.clientCredentialsGrant(config, { scope: 'openid' }, { DPoP });
    expect(tokens.token_type).toBe('dpop');
    const info = await client.fetchUserInfo(config, tokens.access_token, client.skipSubjectCheck, { DPoP });
    expect(info.sub).toBeTypeOf('string');
    await expect(client.fetchUserInfo(config, tokens.access_token, client.skipSubjectCheck)).rejects.toThrow();
  });

  test('private_key_jwt', async () => {
    const { publicKey, privateKey } = await generateKeyPair('ES256');
    const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256', use: 'sig' };
    const party = await makeRelyingParty(server(), { jwks_sources: [await makeSource(server(), [jwk])] });
    const config = await discover(server(), party);
    const own = new client.Configuration(
      config.serverMetadata(),
      party.clientId,
      {},
      client.PrivateKeyJwt({ key: privateKey, kid: 'one' }),
    );
    client.allowInsecureRequests(own);
    own[client.customFetch] = config[client.customFetch] as client.CustomFetch;
    expect((await client.clientCredentialsGrant(own, {})).access_token).toBeTypeOf('string');
  });

  test('dynamic registration', async () => {
    const registrar = await server().user(['svc_providers_oauth2.add_oauth2provider', 'svc_core.add_application']);
    const known = await discover(server(), await makeRelyingParty(server()));
    // The document of the whole server names the endpoint; those of applications do not.
    const registered = await client.dynamicClientRegistration(
      new URL(server().world.config.publicUrl),
      { redirect_uris: ['https://app.example/callback'], client_name: 'A new one' },
      undefined,
      {
        initialAccessToken: registrar.token,
        [client.customFetch]: known[client.customFetch] as client.CustomFetch,
        execute: [client.allowInsecureRequests],
      },
    );
    expect(registered.clientMetadata().client_id).toMatch(/^\w{40}$/);
  });
});

describeOnSqlite('oauth4webapi verifies', (server) => {
  test('an access token as defined by RFC 9068', async () => {
    const party = await makeRelyingParty(server(), { resources: ['https://api.example/'] });
    const metadata = (await discover(server(), party)).serverMetadata() as oauth.AuthorizationServer;
    const { publicUrl } = server().world.config;
    const here = {
      [oauth.allowInsecureRequests]: true,
      [oauth.customFetch]: (address: string, options: unknown) =>
        fetch(address.replace(publicUrl, server().url), options as RequestInit),
    };
    const own = { client_id: party.clientId };
    const response = await oauth.clientCredentialsGrantRequest(
      metadata,
      own,
      oauth.ClientSecretBasic(party.clientSecret),
      { scope: 'openid', resource: 'https://api.example/' },
      here,
    );
    const { access_token } = await oauth.processClientCredentialsResponse(metadata, own, response);
    const request = new Request('https://api.example/', { headers: { authorization: `Bearer ${access_token}` } });
    const claims = await oauth.validateJwtAccessToken(metadata, request, 'https://api.example/', here);
    expect(claims).toMatchObject({ client_id: party.clientId, scope: 'openid' });
    await expect(oauth.validateJwtAccessToken(metadata, request, party.clientId, here)).rejects.toThrow();
  });
});

async function makeSource({ admin }: TestServer, keys: readonly object[]): Promise<string> {
  const slug = `source-${randomText(8).toLowerCase()}`;
  const { body } = await admin.post('/sources/oauth/', {
    name: slug,
    slug,
    provider_type: 'openidconnect',
    consumer_key: 'key',
    consumer_secret: 'secret',
    oidc_well_known_url: 'https://issuer.example/.well-known/openid-configuration',
    oidc_jwks: { keys },
  });
  return body.pk;
}
