import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { made, unique } from '../support/make-walk.ts';
import { makeRelying, tokensFor } from '../support/oauth2.ts';
import { describeOnSqlite } from '../support/server.ts';
import { signIn } from '../support/session.ts';

// A stolen token took the second factor away and set a new password.
describeOnSqlite('operations for people only require a session', (server) => {
  const deviceOf = async (user: number): Promise<number> => {
    const { pk } = await made(server(), '/authenticators/admin/totp/', { name: 'phone' });
    const own = sql`update devices set "user" = ${user} where pk = ${pk}`;
    await server().world.db.write((tx) => own.execute(tx));
    return pk;
  };

  test('a token neither renames nor deletes a second factor; its owner in a browser does', async () => {
    const person = await server().user();
    const path = `/authenticators/totp/${await deviceOf(person.pk)}/`;
    expect((await person.api.get(path)).status).toBe(200);
    for (const answer of [await person.api.patch(path, { name: 'mine' }), await person.api.delete(path)]) {
      expect([answer.status, answer.body.detail]).toEqual([
        403,
        'This cannot be done with an API token. It takes: session.',
      ]);
    }
    const { browser } = await signIn(server(), person.pk);
    expect((await browser.delete(path)).status).toBe(204);
  });

  test('a token cannot walk through a flow', async () => {
    const person = await server().user();
    const flow = '/flows/executor/default-password-change/';
    expect((await person.api.get(flow)).status).toBe(403);
    const answer = await person.api.post(flow, {
      password: 'mine now, all of it',
      password_repeat: 'mine now, all of it',
    });
    expect([answer.status, answer.body.code]).toEqual([403, 'permission_denied']);
    const { browser } = await signIn(server(), person.pk);
    expect((await browser.get(flow)).status).toBe(200);
  });

  test('an access token can neither create nor read a credential that outlives it', async () => {
    const relying = await makeRelying(server());
    const person = await server().user(['svc_core.reset_user_password', 'svc_core.view_user', 'svc_core.add_user']);
    const identifier = unique('token');
    await person.api.post('/core/tokens/', { identifier });
    const { access_token } = await tokensFor(server(), relying, person.pk, { scope: ['openid', 'gatehouse/api'] });
    const client = server().as(access_token);
    expect((await client.get('/core/users/me/')).status).toBe(200);
    const other = await made(server(), '/core/users/', { username: unique('other'), name: '' });
    for (const answer of [
      await client.post('/core/tokens/', { identifier: unique('token') }),
      await client.get(`/core/tokens/${identifier}/view_key/`),
      await client.post(`/core/users/${other.pk}/set_password/`, { password: 'mine now, all of it' }),
      await client.post(`/core/users/${other.pk}/recovery/`),
      await client.post('/core/users/service_account/', { name: unique('robot') }),
    ])
      expect([answer.status, answer.body.detail]).toEqual([403, expect.stringContaining('access token')]);
  });

  test('the OpenAPI document says which credentials each operation accepts', async () => {
    const { paths } = (await server().nobody.get('/schema/')).body;
    expect(paths['/authenticators/totp/{id}/'].delete).toMatchObject({
      'x-credentials': ['session'],
      security: [{ session: [] }],
    });
    expect(paths['/core/tokens/'].post).toMatchObject({
      'x-credentials': ['session', 'API token'],
      security: [{ bearer: [] }, { session: [] }],
    });
    expect(paths['/core/groups/'].post.security).toEqual([{ access_token: [] }, { bearer: [] }, { session: [] }]);
  });
});
