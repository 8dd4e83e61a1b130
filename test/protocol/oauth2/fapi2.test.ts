import { decodeProtectedHeader } from 'jose';
import { expect, test } from 'vitest';
import { codeFields, fapiClient } from '../../support/fapi-client.ts';
import { challenge, makeKey, post } from '../../support/oauth2.ts';
import { callback, makeRelyingParty, visitor } from '../../support/relying-party.ts';
import { describeOnSqlite } from '../../support/server.ts';

const refusalOf = (answer: { status: number; body: Record<string, unknown> }) => [answer.status, answer.body.error];

describeOnSqlite('FAPI 2.0 Security Profile', (server) => {
  test('§5.3.2.1: private_key_jwt, PAR, PKCE and DPoP together lead to tokens that are bound to the key', async () => {
    const client = await fapiClient(server());
    const { status, body } = await client.signIn();
    expect([status, body.token_type]).toEqual([200, 'DPoP']);
    expect(decodeProtectedHeader(body.id_token).alg).toBe('PS256');
    const url = `${server().world.config.publicUrl}/application/o/userinfo/`;
    const proof = await client.dpop.prove(url, { method: 'GET', accessToken: body.access_token });
    const headers = { authorization: `DPoP ${body.access_token}`, dpop: proof };
    expect((await server().nobody.send('GET', '/application/o/userinfo/', undefined, headers)).status).toBe(200);
  });

  test('§5.3.2.1: a token request without a DPoP proof is refused, and the code stays good', async () => {
    const client = await fapiClient(server());
    const { location } = await client.authorize();
    const fields = codeFields(location?.searchParams.get('code') ?? '');
    expect(refusalOf(await client.token(fields, null))).toEqual([400, 'invalid_dpop_proof']);
    expect((await client.token(fields)).status).toBe(200);
    const own = { grant_type: 'client_credentials', scope: 'openid' };
    expect(refusalOf(await client.token(own, null))).toEqual([400, 'invalid_dpop_proof']);
  });

  test('§5.3.2.1: clients authenticate by private_key_jwt alone, at every endpoint', async () => {
    const client = await fapiClient(server());
    const { clientId: client_id, clientSecret: client_secret } = client.party;
    expect(client_secret).not.toBe('');
    expect(refusalOf(await client.push({}, { client_id, client_secret }))).toEqual([401, 'invalid_client']);
    expect(refusalOf(await client.push({}, { client_id }))).toEqual([401, 'invalid_client']);
    const own = { grant_type: 'client_credentials' };
    expect(refusalOf(await client.token(own, undefined, { client_id, client_secret }))).toEqual([
      401,
      'invalid_client',
    ]);
    for (const endpoint of ['introspect', 'revoke', 'device']) {
      const answer = await post(server(), endpoint, { client_id, client_secret, token: 'x' });
      expect([endpoint, ...refusalOf(answer)]).toEqual([endpoint, 401, 'invalid_client']);
    }
  });

  test('§5.3.2.1: the audience of an assertion is the issuer as one string, no list and no endpoint', async () => {
    const client = await fapiClient(server());
    const { publicUrl } = server().world.config;
    const others = [[client.issuer], [client.issuer, 'https://else.example/'], `${publicUrl}/application/o/token/`];
    for (const aud of [...others, `${publicUrl}/application/o/par/`, publicUrl, `${publicUrl}/`]) {
      const answer = await client.push({}, await client.credentials({ aud }));
      expect([aud, ...refusalOf(answer)]).toEqual([aud, 401, 'invalid_client']);
    }
    expect((await client.push({}, await client.credentials({ aud: client.issuer }))).status).toBe(201);
  });

  test('§5.3.2.1: assertions from ten seconds ahead are taken, from more than a minute ahead refused', async () => {
    const client = await fapiClient(server());
    const ahead = (seconds: number) => client.credentials({ iat: Math.floor(Date.now() / 1000) + seconds });
    expect((await client.push({}, await ahead(8))).status).toBe(201);
    expect(refusalOf(await client.push({}, await ahead(90)))).toEqual([401, 'invalid_client']);
  });

  test('§5.4.1: PS256 and ES256 are taken for assertions, proofs and request objects, RS256 is not', async () => {
    const client = await fapiClient(server());
    expect((await client.push({}, await client.credentials({}, 'PS256'))).status).toBe(201);
    expect(refusalOf(await client.push({}, await client.credentials({}, 'RS256')))).toEqual([401, 'invalid_client']);
    const standard = await fapiClient(server(), { security_profile: 'standard' });
    expect((await standard.push({}, await standard.credentials({}, 'RS256'))).status).toBe(201);
    const claims = { redirect_uri: callback, client_id: client.party.clientId, response_type: 'code' };
    const more = { ...claims, scope: 'openid', nbf: Math.floor(Date.now() / 1000) };
    for (const [alg, status] of [
      ['ES256', 400],
      ['RS256', 400],
    ] as const) {
      // Both come to the same status: the first lacks PKCE, the second cannot be verified.
      const { client_assertion: request } = await client.credentials(more, alg);
      const answer = await client.push({ request: request as string });
      expect([alg, answer.status]).toEqual([alg, status]);
      expect(answer.body.error).toBe(alg === 'RS256' ? 'invalid_request_object' : 'invalid_request');
    }
  });

  test.each<[string, (now: number) => Record<string, number | undefined>, number]>([
    ['an hour at most', (now) => ({ nbf: now, exp: now + 3600 }), 201],
    ['no nbf', (now) => ({ nbf: undefined, exp: now + 60 }), 400],
    ['no exp', (now) => ({ nbf: now, exp: undefined }), 400],
    ['more than an hour', (now) => ({ nbf: now, exp: now + 3700 }), 400],
    ['an nbf of more than an hour ago', (now) => ({ nbf: now - 3700, exp: now + 60 }), 400],
  ])('Message Signing §5.3.1: the lifetime of a request object is limited (%s)', async (_name, times, status) => {
    const client = await fapiClient(server());
    const asked = {
      ...{ client_id: client.party.clientId, response_type: 'code', redirect_uri: callback, scope: 'openid' },
      ...{ code_challenge: challenge, code_challenge_method: 'S256' },
    };
    const claims = { ...asked, ...times(Math.floor(Date.now() / 1000)) };
    const { client_assertion: request } = await client.credentials(claims);
    const answer = await client.push({ request: request as string });
    expect([answer.status, answer.body.error]).toEqual([status, status === 201 ? undefined : 'invalid_request_object']);
  });

  test('ID tokens hold no further claims by default', async () => {
    const client = await fapiClient(server());
    expect(client.party.provider.include_claims_in_id_token).toBe(false);
    const chosen = await fapiClient(server(), { include_claims_in_id_token: true });
    expect(chosen.party.provider.include_claims_in_id_token).toBe(true);
  });

  test('§5.3.2.1: a refresh token stays the same, and needs a proof each time', async () => {
    const client = await fapiClient(server());
    const { body } = await client.signIn();
    const fields = { grant_type: 'refresh_token', refresh_token: body.refresh_token };
    for (let i = 0; i < 3; i += 1) {
      const answer = await client.token(fields);
      expect([answer.status, answer.body.token_type]).toEqual([200, 'DPoP']);
      expect(answer.body).not.toHaveProperty('refresh_token');
    }
    expect(refusalOf(await client.token(fields, null))).toEqual([400, 'invalid_dpop_proof']);
    await post(server(), 'revoke', { token: body.refresh_token, ...(await client.credentials()) });
    expect(refusalOf(await client.token(fields))).toEqual([400, 'invalid_grant']);
  });

  test('§5.3.2.2: a request that was not pushed is refused, whatever it is', async () => {
    const client = await fapiClient(server());
    const { clientId: client_id } = client.party;
    const request = { client_id, response_type: 'code', redirect_uri: callback, scope: 'openid', state: 's' };
    const { location } = await (await visitor(server())).authorize(request);
    expect([location?.searchParams.get('error'), location?.searchParams.get('state')]).toEqual([
      'invalid_request',
      's',
    ]);
    const { client_assertion } = await client.credentials({ ...request, nbf: Math.floor(Date.now() / 1000) });
    const signed = await (await visitor(server())).authorize({ client_id, request: client_assertion as string });
    expect(signed.location?.searchParams.get('error')).toBe('invalid_request');
  });

  test('§5.3.2.2: only code with S256 can be pushed, to a redirect_uri that is named', async () => {
    const client = await fapiClient(server());
    const table: [Record<string, string | undefined>, string][] = [
      [{ response_type: 'code id_token', nonce: 'n' }, 'unauthorized_client'],
      [{ code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
      [{ code_challenge_method: 'plain' }, 'invalid_request'],
      [{ redirect_uri: undefined }, 'invalid_request'],
      [{ redirect_uri: `${callback}/else` }, 'invalid_request'],
    ];
    for (const [params, error] of table) {
      expect([params, ...refusalOf(await client.push(params))]).toEqual([params, 400, error]);
    }
  });

  test('§5.3.2.2: answers name the issuer, come by 303, and pushed requests end in less than ten minutes', async () => {
    const client = await fapiClient(server());
    const { status, location } = await client.authorize({ state: 's' });
    expect([status, location?.searchParams.get('iss')]).toEqual([303, client.issuer]);
    const { body } = await client.push();
    expect(body.expires_in).toBeGreaterThan(60);
    expect(body.expires_in).toBeLessThan(600);
  });

  test('§5.3.2.1: a code is bound to the key of the proof that came with the pushed request (RFC 9449 §10)', async () => {
    const client = await fapiClient(server());
    const { location } = await client.authorize({ dpop_jkt: 'x'.repeat(43) });
    const fields = codeFields(location?.searchParams.get('code') ?? '');
    expect(refusalOf(await client.token(fields))).toEqual([400, 'invalid_dpop_proof']);
  });

  test('§5.3.4: a bearer token from before the profile held is not taken at userinfo', async () => {
    const client = await fapiClient(server(), { security_profile: 'standard' });
    const { body } = await client.token({ grant_type: 'client_credentials', scope: 'openid' }, null);
    expect(body.token_type).toBe('Bearer');
    const headers = { authorization: `Bearer ${body.access_token}` };
    const ask = () => server().nobody.send('GET', '/application/o/userinfo/', undefined, headers);
    expect((await ask()).status).toBe(200);
    const path = `/providers/oauth2/${client.party.provider.pk}/`;
    expect((await server().admin.patch(path, { security_profile: 'fapi2' })).status).toBe(200);
    expect((await ask()).status).toBe(401);
  });

  test('§5.3.2.1: discovery announces what the profile leaves', async () => {
    const { party, issuer } = await fapiClient(server());
    const path = `/application/o/${party.slug}/.well-known/openid-configuration`;
    const { body } = await server().nobody.send('GET', path);
    const algorithms = ['PS256', 'ES256', 'EdDSA', 'Ed25519'];
    expect(body).toMatchObject({
      issuer,
      require_pushed_authorization_requests: true,
      response_types_supported: ['code'],
      token_endpoint_auth_methods_supported: ['private_key_jwt'],
      introspection_endpoint_auth_methods_supported: ['private_key_jwt'],
      token_endpoint_auth_signing_alg_values_supported: algorithms,
      dpop_signing_alg_values_supported: algorithms,
      request_object_signing_alg_values_supported: algorithms,
      id_token_signing_alg_values_supported: ['PS256'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    });
  });

  test('§5.3.2: settings that contradict the profile are complained about at once', async () => {
    const { party } = await fapiClient(server());
    const path = `/providers/oauth2/${party.provider.pk}/`;
    const strict = (url: string) => [{ matching_mode: 'strict', url }];
    const rsa = { kty: 'RSA', e: 'AQAB', n: Buffer.alloc(128, 1).toString('base64url') };
    const table: [Record<string, unknown>, string][] = [
      [{ client_type: 'public' }, 'client_type'],
      [{ grant_types: ['authorization_code', 'implicit'] }, 'grant_types'],
      [{ grant_types: ['password'] }, 'grant_types'],
      [{ access_code_validity: 'minutes=2' }, 'access_code_validity'],
      [{ redirect_uris: strict('http://app.example/callback') }, 'redirect_uris'],
      [{ redirect_uris: [{ matching_mode: 'regex', url: 'https://.*' }] }, 'redirect_uris'],
      [{ post_logout_redirect_uris: [{ matching_mode: 'regex', url: '.*' }] }, 'post_logout_redirect_uris'],
      [{ jwks: {} }, 'jwks'],
      [{ jwks: { keys: [rsa] } }, 'jwks'],
      [{ jwks: { keys: [{ kty: 'EC', crv: 'P-384', x: 'x', y: 'y' }] } }, 'jwks'],
      [{ jwks: { keys: [{ kty: 'EC', crv: 'P-256', alg: 'RS256' }] } }, 'jwks'],
      [{ jwks: {}, jwks_uri: 'http://app.example/keys' }, 'jwks_uri'],
      [{ id_token_signed_response_alg: 'HS256' }, 'id_token_signed_response_alg'],
    ];
    for (const [body, member] of table) {
      const answer = await server().admin.patch(path, body);
      expect([answer.status, Object.keys(answer.body), body]).toEqual([400, [member], body]);
    }
    const good = [
      { redirect_uris: strict('http://127.0.0.1:8080/callback') },
      { jwks: {}, jwks_uri: 'https://app.example/keys' },
      { signing_key: await makeKey(server()) },
      { security_profile: 'standard', client_type: 'public' },
    ];
    for (const body of good) expect([(await server().admin.patch(path, body)).status, body]).toEqual([200, body]);
  });

  test('§5.3.2: the profile holds for its provider alone', async () => {
    await fapiClient(server());
    const party = await makeRelyingParty(server());
    const request = { client_id: party.clientId, response_type: 'code', redirect_uri: callback, scope: 'openid' };
    const { status, location } = await (await visitor(server())).authorize(request);
    expect([status, location?.searchParams.has('code')]).toEqual([302, true]);
  });
});
