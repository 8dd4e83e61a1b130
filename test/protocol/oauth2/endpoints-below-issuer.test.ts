import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { expect, test } from 'vitest';
import { randomToken } from '../../../src/platform/random.ts';
import { basicHeader, type Fields, post } from '../../support/oauth2.ts';
import type { Made } from '../../support/providers.ts';
import { discover, makeRelyingParty, type RelyingParty, signInTo, visitor } from '../../support/relying-party.ts';
import { describeOnSqlite } from '../../support/server.ts';
import { dpopKey } from '../conformance/dpop-key.ts';

// Duende IdentityModel (ASP.NET, Jellyfin's plugin) refuses a discovery document with an endpoint that does not begin
// with the issuer.
describeOnSqlite('endpoints', (server) => {
  const root = () => `${server().world.config.publicUrl}/application/o/`;
  const endpointsOf = async ({ slug }: RelyingParty): Promise<[string, string][]> => {
    const document: Made = await (
      await fetch(`${server().url}/application/o/${slug}/.well-known/openid-configuration`)
    ).json();
    return Object.entries(document as Record<string, string>).filter(([name]) => /_(endpoint|uri)$/.test(name));
  };

  test('of an application begin with its issuer; those of the global issuer are for all', async () => {
    const party = await makeRelyingParty(server());
    const endpoints = await endpointsOf(party);
    expect(endpoints).toHaveLength(9);
    expect(endpoints.filter(([, url]) => !url.startsWith(`${root()}${party.slug}/`))).toEqual([]);
    const { body } = await server().admin.get(`/providers/oauth2/${party.provider.pk}/setup_urls/`);
    for (const url of Object.values(body)) expect(url).toContain(`${root()}${party.slug}/`);
    const global = await makeRelyingParty(server(), { issuer_mode: 'global' });
    expect((await endpointsOf(global)).filter(([, url]) => url.includes(global.slug))).toEqual([]);
  });

  test('below the issuer and at the root serve a sign-in as well, in any order', async () => {
    const party = await makeRelyingParty(server());
    const browser = await visitor(server());
    const { config, tokens } = await signInTo(server(), party, browser, { scope: 'openid offline_access' });
    expect(new URL(config.serverMetadata().token_endpoint ?? '').pathname).toBe(`/application/o/${party.slug}/token/`);
    const headers = { authorization: basicHeader(party.clientId, party.clientSecret) };
    const refresh = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token ?? '' };
    const atRoot = await post(server(), 'token', refresh, headers);
    expect(atRoot.status).toBe(200);
    const token = { token: atRoot.body.access_token };
    for (const endpoint of ['introspect', `${party.slug}/introspect`])
      expect((await post(server(), endpoint, token, headers)).body.active).toBe(true);
    expect((await post(server(), `${party.slug}/revoke`, token, headers)).status).toBe(200);
    expect((await post(server(), 'introspect', token, headers)).body.active).toBe(false);
  });

  test('below an issuer serve no other client', async () => {
    const [one, other] = [await makeRelyingParty(server()), await makeRelyingParty(server())];
    const browser = await visitor(server());
    const { tokens } = await signInTo(server(), one, browser);
    const headers = { authorization: basicHeader(one.clientId, one.clientSecret) };
    const grant = { grant_type: 'client_credentials' };
    for (const [endpoint, fields] of [
      ['token', grant],
      ['introspect', { token: 'x' }],
      ['revoke', { token: 'x' }],
      ['par', { redirect_uri: 'https://app.example/callback' }],
      ['device', {}],
    ] as const) {
      const { status, body } = await post(server(), `${other.slug}/${endpoint}`, fields, headers);
      expect([endpoint, status, body.error]).toEqual([endpoint, 401, 'invalid_client']);
    }
    expect((await post(server(), `${one.slug}/token`, grant, headers)).status).toBe(200);
    const asked = new URLSearchParams({ client_id: one.clientId, response_type: 'code', scope: 'openid' });
    expect((await browser.visit(`/application/o/${other.slug}/authorize/?${asked}`)).status).toBe(400);
    const bearer = { authorization: `Bearer ${tokens.access_token}` };
    for (const [slug, status] of [
      [other.slug, 401],
      [one.slug, 200],
    ] as const)
      expect((await fetch(`${server().url}/application/o/${slug}/userinfo/`, { headers: bearer })).status).toBe(status);
  });

  test('take a DPoP proof that is made for the address that was called', async () => {
    const party = await makeRelyingParty(server());
    const key = await dpopKey();
    const ask = async (endpoint: string, htu: string) => {
      const headers = { authorization: basicHeader(party.clientId, party.clientSecret), dpop: await key.prove(htu) };
      return (await post(server(), endpoint, { grant_type: 'client_credentials' }, headers)).status;
    };
    const own = `${party.slug}/token`;
    expect(await ask('token', `${root()}token/`)).toBe(200);
    expect(await ask(own, `${root()}${own}/`)).toBe(200);
    expect(await ask(own, `${root()}token/`)).toBe(400);
    expect(await ask('token', `${root()}${own}/`)).toBe(400);
  });

  test('take assertions that are meant for either token endpoint, or for the issuer', async () => {
    const { publicKey, privateKey } = await generateKeyPair('ES256');
    const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'one' }] };
    const party = await makeRelyingParty(server(), { jwks });
    const ask = async (aud: string) => {
      const client_assertion = await new SignJWT({ iss: party.clientId, sub: party.clientId, aud, jti: randomToken() })
        .setProtectedHeader({ alg: 'ES256', kid: 'one' })
        .setExpirationTime('1m')
        .sign(privateKey);
      const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
      const fields: Fields = { grant_type: 'client_credentials', client_assertion_type: type, client_assertion };
      return (await post(server(), `${party.slug}/token`, fields)).status;
    };
    const issuer = `${root()}${party.slug}/`;
    for (const aud of [issuer, `${issuer}token/`, `${root()}token/`]) expect(await ask(aud)).toBe(200);
    expect(await ask(`${root()}other/token/`)).toBe(401);
  });

  test('are called by a page of the client from its own origin', async () => {
    const party = await makeRelyingParty(server(), { client_type: 'public' });
    expect((await discover(server(), party)).serverMetadata().issuer).toBe(`${root()}${party.slug}/`);
    const headers = { origin: 'https://app.example', 'access-control-request-method': 'POST' };
    const asked = await fetch(`${server().url}/application/o/${party.slug}/token/`, { method: 'OPTIONS', headers });
    expect(asked.headers.get('access-control-allow-origin')).toBe('https://app.example');
  });
});
