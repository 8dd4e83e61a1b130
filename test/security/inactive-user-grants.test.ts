import { expect, test } from 'vitest';
import { decideRequest, findRequestByUserCode } from '../../src/kinds/providers/oauth2/requests.ts';
import { randomText } from '../../src/platform/random.ts';
import { exchangeCode, type Fields, makeCode, makeRelying, post, type Relying, tokensFor } from '../support/oauth2.ts';
import { describeOnBoth, type TestServer } from '../support/server.ts';

const exchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange';
const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';
const accessTokenType = 'urn:ietf:params:oauth:token-type:access_token';

// Accounts that were switched off still got tokens by some of the grants (CVE-2025-53942, CVE-2025-64521,
// CVE-2026-1609).
describeOnBoth('inactive users get no tokens by any grant', (server) => {
  const token = (relying: Relying, fields: Fields) => post(server(), 'token', fields, { authorization: relying.basic });

  /** Each prepares what a client has in hand, and says how it is used. */
  const ways: Record<string, (relying: Relying, user: number) => Promise<() => ReturnType<typeof post>>> = {
    'authorization code': async (relying, user) => {
      const code = await makeCode(server(), relying, user);
      return () => exchangeCode(server(), relying, code);
    },
    'refresh token': async (relying, user) => {
      const { refresh_token } = await tokensFor(server(), relying, user);
      return () => token(relying, { grant_type: 'refresh_token', refresh_token });
    },
    'token exchange': async (relying, user) => {
      const { access_token } = await tokensFor(server(), relying, user);
      const fields = { grant_type: exchangeGrant, subject_token: access_token, subject_token_type: accessTokenType };
      return () => token(relying, fields);
    },
    'device code': async (relying, user) => {
      const { body } = await post(server(), 'device', { scope: 'openid' }, { authorization: relying.basic });
      await grantDevice(server(), body.user_code, user);
      return () => token(relying, { grant_type: deviceGrant, device_code: body.device_code });
    },
    'app password': async (relying, user) => {
      const { username, password } = await appPasswordOf(server(), user);
      return () => token(relying, { grant_type: 'client_credentials', username, password });
    },
    'password grant': async (relying, user) => {
      const { username, password } = await appPasswordOf(server(), user);
      return () => token(relying, { grant_type: 'password', username, password });
    },
  };

  test.each(Object.keys(ways))('a user is refused with invalid_grant: %s', async (name) => {
    const grant_types = [
      'authorization_code',
      'refresh_token',
      'client_credentials',
      'password',
      exchangeGrant,
      deviceGrant,
    ];
    const relying = await makeRelying(server(), { grant_types });
    const person = await server().user();
    const use = await ways[name]?.(relying, person.pk);
    const control = await ways[name]?.(relying, person.pk);
    await server().admin.patch(`/core/users/${person.pk}/`, { is_active: false });
    const refused = await use?.();
    expect([refused?.status, refused?.body.error]).toEqual([400, 'invalid_grant']);
    await server().admin.patch(`/core/users/${person.pk}/`, { is_active: true });
    expect((await control?.())?.status).toBe(200);
  });

  test('the service account of the client is refused with invalid_grant', async () => {
    const relying = await makeRelying(server());
    const ask = () => token(relying, { grant_type: 'client_credentials', scope: 'openid' });
    expect((await ask()).status).toBe(200);
    const { body } = await server().admin.get(`/oauth2/access_tokens/?provider=${relying.provider.pk}`);
    await server().admin.patch(`/core/users/${body.results[0].user.pk}/`, { is_active: false });
    expect((await ask()).body.error).toBe('invalid_grant');
  });

  test('tokens issued before the deactivation are inactive and reveal nothing', async () => {
    const relying = await makeRelying(server());
    const person = await server().user();
    const { access_token } = await tokensFor(server(), relying, person.pk, { scope: ['openid', 'gatehouse/api'] });
    await server().admin.patch(`/core/users/${person.pk}/`, { is_active: false });
    expect((await server().as(access_token).get('/application/o/userinfo/')).status).toBe(401);
    expect((await server().as(access_token).get('/core/users/me/')).status).toBe(403);
    const told = await post(server(), 'introspect', { token: access_token }, { authorization: relying.basic });
    expect(told.body).toEqual({ active: false });
  });
});

async function grantDevice({ world }: TestServer, userCode: string, user: number): Promise<void> {
  const request = await findRequestByUserCode(world.db.read, world.key, userCode);
  await world.db.write((tx) => decideRequest(tx, request?.pk ?? '', 'granted', { user, session: null }));
}

async function appPasswordOf({ admin }: TestServer, user: number): Promise<{ username: string; password: string }> {
  const identifier = `app-${randomText(12)}`;
  const made = await admin.post('/core/tokens/', { identifier, intent: 'app_password', user });
  if (made.status !== 201) throw new Error(`no app password: ${made.text}`);
  const { body } = await admin.get(`/core/tokens/${identifier}/view_key/`);
  return { username: made.body.user_obj.username, password: body.key };
}
