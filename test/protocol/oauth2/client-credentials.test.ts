import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeJwt } from 'jose';
import { expect, test } from 'vitest';
import { randomText } from '../../../src/platform/random.ts';
import { eventsDuring } from '../../support/events.ts';
import { makeTrusted } from '../../support/jwks-source.ts';
import { type Fields, makeRelying, post, type Relying } from '../../support/oauth2.ts';
import { describeOnBoth, describeOnSqlite, type TestServer } from '../../support/server.ts';

const ask = (server: TestServer, { basic }: Relying, fields: Fields = {}) =>
  post(server, 'token', { grant_type: 'client_credentials', ...fields }, { authorization: basic });

const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

describeOnBoth('the token endpoint: client credentials (RFC 6749 §4.4)', (server) => {
  test('a client acts as an account of its own, the same every time', async () => {
    const relying = await makeRelying(server());
    const events = await eventsDuring(server(), () =>
      ask(server(), relying, { scope: 'openid profile gatehouse/api' }),
    );
    expect(events.map(({ action }) => action)).toEqual(['model_created', 'authorize_application']);
    const { status, body } = await ask(server(), relying, { scope: 'profile gatehouse/api' });
    expect(status).toBe(200);
    expect(body).not.toHaveProperty('refresh_token');
    expect(body.scope).toBe('profile gatehouse/api');
    const me = await server().as(body.access_token).get('/core/users/me/');
    expect(me.body.user.username).toBe(`gatehouse-${relying.provider.name}-client_credentials`);
    expect(me.body.user.type).toBe('service_account');
    const listed = await server().admin.get(`/oauth2/access_tokens/?provider=${relying.provider.pk}`);
    expect(listed.body.pagination.count).toBe(2);
    expect(JSON.parse(listed.body.results[0].id_token).aud).toBe(relying.provider.client_id);
  });

  test('only requested scopes are given, and a user of the account’s name gains nothing', async () => {
    const relying = await makeRelying(server());
    const taken = await server().user([], { username: `gatehouse-${relying.provider.name}-client_credentials` });
    const { body } = await ask(server(), relying);
    expect(body).not.toHaveProperty('scope');
    const { body: listed } = await server().admin.get(`/oauth2/access_tokens/?provider=${relying.provider.pk}`);
    expect(listed.results[0].user.pk).not.toBe(taken.pk);
  });

  test('an app password authenticates its user; a password does not', async () => {
    const relying = await makeRelying(server());
    const made = await server().admin.post('/core/users/service_account/', { name: `robot-${randomText(6)}` });
    const { username, token, user_pk } = made.body;
    const right = await ask(server(), relying, { username, password: token });
    expect(right.status).toBe(200);
    const { body } = await server().admin.get(`/oauth2/access_tokens/?user=${user_pk}`);
    expect(body.pagination.count).toBe(1);
    await server().admin.post(`/core/users/${user_pk}/set_password/`, { password: 'a password of its own' });
    const person = await server().user();
    for (const fields of [
      { username, password: 'a password of its own' },
      { username: person.username, password: token },
      { username, password: 'x' },
    ]) {
      const events = await eventsDuring(server(), async () => {
        expect((await ask(server(), relying, fields)).body.error).toBe('invalid_grant');
      });
      expect(events.map(({ action }) => action)).toEqual(['login_failed']);
      expect(events[0]?.text).not.toContain(token);
    }
    expect((await ask(server(), relying, { username })).body.error).toBe('invalid_request');
  });

  test('an app password of one application authenticates its user there alone', async () => {
    const relying = await makeRelying(server());
    const { body } = await server().admin.post('/core/users/service_account/', { name: `robot-${randomText(6)}` });
    const { username, token: password, user_pk } = body;
    const { results } = (await server().admin.get(`/core/tokens/?user__username=${username}`)).body;
    expect(results[0].user).toBe(user_pk);
    const slug = (await server().admin.get(`/providers/oauth2/${relying.provider.pk}/`)).body.assigned_application_slug;
    const { pk: application } = (await server().admin.get(`/core/applications/${slug}/`)).body;
    const limited = await server().admin.patch(`/core/tokens/${results[0].identifier}/`, { application });
    expect([limited.status, limited.body.application]).toEqual([200, application]);
    expect((await ask(server(), relying, { username, password })).status).toBe(200);
    expect((await ask(server(), await makeRelying(server()), { username, password })).body.error).toBe('invalid_grant');
  });

  test('the password grant is off unless the provider allows it', async () => {
    const relying = await makeRelying(server());
    const { body } = await server().admin.post('/core/users/service_account/', { name: `robot-${randomText(6)}` });
    const fields = { grant_type: 'password', username: body.username, password: body.token };
    expect((await ask(server(), relying, fields)).body.error).toBe('unauthorized_client');
    await server().admin.patch(`/providers/oauth2/${relying.provider.pk}/`, { grant_types: ['password'] });
    expect((await ask(server(), relying, fields)).status).toBe(200);
  });

  test('private_key_jwt (RFC 7523): once, for this server, by a key of the client', async () => {
    const trusted = await makeTrusted(server());
    const relying = await makeRelying(server(), { jwks_sources: [trusted.pk] });
    const { client_id } = relying.provider;
    const own = { iss: client_id, sub: client_id, aud: relying.issuer };
    const send = (client_assertion: string, fields: Fields = {}) =>
      post(server(), 'token', {
        grant_type: 'client_credentials',
        client_assertion_type: assertionType,
        client_assertion,
        ...fields,
      });
    const good = await trusted.sign({ ...own, jti: 'one' });
    expect((await send(good)).status).toBe(200);
    expect((await send(good)).body.error).toBe('invalid_client');
    const others: Record<string, unknown>[] = [
      { ...own },
      { ...own, jti: 'two', aud: 'https://elsewhere.example/' },
      { ...own, jti: 'two', aud: client_id },
    ];
    for (const claims of others) expect((await send(await trusted.sign(claims))).body.error).toBe('invalid_client');
    expect((await send(await trusted.sign({ ...own, jti: 'three' }, '-5m'))).body.error).toBe('invalid_client');
    expect((await send(await trusted.sign({ ...own, jti: 'four' }, '3d'))).body.error).toBe('invalid_client');
    const stranger = await makeTrusted(server());
    expect((await send(await stranger.sign({ ...own, jti: 'five' }))).body.error).toBe('invalid_client');
    const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${good.split('.')[1]}.`;
    expect((await send(unsigned)).body.error).toBe('invalid_client');
    expect((await send('nonsense')).body.error).toBe('invalid_client');
    expect((await send(await trusted.sign({ ...own, jti: 'six' }), { client_secret: 'x' })).body.error).toBe(
      'invalid_request',
    );
    await server().admin.patch(`/sources/oauth/${trusted.slug}/`, { enabled: false });
    expect((await send(await trusted.sign({ ...own, jti: 'seven' }))).body.error).toBe('invalid_client');
  });

  test('a workload with a token of a source acts as an account of its own', async () => {
    const trusted = await makeTrusted(server());
    const relying = await makeRelying(server(), { jwks_sources: [trusted.pk] });
    const { client_id } = relying.provider;
    const jwt = (sub: string) => trusted.sign({ iss: 'https://cluster.example', sub, aud: client_id });
    const send = (client_assertion: string, fields: Fields = {}) =>
      post(server(), 'token', {
        grant_type: 'client_credentials',
        client_id,
        client_assertion_type: assertionType,
        client_assertion,
        ...fields,
      });
    const subjects: unknown[] = [];
    for (const sub of ['build', 'deploy \u0000 \ud83d\ude80'.repeat(20), 'build']) {
      const { status, body } = await send(await jwt(sub));
      expect(status).toBe(200);
      subjects.push(decodeJwt(body.access_token).sub);
    }
    expect(subjects[0]).toBe(subjects[2]);
    expect(subjects[0]).not.toBe(subjects[1]);
    const refused = await send(await jwt('build'), { grant_type: 'refresh_token', refresh_token: 'x' });
    expect(refused.body.error).toBe('invalid_client');
  });

  test('public clients are refused', async () => {
    const relying = await makeRelying(server(), { client_type: 'public' });
    const fields = { grant_type: 'client_credentials', client_id: relying.provider.client_id };
    expect((await post(server(), 'token', fields)).body.error).toBe('unauthorized_client');
    expect((await ask(server(), relying)).body.error).toBe('unauthorized_client');
  });
});

describeOnSqlite(
  'keys that a source only names by their address',
  (server) => {
    test('remote keys are fetched on demand and cached', async () => {
      let asked = 0;
      const { promise: served, resolve } = Promise.withResolvers<object>();
      const http = createServer(async (_request, response) => {
        asked += 1;
        response.end(JSON.stringify(await served));
      });
      await new Promise<void>((done) => http.listen(0, '127.0.0.1', done));
      try {
        const { port } = http.address() as AddressInfo;
        const trusted = await makeTrusted(server(), async (jwks) => {
          resolve(jwks);
          return `http://127.0.0.1:${port}/jwks`;
        });
        const relying = await makeRelying(server(), { jwks_sources: [trusted.pk] });
        const { client_id } = relying.provider;
        for (const sub of ['build', 'deploy']) {
          const { status } = await post(server(), 'token', {
            grant_type: 'client_credentials',
            client_id,
            client_assertion_type: assertionType,
            client_assertion: await trusted.sign({ iss: 'https://cluster.example', sub, aud: client_id }),
          });
          expect(status).toBe(200);
        }
        expect(asked).toBe(1);
      } finally {
        http.close();
      }
    });
  },
  { env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.0/8' } },
);
