import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { signInSource } from '../protocol/oauth-source/make-source.ts';
import { made, makePrompt, makeWalk, unique } from '../support/make-walk.ts';
import { giveCodes, personWithPassword } from '../support/second-factor.ts';
import { describeOnSqlite } from '../support/server.ts';
import { signedInBrowser } from '../support/signed-in-browser.ts';

// Changes made while acting as another user outlast the impersonation, and look like theirs.
describeOnSqlite('an impersonated session', (server) => {
  /** An administrator who acts as a user with the right to change users. */
  async function acting() {
    const admin = await server().admin.get('/core/users/me/');
    const { pk, username, api } = await personWithPassword(server());
    await giveCodes(server(), username);
    const browser = await signedInBrowser(server(), admin.body.user.pk);
    expect((await browser.post(`/core/users/${pk}/impersonate/`)).status).toBe(204);
    return { pk, username, api, browser };
  }
  const stored = async (pk: number) => {
    const { rows } = await sql`select u.name, u.email, u.password, u.is_active, u.attributes,
      (select count(*) from devices d where d."user" = u.pk) as devices,
      (select count(*) from user_source_connections c where c."user" = u.pk) as links,
      (select count(*) from user_consents c where c."user" = u.pk) as consents
      from users u where u.pk = ${pk}`.execute(server().world.db.read);
    return rows;
  };

  test.each([
    ['writes the user', [['prompt/stages'], ['user_write', { user_creation_mode: 'never_create' }]]],
    ['creates a user', [['prompt/stages'], ['user_write', { user_creation_mode: 'always_create' }]]],
    ['deletes the user', [['user_delete']]],
    ['adds codes', [['authenticator/static']]],
    ['adds an authenticator app', [['authenticator/totp', { digits: '6' }]]],
    ['adds a passkey', [['authenticator/webauthn']]],
    ['remembers a consent', [['consent', { mode: 'permanent' }]]],
  ] as const)('runs no flow that %s', async (_, stages) => {
    const field = await makePrompt(server(), 'email', 'email');
    const { slug } = await makeWalk(
      server(),
      stages.map(([kind, values]) => [kind, kind === 'prompt/stages' ? { fields: [field] } : { ...values }]),
    );
    const { pk, browser } = await acting();
    const before = await stored(pk);
    const users = async () => (await server().admin.get('/core/users/')).body.pagination.count;
    const count = await users();
    let { body } = await browser.show(slug);
    for (let steps = 0; steps < 4 && body.component !== 'xak-stage-access-denied'; steps += 1) {
      const { component } = body;
      const isPrompt = component === 'xak-stage-prompt';
      ({ body } = await browser.answer(slug, { component, ...(isPrompt && { email: 'mallory@example.com' }) }));
    }
    expect(body).toMatchObject({
      component: 'xak-stage-access-denied',
      error_message: expect.stringContaining('while you act as another user'),
    });
    expect([await stored(pk), await users()]).toEqual([before, count]);
  });

  test('may sign out', async () => {
    const { browser } = await acting();
    expect((await browser.answer('default-invalidation-flow', {})).body.component).toBe('xak-flow-redirect');
    expect((await browser.get('/core/users/me/')).status).toBe(403);
  });

  test('writes neither the user nor what they own', async () => {
    const admin = await server().admin.get('/core/users/me/');
    const helper = await signedInBrowser(server(), admin.body.user.pk);
    const person = await server().user([
      ...['svc_core.view_user', 'svc_core.change_user', 'svc_core.delete_user'],
      ...['svc_sources_oauth.add_useroauthsourceconnection', 'svc_sources_oauth.view_oauthsource'],
    ]);
    const source = await signInSource(server(), {
      authorization_url: 'https://elsewhere.example/authorize',
      access_token_url: 'https://elsewhere.example/token',
      profile_url: 'https://elsewhere.example/me',
      provider_type: 'github',
    });
    const link = await made(server(), '/sources/user_connections/oauth/', {
      user: person.pk,
      source: source.pk,
      identifier: unique('x'),
    });
    const theirs = await signedInBrowser(server(), person.pk);
    const [session] = (await theirs.get('/core/authenticated_sessions/')).body.results;
    expect((await helper.post(`/core/users/${person.pk}/impersonate/`)).status).toBe(204);
    const before = await stored(person.pk);
    const answers = [
      await helper.send('PATCH', `/core/users/${person.pk}/`, { email: 'mallory@example.com' }),
      await helper.send('DELETE', `/core/users/${person.pk}/`),
      await helper.send('DELETE', `/sources/user_connections/all/${link.pk}/`),
      await helper.send('DELETE', `/core/authenticated_sessions/${session.uuid}/`),
    ];
    for (const { status, body } of answers)
      expect([status, body.detail]).toEqual([403, expect.stringContaining('while you act as another user')]);
    expect(await stored(person.pk)).toEqual(before);
    for (const [path, body] of [
      ['/events/notifications/mark_all_seen/', {}],
      ['/core/authenticated_sessions/sign_out_everywhere/', { keep_current: true }],
      ['/sources/user_connections/oauth/', { user: person.pk, source: source.pk, identifier: unique('y') }],
    ] as const) {
      const { status, body: refusal } = await helper.post(path, body);
      expect([path, status, refusal.detail]).toEqual([path, 403, expect.stringContaining('while you act as another')]);
    }
    expect((await theirs.get('/core/users/me/')).status).toBe(200);
    const bulk = [{ path: `/core/users/${person.pk}/`, changes: { name: 'Mallory' } }];
    expect((await helper.post('/admin/bulk/', { writes: bulk })).body.results[0].status).toBe(403);
    const other = await server().user();
    expect((await helper.send('PATCH', `/core/users/${other.pk}/`, { name: 'Other' })).status).toBe(200);
  });
});
