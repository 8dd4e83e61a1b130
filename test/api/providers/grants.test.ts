import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { addMilliseconds } from '../../../src/platform/clock.ts';
import { grantKinds, makeGrant, makeProvider } from '../../support/providers.ts';
import { adminToken, describeOnBoth, type TestServer } from '../../support/server.ts';
import { statementsOf } from '../../support/statements.ts';

const day = 86_400_000;
const keysOf = (answer: { body: { results: { pk: number }[] } }) => answer.body.results.map(({ pk }) => pk);

describeOnBoth('OAuth2 access tokens', (server) => {
  const path = '/oauth2/access_tokens/';
  const nowOf = ({ world }: TestServer) => world.clock.now();

  test('a token shows its whole provider and user, and never its value', async () => {
    const provider = await makeProvider(server());
    const owner = await server().user();
    const expires = addMilliseconds(nowOf(server()), 3_600_000);
    const idToken = { iss: 'https://gate.example/', sub: 'abc', amr: ['pwd'], nested: { a: 1 } };
    const { pk, token } = await makeGrant(server(), 'access_tokens', {
      provider: provider.pk,
      user: owner.pk,
      expires,
      idToken,
      scope: ['openid', 'profile'],
    });
    const { status, body, text } = await server().admin.get(`${path}${pk}/`);
    expect(status).toBe(200);
    const whole = (await server().admin.get(`/core/users/${owner.pk}/`)).body;
    const { email_verified: _e, email_verified_at: _a, email_verified_by: _b, ...user } = whole;
    expect(body).toEqual({
      pk,
      provider,
      user,
      is_expired: false,
      expires,
      scope: ['openid', 'profile'],
      id_token: JSON.stringify(idToken, null, 4),
      revoked: false,
    });
    expect(text).not.toContain(token);
    const { rows } = await sql<{ token_hash: string }>`select * from oauth2_access_tokens where pk = ${pk}`.execute(
      server().world.db.read,
    );
    expect(JSON.stringify(rows)).not.toContain(token);
  });

  test('missing grants give 404; anonymous callers are refused', async () => {
    for (const key of ['0', '999999', '99999999999', 'x', '-1']) {
      expect((await server().admin.get(`${path}${key}/`)).status).toBe(404);
    }
    const { pk } = await makeGrant(server(), 'access_tokens', {
      provider: (await makeProvider(server())).pk,
      user: (await server().user()).pk,
    });
    for (const target of [path, `${path}${pk}/`, `${path}999999/`]) {
      const { status, body } = await server().nobody.get(target);
      expect([status, body.detail]).toEqual([403, 'Authentication credentials were not provided.']);
    }
  });

  test('people see their own tokens, whatever else they may view; a superuser sees all', async () => {
    const provider = await makeProvider(server());
    const [ada, bob] = [await server().user(), await server().user(['svc_providers_oauth2.view_accesstoken'])];
    const of = async (user: number) => (await makeGrant(server(), 'access_tokens', { provider: provider.pk, user })).pk;
    const [adas, bobs] = [await of(ada.pk), await of(bob.pk)];
    const filter = `?provider=${provider.pk}`;
    expect(keysOf(await ada.api.get(path))).toEqual([adas]);
    expect(keysOf(await bob.api.get(path))).toEqual([bobs]);
    expect(keysOf(await server().admin.get(path + filter))).toEqual([adas, bobs]);
    expect((await ada.api.get(`${path}${adas}/`)).status).toBe(200);
    expect((await ada.api.get(`${path}${bobs}/`)).status).toBe(404);
    expect(keysOf(await ada.api.get(`${path}?user=${bob.pk}`))).toEqual([]);
    expect(keysOf(await server().admin.get(`${path}${filter}&user=${bob.pk}`))).toEqual([bobs]);
    const idle = await server().user();
    expect((await idle.api.get(path)).body).toMatchObject({ pagination: { count: 0 }, results: [] });
  });

  test('the list is ordered by provider and expiry, or as asked; searching is ignored', async () => {
    const owner = await server().user();
    const [first, second] = [await makeProvider(server()), await makeProvider(server())];
    const at = async (provider: number, days: number | null) => {
      const expires = days === null ? null : addMilliseconds(nowOf(server()), days * day);
      return (await makeGrant(server(), 'access_tokens', { provider, user: owner.pk, expires })).pk;
    };
    const [late, early, other, never] = [
      await at(first.pk, 9),
      await at(first.pk, 1),
      await at(second.pk, 5),
      await at(first.pk, null),
    ];
    const list = async (query: string) => keysOf(await owner.api.get(`${path}?${query}`));
    expect(await list('')).toEqual([early, late, never, other]);
    expect(await list('search=nothing-like-this')).toHaveLength(4);
    expect(await list('ordering=-pk')).toEqual([never, other, early, late]);
    expect(await list('ordering=id_token')).toEqual([early, late, never, other]);
    expect(await list('page_size=1&page=2')).toEqual([late]);
    const wrong = 'Select a valid choice. That choice is not one of the available choices.';
    expect((await owner.api.get(`${path}?provider=999999&user=x`)).body).toEqual({ provider: [wrong], user: [wrong] });
  });

  test('deleting a token requires permission, and is recorded', async () => {
    const provider = await makeProvider(server());
    const owner = await server().user();
    const keeper = await server().user(['svc_providers_oauth2.delete_accesstoken']);
    const { pk } = await makeGrant(server(), 'access_tokens', { provider: provider.pk, user: owner.pk });
    const kept = await makeGrant(server(), 'access_tokens', { provider: provider.pk, user: keeper.pk });
    expect((await owner.api.delete(`${path}${pk}/`)).status).toBe(403);
    expect((await keeper.api.delete(`${path}${pk}/`)).status).toBe(404);
    expect((await keeper.api.delete(`${path}${kept.pk}/`)).status).toBe(204);
    expect((await server().admin.get(`${path}${pk}/used_by/`)).body).toEqual([]);
    expect((await server().admin.delete(`${path}${pk}/`)).status).toBe(204);
    const { body } = await server().admin.get('/events/events/?action=model_deleted&page_size=1000');
    const deleted = body.results.filter(
      ({ context }: { context: { model: { model_name: string; pk: number } } }) =>
        context.model.model_name === 'accesstoken' && context.model.pk === pk,
    );
    expect(deleted).toHaveLength(1);
    for (const method of ['POST', 'PUT', 'PATCH']) {
      expect((await server().admin.send(method, method === 'POST' ? path : `${path}${pk}/`, {})).status).toBe(405);
    }
  });

  test('a list takes the same number of statements at any length', async () => {
    const { admin } = server();
    const provider = await makeProvider(server());
    const count = async () => (await statementsOf(server(), () => admin.get(`${path}?page_size=100`))).length;
    const before = await count();
    const owner = await server().user();
    for (let made = 0; made < 20; made++) {
      await makeGrant(server(), 'access_tokens', { provider: provider.pk, user: owner.pk });
    }
    // Less, where the first reading filled a cache.
    expect(await count()).toBeLessThanOrEqual(before);
  });

  test('the token of a session ends with the session', async () => {
    const provider = await makeProvider(server());
    const owner = await server().user();
    const session = crypto.randomUUID();
    const now = nowOf(server());
    await server().world.db.write((tx) =>
      sql`insert into authenticated_sessions (pk, token_hash, "user", created, last_ip, last_user_agent, last_used, expires)
        values (${session}, ${session}, ${owner.pk}, ${now}, '', '', ${now}, ${addMilliseconds(now, day)})`.execute(tx),
    );
    const { pk } = await makeGrant(server(), 'access_tokens', { provider: provider.pk, user: owner.pk, session });
    expect((await owner.api.delete(`/core/authenticated_sessions/${session}/`)).status).toBe(204);
    expect((await server().admin.get(`${path}${pk}/`)).status).toBe(404);
  });
});

describeOnBoth('refresh tokens and codes', (server) => {
  describe.each(['refresh_tokens', 'authorization_codes'] as const)('%s', (kind) => {
    test('grants are visible to their owner and superusers, and deleted with permission', async () => {
      expect(Object.keys(grantKinds)).toContain(kind);
      const provider = await makeProvider(server());
      const [owner, stranger] = [await server().user(), await server().user()];
      const { pk, token } = await makeGrant(server(), kind, { provider: provider.pk, user: owner.pk });
      const target = `/oauth2/${kind}/${pk}/`;
      const { body, text } = await owner.api.get(target);
      const shown = ['pk', 'provider', 'user', 'is_expired', 'expires', 'scope'];
      expect(Object.keys(body).sort()).toEqual(
        (kind === 'refresh_tokens' ? [...shown, 'id_token', 'revoked'] : shown).sort(),
      );
      expect(text).not.toContain(token);
      expect((await stranger.api.get(target)).status).toBe(404);
      expect((await server().nobody.get(target)).status).toBe(403);
      expect((await owner.api.delete(target)).status).toBe(403);
      expect((await server().as(adminToken).delete(target)).status).toBe(204);
      expect((await owner.api.get(target)).status).toBe(404);
    });
  });
});
