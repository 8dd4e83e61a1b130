import { expect, test } from 'vitest';
import { eventsOf } from '../../support/events.ts';
import { basicHeader, post } from '../../support/oauth2.ts';
import { describeOnBoth, type TestServer } from '../../support/server.ts';

const rights = ['svc_providers_oauth2.add_oauth2provider', 'svc_core.add_application'];
const register = ({ as, nobody }: TestServer, token: string | null, body: unknown) =>
  (token === null ? nobody : as(token)).post('/application/o/register/', body);

const usual = { client_name: 'Métrics & more', redirect_uris: ['https://metrics.example/callback'] };

describeOnBoth('dynamic registration (RFC 7591)', (server) => {
  test('who may make providers and applications registers a client that works', async () => {
    const registrar = await server().user(rights);
    let made: Awaited<ReturnType<typeof register>> | undefined;
    const events = await eventsOf(server(), async () => {
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
    expect(body.results[0].signing_key).not.toBeNull();
  });

  test('a client that keeps no secret gets none', async () => {
    const registrar = await server().user(rights);
    const { body } = await register(server(), registrar.token, { ...usual, token_endpoint_auth_method: 'none' });
    expect(body).not.toHaveProperty('client_secret');
    const listed = await server().admin.get(`/providers/oauth2/?client_id=${body.client_id}`);
    expect(listed.body.results[0].client_type).toBe('public');
  });

  test('nobody registers without a token, nor without the right', async () => {
    const nobody = await register(server(), null, usual);
    expect([nobody.status, nobody.body.error]).toEqual([401, 'invalid_token']);
    expect((await register(server(), 'wrong', usual)).status).toBe(401);
    for (const held of [[], rights.slice(0, 1), rights.slice(1)]) {
      const person = await server().user(held);
      const refused = await register(server(), person.token, usual);
      expect([refused.status, refused.body.error]).toEqual([403, 'insufficient_scope']);
    }
  });

  test('a client that would bring keys of its own is refused, and told why', async () => {
    const { token } = await server().user(rights);
    const jwks = { keys: [{ kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }] };
    for (const keys of [{ jwks }, { jwks_uri: 'https://metrics.example/keys' }, {}]) {
      const events = await eventsOf(server(), async () => {
        const asked = { ...usual, token_endpoint_auth_method: 'private_key_jwt', ...keys };
        const { status, body } = await register(server(), token, asked);
        expect([status, body.error]).toEqual([400, 'invalid_client_metadata']);
        expect(body.error_description).toContain('JWKS source');
      });
      expect(events).toEqual([]);
    }
  });

  test('what cannot be meant is refused (§3.2.2)', async () => {
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
