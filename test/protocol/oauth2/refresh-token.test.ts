import { decodeJwt } from 'jose';
import { expect, test } from 'vitest';
import { addMilliseconds } from '../../../src/platform/clock.ts';
import { eventsDuring } from '../../support/events.ts';
import { unique } from '../../support/make-walk.ts';

import { type Fields, makeCode, makeRelying, post, type Relying, tokensFor } from '../../support/oauth2.ts';
import { describeOnBoth, type TestServer } from '../../support/server.ts';

const refresh = (server: TestServer, { basic }: Relying, refresh_token: string, fields: Fields = {}) =>
  post(server, 'token', { grant_type: 'refresh_token', refresh_token, ...fields }, { authorization: basic });

describeOnBoth('the token endpoint: refresh tokens (RFC 6749 §6)', (server) => {
  test('a refresh token gives new tokens and a new refresh token, once', async () => {
    const relying = await makeRelying(server());
    const person = await server().user();
    const first = await tokensFor(server(), relying, person.pk, { nonce: 'only once' });
    const second = await refresh(server(), relying, first.refresh_token);
    expect(second.status).toBe(200);
    expect(second.body.refresh_token).not.toBe(first.refresh_token);
    const [before, after] = [decodeJwt(first.id_token), decodeJwt(second.body.id_token)];
    expect(after).toMatchObject({ iss: before.iss, sub: before.sub, aud: before.aud, auth_time: before.auth_time });
    expect([before.nonce, after.nonce]).toEqual(['only once', undefined]);
    const third = await refresh(server(), relying, second.body.refresh_token);
    expect(third.status).toBe(200);
  });

  test.each([
    ['user_username', () => ({ username: unique('renamed') })],
    ['user_email', () => ({ email: `${unique('renamed')}@example.com` })],
    ['user_upn', () => ({ attributes: { upn: unique('renamed') } })],
  ])('keeps the subject of a user who was renamed, by %s', async (sub_mode, change) => {
    const relying = await makeRelying(server(), { sub_mode });
    const upn = unique('upn');
    const person = await server().user([], { email: `${upn}@example.com`, attributes: { upn } });
    const first = await tokensFor(server(), relying, person.pk);
    const { sub } = decodeJwt(first.id_token);
    await server().admin.patch(`/core/users/${person.pk}/`, change());
    const second = await refresh(server(), relying, first.refresh_token);
    expect([decodeJwt(second.body.id_token).sub, decodeJwt(second.body.access_token).sub]).toEqual([sub, sub]);
    const userinfo = await server().nobody.send('GET', '/application/o/userinfo/', undefined, {
      authorization: `Bearer ${second.body.access_token}`,
    });
    expect(userinfo.body.sub).toBe(sub);
    const fresh = await tokensFor(server(), relying, person.pk);
    expect(decodeJwt(fresh.id_token).sub).not.toBe(sub);
  });

  test.each([
    ['user_username', (sub: string) => ({ username: sub })],
    ['user_email', (sub: string) => ({ email: sub })],
    ['user_upn', (sub: string) => ({ attributes: { upn: sub } })],
  ])('is refused once another user has the subject, by %s', async (sub_mode, taken) => {
    const relying = await makeRelying(server(), { sub_mode });
    const upn = unique('upn');
    const person = await server().user([], { email: `${upn}@example.com`, attributes: { upn } });
    const first = await tokensFor(server(), relying, person.pk);
    const sub = String(decodeJwt(first.id_token).sub);
    const name = unique('renamed');
    const change = { username: name, email: `${name}@example.com`, attributes: { upn: name } };
    await server().admin.patch(`/core/users/${person.pk}/`, change);
    const other = await server().user();
    expect((await server().admin.patch(`/core/users/${other.pk}/`, taken(sub))).status).toBe(200);
    const second = await refresh(server(), relying, first.refresh_token);
    expect([second.status, second.body.error]).toEqual([400, 'invalid_grant']);
  });

  test('reuse of a refresh token revokes everything of the authorization', async () => {
    const relying = await makeRelying(server());
    const { pk } = await server().user();
    const first = await tokensFor(server(), relying, pk, { scope: ['openid', 'offline_access', 'gatehouse/api'] });
    const second = await refresh(server(), relying, first.refresh_token);
    const api = server().as(second.body.access_token);
    expect((await api.get('/core/users/me/')).status).toBe(200);
    const events = await eventsDuring(server(), async () => {
      const again = await refresh(server(), relying, first.refresh_token);
      expect([again.status, again.body.error]).toEqual([400, 'invalid_grant']);
    });
    expect(events.map(({ action }) => action)).toEqual(['suspicious_request']);
    expect((await api.get('/core/users/me/')).status).toBe(403);
    expect((await refresh(server(), relying, second.body.refresh_token)).body.error).toBe('invalid_grant');
  });

  test('a smaller scope may be requested, and the whole again later; more never', async () => {
    const relying = await makeRelying(server());
    const { pk } = await server().user();
    const first = await tokensFor(server(), relying, pk, { scope: ['openid', 'email', 'offline_access'] });
    const less = await refresh(server(), relying, first.refresh_token, { scope: 'openid' });
    expect(less.body.scope).toBe('openid');
    const more = await refresh(server(), relying, less.body.refresh_token, { scope: 'openid profile' });
    expect([more.status, more.body.error]).toEqual([400, 'invalid_scope']);
    // What was refused has not used it up.
    const whole = await refresh(server(), relying, less.body.refresh_token);
    expect(whole.body.scope).toBe('openid email offline_access');
  });

  test('a scope that the provider has lost is not given any more', async () => {
    const relying = await makeRelying(server());
    const first = await tokensFor(server(), relying, (await server().user()).pk);
    const { property_mappings } = relying.provider;
    const { rows } = await scopesOf(server(), property_mappings);
    const kept = rows.filter(({ scope_name }) => scope_name !== 'email').map(({ pk }) => pk);
    await server().admin.patch(`/providers/oauth2/${relying.provider.pk}/`, { property_mappings: kept });
    const second = await refresh(server(), relying, first.refresh_token);
    expect(second.body.scope).toBe('openid offline_access');
  });

  test('comes only with offline_access, and only where the provider allows it', async () => {
    const relying = await makeRelying(server());
    const { pk } = await server().user();
    expect((await tokensFor(server(), relying, pk, { scope: ['openid'] })).refresh_token).toBeUndefined();
    const change = { grant_types: ['authorization_code'] };
    const given = await tokensFor(server(), relying, pk);
    await server().admin.patch(`/providers/oauth2/${relying.provider.pk}/`, change);
    expect((await tokensFor(server(), relying, pk)).refresh_token).toBeUndefined();
    expect((await refresh(server(), relying, given.refresh_token)).body.error).toBe('unauthorized_client');
  });

  test('belongs to its client, and is not interchangeable with codes', async () => {
    const relying = await makeRelying(server());
    const other = await makeRelying(server());
    const { pk } = await server().user();
    const { refresh_token, access_token } = await tokensFor(server(), relying, pk);
    expect((await refresh(server(), other, refresh_token)).body.error).toBe('invalid_grant');
    for (const wrong of [access_token, await makeCode(server(), relying, pk)]) {
      expect((await refresh(server(), relying, wrong)).body.error).toBe('invalid_grant');
    }
    const asCode = { grant_type: 'authorization_code', code: refresh_token };
    expect((await post(server(), 'token', asCode, { authorization: relying.basic })).body.error).toBe('invalid_grant');
    expect((await refresh(server(), relying, refresh_token)).status).toBe(200);
  });
});

let now = '2030-01-01T00:00:00.000000Z';
describeOnBoth(
  'the token endpoint: time',
  (server) => {
    test('codes and refresh tokens are valid until they expire, without any clean-up', async () => {
      const relying = await makeRelying(server(), { refresh_token_validity: 'minutes=10' });
      const { pk } = await server().user();
      const code = await makeCode(server(), relying, pk);
      now = addMilliseconds(now, 61_000);
      const late = { grant_type: 'authorization_code', code, redirect_uri: 'https://app.example/callback' };
      expect((await post(server(), 'token', late, { authorization: relying.basic })).body.error).toBe('invalid_grant');
      const { refresh_token } = await tokensFor(server(), relying, pk);
      now = addMilliseconds(now, 9 * 60_000);
      const next = await refresh(server(), relying, refresh_token);
      expect(next.status).toBe(200);
      now = addMilliseconds(now, 11 * 60_000);
      expect((await refresh(server(), relying, next.body.refresh_token)).body.error).toBe('invalid_grant');
    });
  },
  { clock: { now: () => now } },
);

async function scopesOf({ admin }: TestServer, pks: readonly string[]) {
  const { body } = await admin.get('/propertymappings/provider/scope/?page_size=100');
  return { rows: (body.results as { pk: string; scope_name: string }[]).filter(({ pk }) => pks.includes(pk)) };
}
