import * as client from 'openid-client';
import { expect, test } from 'vitest';
import { callback, discover, makeRelyingParty, stranger, visitor } from '../../support/relying-party.ts';
import { describeOnBoth } from '../../support/server.ts';

// Named after the modules of the OpenID Connect Basic OP and Config OP certification profiles.
describeOnBoth('oidcc: code flow with openid-client', (server) => {
  async function signIn(
    values: Record<string, unknown> = {},
    more: Record<string, string> = {},
    make: (config: client.Configuration, params: Record<string, string>) => Promise<URL> = async (config, params) =>
      client.buildAuthorizationUrl(config, params),
  ) {
    const party = await makeRelyingParty(server(), values);
    const config = await discover(server(), party);
    const verifier = client.randomPKCECodeVerifier();
    const params = {
      redirect_uri: callback,
      scope: 'openid email profile',
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state: client.randomState(),
      nonce: client.randomNonce(),
      ...more,
    };
    const browser = await visitor(server());
    const url = await make(config, params);
    const { location } = await browser.visit(`${url.pathname}${url.search}`);
    const tokens = await client.authorizationCodeGrant(config, location as URL, {
      pkceCodeVerifier: verifier,
      expectedState: params.state,
      expectedNonce: params.nonce,
      idTokenExpected: true,
    });
    return { tokens, browser, party, config, location };
  }

  test('oidcc-server: a code becomes tokens, and the id_token says who came', async () => {
    const { tokens, browser } = await signIn({ sub_mode: 'user_username' });
    const claims = tokens.claims();
    expect(claims?.sub).toBe(browser.person.username);
    expect(claims?.preferred_username).toBe(browser.person.username);
    expect(typeof claims?.sid).toBe('string');
    expect(claims?.auth_time).toBeLessThanOrEqual(claims?.iat as number);
  });

  test('oidcc-server for a public client', async () => {
    const { tokens } = await signIn({ client_type: 'public' });
    expect(tokens.access_token).toBeTruthy();
  });

  test('oidcc-client-secret HS256: the secret signs where that is chosen', async () => {
    const { config } = await signIn({ id_token_signed_response_alg: 'HS256' });
    expect(config.serverMetadata().id_token_signing_alg_values_supported).toEqual(['HS256']);
  });

  test('oidcc-discovery-endpoint-verification: what is promised is there', async () => {
    const { config, party } = await signIn();
    const metadata = config.serverMetadata();
    const setup = (await server().admin.get(`/providers/oauth2/${party.provider.pk}/setup_urls/`)).body;
    expect(metadata.issuer).toBe(setup.issuer);
    expect(metadata.authorization_endpoint).toBe(setup.authorize);
    expect(metadata.token_endpoint).toBe(setup.token);
    expect(metadata.userinfo_endpoint).toBe(setup.user_info);
    expect(metadata.end_session_endpoint).toBe(setup.logout);
    expect(metadata.jwks_uri).toBe(setup.jwks);
    expect(metadata.response_types_supported).toEqual(['code']);
    const bare = await makeRelyingParty(server(), {
      id_token_signed_response_alg: 'HS256',
      client_secret: '',
      jwks_uri: 'https://app.example/keys',
    });
    const document = await stranger(server()).visit(`/application/o/${bare.slug}/.well-known/openid-configuration`);
    expect(JSON.parse(document.text).id_token_signing_alg_values_supported).toEqual([]);
    const global = await stranger(server()).visit('/.well-known/openid-configuration');
    expect(JSON.parse(global.text).issuer).toBe(`${server().world.config.publicUrl}/`);
  });

  test('par-1-happy-flow: a request that was pushed serves once', async () => {
    let pushed = new URL('about:blank');
    const { browser } = await signIn({}, {}, async (config, params) => {
      pushed = await client.buildAuthorizationUrlWithPAR(config, params);
      return pushed;
    });
    expect([...pushed.searchParams.keys()].sort()).toEqual(['client_id', 'request_uri']);
    const again = await browser.visit(`${pushed.pathname}${pushed.search}`);
    expect([again.status, again.location]).toEqual([400, null]);
  });

  test('jar: a request object that the client signed with its secret', async () => {
    const { SignJWT } = await import('jose');
    const { publicUrl } = server().world.config;
    await signIn({}, {}, async (config, params) => {
      const { client_id, client_secret = '' } = config.clientMetadata();
      const object = await new SignJWT({ ...params, client_id, response_type: 'code' })
        .setProtectedHeader({ alg: 'HS256', typ: 'oauth-authz-req+jwt' })
        .setIssuer(client_id)
        .setAudience(config.serverMetadata().issuer)
        .setExpirationTime('1m')
        .sign(new TextEncoder().encode(client_secret as string));
      return new URL(`${publicUrl}/application/o/authorize/?${new URLSearchParams({ client_id, request: object })}`);
    });
  });
});
