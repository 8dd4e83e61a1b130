import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { expect, test } from 'vitest';
import { eventsDuring } from '../../support/events.ts';

import {
  callback,
  exchangeCode,
  makeCode,
  makeKey,
  makeRelying,
  post,
  tokensFor,
  verifier,
} from '../../support/oauth2.ts';
import { describeOnBoth } from '../../support/server.ts';

describeOnBoth('the token endpoint: codes (RFC 6749 §4.1.3)', (server) => {
  test.each([
    ['rsa', 'RS256'],
    ['ecdsa', 'ES256'],
    ['ed25519', 'EdDSA'],
  ] as const)('a code gives tokens that the published %s key verifies', async (kind, alg) => {
    const relying = await makeRelying(server(), { signing_key: await makeKey(server(), kind) });
    const email = `ada-${kind}@example.org`;
    const person = await server().user([], { email });
    const code = await makeCode(server(), relying, person.pk, { nonce: 'the nonce' });
    let answer: Awaited<ReturnType<typeof exchangeCode>> | undefined;
    const events = await eventsDuring(server(), async () => {
      answer = await exchangeCode(server(), relying, code);
    });
    expect(answer?.status).toBe(200);
    expect(answer?.headers.get('cache-control')).toBe('no-store');
    const { access_token, id_token, refresh_token, ...rest } = answer?.body ?? {};
    expect(rest).toEqual({ token_type: 'Bearer', expires_in: 3600, scope: 'openid email offline_access' });
    expect(refresh_token).toMatch(/^[\w-]{43}$/);
    const jwks = await server().nobody.get(`/application/o/${relying.slug}/jwks/`);
    expect(jwks.body.keys).toHaveLength(1);
    expect(jwks.text).not.toMatch(/"d"/);
    const keys = createLocalJWKSet(jwks.body);
    const { client_id } = relying.provider;
    const id = await jwtVerify(id_token, keys, { issuer: relying.issuer, audience: client_id, algorithms: [alg] });
    expect(id.payload).toMatchObject({ nonce: 'the nonce', azp: client_id, email });
    expect(id.payload.at_hash).toBeTypeOf('string');
    const access = await jwtVerify(access_token, keys, { issuer: relying.issuer, typ: 'at+jwt' });
    expect(access.payload).toMatchObject({ client_id, aud: client_id, scope: rest.scope, sub: id.payload.sub });
    expect(access.payload.jti).toBeTypeOf('string');
    expect(decodeProtectedHeader(access_token).alg).toBe(alg);
    // That was recorded when the code was given.
    expect(events).toEqual([]);
  });

  test('without a key the client secret signs, and nothing of it is published', async () => {
    const relying = await makeRelying(server());
    const { id_token } = await tokensFor(server(), relying, (await server().user()).pk);
    const secret = new TextEncoder().encode(relying.provider.client_secret);
    const { payload } = await jwtVerify(id_token, secret, { algorithms: ['HS256'], issuer: relying.issuer });
    expect(payload.aud).toBe(relying.provider.client_id);
    expect((await server().nobody.get(`/application/o/${relying.slug}/jwks/`)).body).toEqual({ keys: [] });
  });

  test('a replaced key stays published while tokens signed by it are valid', async () => {
    const relying = await makeRelying(server(), { signing_key: await makeKey(server()) });
    const { id_token } = await tokensFor(server(), relying, (await server().user()).pk);
    const change = { signing_key: await makeKey(server(), 'rsa') };
    expect((await server().admin.patch(`/providers/oauth2/${relying.provider.pk}/`, change)).status).toBe(200);
    const { body } = await server().nobody.get(`/application/o/${relying.slug}/jwks/`);
    expect(body.keys.map(({ alg }: { alg: string }) => alg)).toEqual(['RS256', 'ES256']);
    await jwtVerify(id_token, createLocalJWKSet(body));
    const next = await tokensFor(server(), relying, (await server().user()).pk);
    expect(decodeProtectedHeader(next.id_token).alg).toBe('RS256');
  });

  test('a code is valid once, and a second use revokes the tokens of the first', async () => {
    const relying = await makeRelying(server());
    const code = await makeCode(server(), relying, (await server().user()).pk, { scope: ['openid', 'gatehouse/api'] });
    const first = await exchangeCode(server(), relying, code);
    const api = server().as(first.body.access_token);
    expect((await api.get('/core/users/me/')).status).toBe(200);
    const events = await eventsDuring(server(), async () => {
      const second = await exchangeCode(server(), relying, code);
      expect([second.status, second.body.error]).toEqual([400, 'invalid_grant']);
    });
    expect(events.map(({ action }) => action)).toEqual(['suspicious_request']);
    expect((await api.get('/core/users/me/')).status).toBe(403);
  });

  test('a code used a hundred times at once gives tokens once', async () => {
    const relying = await makeRelying(server());
    const code = await makeCode(server(), relying, (await server().user()).pk);
    const answers = await Promise.all(Array.from({ length: 20 }, () => exchangeCode(server(), relying, code)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  test('a client authenticates by header or form, with its secret encoded or as it is', async () => {
    const client_secret = 'p+lus %per:cent ümläut&=';
    const relying = await makeRelying(server(), { client_secret });
    const { client_id } = relying.provider;
    const grant_type = 'client_credentials';
    const raw = `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`;
    for (const authorization of [relying.basic, raw]) {
      expect((await post(server(), 'token', { grant_type }, { authorization })).status).toBe(200);
    }
    expect((await post(server(), 'token', { grant_type, client_id, client_secret })).status).toBe(200);
    const jwks_uri = 'https://app.example/keys';
    const empty = await makeRelying(server(), { client_secret: '', jwks_uri, signing_key: await makeKey(server()) });
    for (const secret of ['', ' ', 'x']) {
      const fields = { grant_type, client_id: empty.provider.client_id, client_secret: secret };
      expect((await post(server(), 'token', fields)).body.error).toBe('invalid_client');
    }
    expect((await post(server(), 'token', { grant_type }, { authorization: empty.basic })).body.error).toBe(
      'invalid_client',
    );
  });

  test('mismatched and incomplete code exchanges are refused by the codes of RFC 6749 §5.2', async () => {
    const relying = await makeRelying(server());
    const other = await makeRelying(server());
    const { pk } = await server().user();
    const code = () => makeCode(server(), relying, pk);
    const refusals: [Awaited<ReturnType<typeof post>>, number, string][] = [
      [await exchangeCode(server(), other, await code()), 400, 'invalid_grant'],
      [await exchangeCode(server(), relying, 'unknown'), 400, 'invalid_grant'],
      [await exchangeCode(server(), relying, await code(), { code: undefined }), 400, 'invalid_request'],
      [await exchangeCode(server(), relying, await code(), { redirect_uri: `${callback}/` }), 400, 'invalid_grant'],
      [await exchangeCode(server(), relying, await code(), { redirect_uri: undefined }), 400, 'invalid_grant'],
      [await exchangeCode(server(), relying, await code(), { scope: 'openid profile' }), 400, 'invalid_scope'],
      [await exchangeCode(server(), relying, await code(), { grant_type: 'magic' }), 400, 'unsupported_grant_type'],
      [await exchangeCode(server(), relying, await code(), { grant_type: undefined }), 400, 'invalid_request'],
      [
        await exchangeCode(server(), relying, await code(), { code_verifier: [verifier, verifier] }),
        400,
        'invalid_request',
      ],
      [await exchangeCode(server(), { ...relying, basic: other.basic }, await code()), 400, 'invalid_grant'],
      [
        await exchangeCode(server(), { ...relying, basic: 'Basic bm9ib2R5OnNlY3JldA==' }, await code()),
        401,
        'invalid_client',
      ],
      [await exchangeCode(server(), relying, await code(), { client_secret: 'x' }), 400, 'invalid_request'],
      [await post(server(), 'token', { grant_type: 'authorization_code', code: await code() }), 401, 'invalid_client'],
    ];
    for (const [{ status, body }, expectedStatus, error] of refusals) {
      expect([status, body.error]).toEqual([expectedStatus, error]);
    }
    const unknown = refusals[10]?.[0];
    expect(unknown?.headers.get('www-authenticate')).toMatch(/^Basic /);
  });
});
