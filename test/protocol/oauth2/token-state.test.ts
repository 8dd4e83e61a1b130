import { expect, test } from 'vitest';
import { eventsDuring } from '../../support/events.ts';

import { makeRelying, post, type Relying, tokensFor } from '../../support/oauth2.ts';
import { describeOnBoth, describeOnSqlite, type TestServer } from '../../support/server.ts';
import { signIn } from '../../support/session.ts';

const introspect = (server: TestServer, { basic }: Relying, token: string) =>
  post(server, 'introspect', { token }, { authorization: basic });

const userinfo = ({ as }: TestServer, token: string) => as(token).get('/application/o/userinfo/');

describeOnBoth('introspection (RFC 7662)', (server) => {
  test('tells a client the state of its tokens', async () => {
    const relying = await makeRelying(server());
    const person = await server().user();
    const { access_token, refresh_token } = await tokensFor(server(), relying, person.pk);
    const { status, body } = await introspect(server(), relying, access_token);
    expect(status).toBe(200);
    const { client_id } = relying.provider;
    expect(body).toMatchObject({
      active: true,
      client_id,
      aud: client_id,
      iss: relying.issuer,
      username: person.username,
      scope: 'openid email offline_access',
      token_type: 'Bearer',
    });
    expect(body.exp - body.iat).toBe(3600);
    expect((await introspect(server(), relying, refresh_token)).body).toMatchObject({ active: true, client_id });
    expect((await introspect(server(), relying, 'nothing')).body).toEqual({ active: false });
  });

  test('needs an authenticated client', async () => {
    const relying = await makeRelying(server());
    expect((await post(server(), 'introspect', { token: 'x' })).status).toBe(401);
    const open = await makeRelying(server(), { client_type: 'public' });
    const fields = { token: 'x', client_id: open.provider.client_id };
    expect((await post(server(), 'introspect', fields)).body.error).toBe('unauthorized_client');
    expect((await post(server(), 'introspect', {}, { authorization: relying.basic })).body.error).toBe(
      'invalid_request',
    );
  });
});

describeOnBoth('revocation (RFC 7009)', (server) => {
  test('of an access token leaves the rest; of a refresh token revokes all', async () => {
    const relying = await makeRelying(server());
    const { pk } = await server().user();
    const revoke = (token: string, by = relying) => post(server(), 'revoke', { token }, { authorization: by.basic });
    const given = await tokensFor(server(), relying, pk);
    const refreshed = await post(
      server(),
      'token',
      { grant_type: 'refresh_token', refresh_token: given.refresh_token },
      { authorization: relying.basic },
    );
    const { access_token, refresh_token } = refreshed.body;
    const other = await makeRelying(server());
    expect((await revoke(access_token, other)).status).toBe(200);
    expect((await introspect(server(), relying, access_token)).body.active).toBe(true);
    expect((await revoke(given.access_token)).status).toBe(200);
    expect((await introspect(server(), relying, given.access_token)).body.active).toBe(false);
    expect((await introspect(server(), relying, access_token)).body.active).toBe(true);
    expect((await revoke(refresh_token)).status).toBe(200);
    for (const token of [access_token, refresh_token]) {
      expect((await introspect(server(), relying, token)).body).toEqual({ active: false });
    }
    expect((await userinfo(server(), access_token)).status).toBe(401);
    expect((await revoke('unknown')).status).toBe(200);
    expect((await post(server(), 'revoke', { token: 'x' })).status).toBe(401);
  });
});

describeOnBoth('userinfo (OpenID Connect Core §5.3)', (server) => {
  test('gives the claims of the scopes, by GET and by POST, with the token in header or form', async () => {
    const relying = await makeRelying(server());
    const person = await server().user([], { email: 'ada@example.org' });
    const { access_token } = await tokensFor(server(), relying, person.pk);
    const { status, body } = await userinfo(server(), access_token);
    expect(status).toBe(200);
    expect(body).toEqual({ sub: expect.any(String), email: 'ada@example.org', email_verified: true });
    expect((await post(server(), 'userinfo', { access_token })).body).toEqual(body);
    const inHeader = { authorization: `Bearer ${access_token}` };
    expect((await post(server(), 'userinfo', {}, inHeader)).body).toEqual(body);
    const twice = await post(server(), 'userinfo', { access_token }, inHeader);
    expect([twice.status, twice.body.error]).toEqual([400, 'invalid_request']);
    const inAddress = await server().nobody.get(`/application/o/userinfo/?access_token=${access_token}`);
    expect(inAddress.status).toBe(401);
  });

  test('reflects user, groups and mapping as they are now', async () => {
    const { admin } = server();
    const mapping = await admin.post('/propertymappings/provider/scope/', {
      name: `news-${server().kind}`,
      scope_name: 'news',
      expression: 'return { called: user.name, in: user.groups.map((group) => group.name), for: provider.name };',
    });
    const relying = await makeRelying(server());
    const { pk: provider, property_mappings } = relying.provider;
    await admin.patch(`/providers/oauth2/${provider}/`, { property_mappings: [...property_mappings, mapping.body.pk] });
    const person = await server().user([], { name: 'Ada', email: 'lovelace@example.org' });
    const { access_token } = await tokensFor(server(), relying, person.pk, { scope: ['openid', 'news'] });
    const told = async () => (await userinfo(server(), access_token)).body;
    const first = await told();
    expect(first).toMatchObject({ called: 'Ada', in: [] });
    expect(await told()).toEqual(first);
    const other = await tokensFor(server(), relying, person.pk, { scope: ['openid', 'email'] });
    expect((await userinfo(server(), other.access_token)).body).not.toHaveProperty('called');
    await admin.patch(`/core/users/${person.pk}/`, { name: 'Ada Lovelace' });
    expect(await told()).toMatchObject({ called: 'Ada Lovelace', in: [] });
    const group = { name: `engine-${server().kind}`, users: [person.pk] };
    expect((await admin.post('/core/groups/', group)).status).toBe(201);
    expect(await told()).toMatchObject({ in: [group.name] });
    await admin.patch(`/providers/oauth2/${provider}/`, { name: `renamed-${server().kind}` });
    expect(await told()).toMatchObject({ for: `renamed-${server().kind}` });
    const expression = 'return { drawn: Math.random() };';
    await admin.patch(`/propertymappings/provider/scope/${mapping.body.pk}/`, { expression });
    expect((await told()).drawn).not.toBe((await told()).drawn);
  });

  test('refuses by the codes of RFC 6750 §3.1', async () => {
    const relying = await makeRelying(server());
    const { pk } = await server().user();
    const none = await server().nobody.get('/application/o/userinfo/');
    expect([none.status, none.body.error]).toEqual([401, 'invalid_token']);
    const { access_token, refresh_token, id_token } = await tokensFor(server(), relying, pk);
    for (const wrong of [refresh_token, id_token, `${access_token}x`]) {
      const { status, body, headers } = await userinfo(server(), wrong);
      expect([status, body.error]).toEqual([401, 'invalid_token']);
      expect(headers.get('www-authenticate')).toMatch(/^Bearer .*error="invalid_token"/);
    }
    const narrow = await tokensFor(server(), relying, pk, { scope: ['email'] });
    const refused = await userinfo(server(), narrow.access_token);
    expect([refused.status, refused.body.error]).toEqual([403, 'insufficient_scope']);
    expect(narrow.id_token).toBeUndefined();
  });

  test('access tokens end at once with their session', async () => {
    const relying = await makeRelying(server());
    const person = await server().user();
    const session = await signIn(server(), person.pk);
    const { access_token } = await tokensFor(server(), relying, person.pk, { session: session.pk });
    expect((await userinfo(server(), access_token)).status).toBe(200);
    await server().admin.delete(`/core/authenticated_sessions/${session.pk}/`);
    expect((await userinfo(server(), access_token)).status).toBe(401);
    expect((await introspect(server(), relying, access_token)).body).toEqual({ active: false });
  });

  test('a failing mapping gives no claims, reveals nothing, and is recorded', async () => {
    const made = await server().admin.post('/propertymappings/provider/scope/', {
      name: `broken-${Date.now()}`,
      scope_name: 'broken',
      expression: 'return nobody.knows;',
    });
    const relying = await makeRelying(server(), {});
    const { property_mappings, pk } = relying.provider;
    await server().admin.patch(`/providers/oauth2/${pk}/`, {
      property_mappings: [...property_mappings, made.body.pk],
    });
    const person = await server().user();
    const events = await eventsDuring(server(), async () => {
      await expect(tokensFor(server(), relying, person.pk, { scope: ['openid', 'broken'] })).rejects.toThrow(
        /server_error/,
      );
    });
    expect(events.map(({ action }) => action)).toEqual(['property_mapping_exception']);
  });
});

describeOnBoth('pages of other origins (CORS)', (server) => {
  test('of the client may read answers, similar origins may not', async () => {
    const relying = await makeRelying(server());
    const { access_token } = await tokensFor(server(), relying, (await server().user()).pk);
    const asked = (origin: string) => server().as(access_token).get('/application/o/userinfo/', { origin });
    expect((await asked('https://app.example')).headers.get('access-control-allow-origin')).toBe('https://app.example');
    const preflight = (origin: string) =>
      server().nobody.send('OPTIONS', '/application/o/token/', undefined, { origin });
    expect((await preflight('https://app.example')).headers.get('access-control-allow-origin')).toBe(
      'https://app.example',
    );
    for (const origin of ['https://app.example.evil.tld', 'https://app.exampl', 'http://app.example', 'null']) {
      expect((await asked(origin)).headers.get('access-control-allow-origin')).toBeNull();
      expect((await preflight(origin)).headers.get('access-control-allow-origin')).toBeNull();
    }
  });
});

describeOnSqlite('guesses at a client secret', (server) => {
  test('guessed client secrets are throttled; other clients at the same address are not', async () => {
    const [victim, other] = [await makeRelying(server()), await makeRelying(server())];
    const grant_type = 'client_credentials';
    const guess = (client_secret: string) =>
      post(server(), 'token', { grant_type, client_id: victim.provider.client_id, client_secret });
    const guesses = await Promise.all(Array.from({ length: 120 }, (_, index) => guess(`guess-${index}`)));
    expect(guesses.filter(({ status }) => status === 401)).toHaveLength(100);
    const waiting = await guess(victim.provider.client_secret);
    expect([waiting.status, waiting.headers.get('retry-after')]).toEqual([429, '60']);
    expect((await post(server(), 'token', { grant_type }, { authorization: other.basic })).status).toBe(200);
  });
});
