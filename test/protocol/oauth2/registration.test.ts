import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { expect, test } from 'vitest';
import { eventsDuring } from '../../support/events.ts';
import { basicHeader, post } from '../../support/oauth2.ts';
import { describeOnBoth, type TestServer } from '../../support/server.ts';

const rights = ['svc_providers_oauth2.add_oauth2provider', 'svc_core.add_application'];
const register = ({ as, nobody }: TestServer, token: string | null, body: unknown) =>
  (token === null ? nobody : as(token)).post('/application/o/register/', body);

const usual = { client_name: 'Métrics & more', redirect_uris: ['https://metrics.example/callback'] };

describeOnBoth('dynamic registration (RFC 7591)', (server) => {
  test('callers who may add providers and applications register a working client', async () => {
    const registrar = await server().user(rights);
    let made: Awaited<ReturnType<typeof register>> | undefined;
    const events = await eventsDuring(server(), async () => {
      made = await register(server(), registrar.token, {
        ...usual,
        grant_types: ['authorization_code', 'client_credentials'],
        unknown_member: { is: 'passed over' },
      });
    });
    expect(made?.status).toBe(201);
    expect(events.map(({ action, username }) => [action, username])).toEqual([
      ['model_created', registrar.username],
      ['model_created', registrar.username],
    ]);
    const { client_id, client_secret, ...rest } = made?.body ?? {};
    expect(rest).toMatchObject({
      ...usual,
      token_endpoint_auth_method: 'client_secret_basic',
      grant_types: ['authorization_code', 'client_credentials'],
      scope: 'openid email profile offline_access',
      client_secret_expires_at: 0,
    });
    const authorization = basicHeader(client_id, client_secret);
    const { status } = await post(
      server(),
      'token',
      { grant_type: 'client_credentials', scope: 'openid' },
      { authorization },
    );
    expect(status).toBe(200);
    const listed = await server().admin.get('/core/applications/?search=Métrics');
    expect(listed.body.results[0].slug).toMatch(/^metrics-more-/);
    const { body } = await server().admin.get(`/providers/oauth2/?client_id=${client_id}`);
    expect(body.results[0]).toMatchObject({ signing_key: null, id_token_signed_response_alg: 'auto' });
  });

  test('a public client gets no secret', async () => {
    const registrar = await server().user(rights);
    const { body } = await register(server(), registrar.token, { ...usual, token_endpoint_auth_method: 'none' });
    expect(body).not.toHaveProperty('client_secret');
    const listed = await server().admin.get(`/providers/oauth2/?client_id=${body.client_id}`);
    expect(listed.body.results[0].client_type).toBe('public');
  });

  test('a client does not get the scope of proxies, which brings all attributes of users', async () => {
    const registrar = await server().user([...rights, 'svc_core.view_user', 'svc_core.view_group']);
    const asked = { ...usual, scope: 'openid gatehouse_proxy email' };
    expect((await register(server(), registrar.token, asked)).body).toMatchObject({ scope: 'openid email' });
  });

  test('registration needs a token and the permissions', async () => {
    const nobody = await register(server(), null, usual);
    expect([nobody.status, nobody.body.error]).toEqual([401, 'invalid_token']);
    expect((await register(server(), 'wrong', usual)).status).toBe(401);
    for (const held of [[], rights.slice(0, 1), rights.slice(1)]) {
      const person = await server().user(held);
      const refused = await register(server(), person.token, usual);
      expect([refused.status, refused.body.error]).toEqual([403, 'insufficient_scope']);
    }
  });

  test('§2: a client that brings keys proves itself by them alone', async () => {
    const { token } = await server().user(rights);
    const { publicKey, privateKey } = await generateKeyPair('ES256');
    const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'registered' }] };
    const grant_types = ['client_credentials'];
    const asked = { client_name: 'With keys', grant_types, token_endpoint_auth_method: 'private_key_jwt', jwks };
    const { status, body } = await register(server(), token, asked);
    expect([status, body.token_endpoint_auth_method, body.jwks]).toEqual([201, 'private_key_jwt', jwks]);
    expect(body).not.toHaveProperty('client_secret');
    const { client_id } = body;
    const aud = `${server().world.config.publicUrl}/application/o/token/`;
    const assertion = new SignJWT({ iss: client_id, sub: client_id, aud, jti: 'once' })
      .setProtectedHeader({ alg: 'ES256', kid: 'registered' })
      .setExpirationTime('1m');
    const answer = await post(server(), 'token', {
      grant_type: 'client_credentials',
      client_id,
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: await assertion.sign(privateKey),
    });
    expect(answer.status).toBe(200);
    const bySecret = await post(server(), 'token', { grant_type: 'client_credentials', client_id, client_secret: '' });
    expect(bySecret.status).toBe(401);
  });

  test('§2: keys that cannot be meant are refused, and nothing is made', async () => {
    const { token } = await server().user(rights);
    const key = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' };
    const jwks_uri = 'https://metrics.example/keys';
    const wrong = [
      {},
      { jwks: { keys: [] } },
      { jwks: { keys: [{ ...key, d: 'x' }] } },
      { jwks: { keys: [key] }, jwks_uri },
    ];
    for (const keys of [...wrong, { jwks_uri: 'javascript:alert(1)' }]) {
      const events = await eventsDuring(server(), async () => {
        const asked = { ...usual, token_endpoint_auth_method: 'private_key_jwt', ...keys };
        const { status, body } = await register(server(), token, asked);
        expect([status, body.error, keys]).toEqual([400, 'invalid_client_metadata', keys]);
      });
      expect(events).toEqual([]);
    }
  });

  test('invalid metadata is refused (§3.2.2)', async () => {
    const { token } = await server().user(rights);
    const wrong: [unknown, string][] = [
      [{ client_name: 'no address' }, 'invalid_redirect_uri'],
      [{ redirect_uris: ['https://a.example/#fragment'] }, 'invalid_redirect_uri'],
      [{ redirect_uris: ['relative'] }, 'invalid_redirect_uri'],
      [{ redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri'],
      [{ ...usual, redirect_uris: 'https://a.example/' }, 'invalid_client_metadata'],
      [{ ...usual, grant_types: ['magic'] }, 'invalid_client_metadata'],
      [{ ...usual, token_endpoint_auth_method: 'tls_client_auth' }, 'invalid_client_metadata'],
      [{ ...usual, client_name: 5 }, 'invalid_client_metadata'],
      [{ ...usual, client_uri: 'javascript:alert(1)' }, 'invalid_client_metadata'],
      [[], 'invalid_client_metadata'],
      ['{', 'invalid_request'],
    ];
    for (const [body, error] of wrong) {
      const headers = { 'content-type': 'application/json' };
      const answer = await server().as(token).send('POST', '/application/o/register/', body, headers);
      expect([answer.status, answer.body.error]).toEqual([400, error]);
    }
  });
});
