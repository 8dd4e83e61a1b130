import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { signInSource } from '../protocol/oauth-source/make-source.ts';
import { newBrowser, visit } from '../protocol/oauth-source/visitor.ts';
import { openBrowser, signInByPassword, signInFlow } from '../support/flow-client.ts';
import { made, makePrompt, makeWalk, unique } from '../support/make-walk.ts';
import { appFrom, giveCodes, password, personWithPassword, step } from '../support/second-factor.ts';
import { describeOnBoth, describeOnSqlite, type TestServer } from '../support/server.ts';
import { signIn } from '../support/session.ts';
import { signedInBrowser } from '../support/signed-in-browser.ts';

const again = {
  code: 'recent_authentication_required',
  authenticate_url: '/if/authenticate/',
  detail: expect.stringContaining('Sign in again'),
};

/** A browser whose user signed in long ago. */
const oldSession = (server: TestServer, user: number) => signedInBrowser(server, user, { isProven: false });

// A stolen session, or one that was left open, added a factor of its own and removed the owner's.
describeOnSqlite('a session whose user authenticated long ago', (server) => {
  async function owner() {
    const person = await personWithPassword(server());
    await giveCodes(server(), person.username);
    const source = await signInSource(server(), {
      authorization_url: 'https://elsewhere.example/authorize',
      access_token_url: 'https://elsewhere.example/token',
      profile_url: 'https://elsewhere.example/me',
      provider_type: 'github',
    });
    const link = { user: person.pk, source: source.pk, identifier: unique('x') };
    const { pk: connection } = await made(server(), '/sources/user_connections/oauth/', link);
    const identifier = unique('token');
    await person.api.post('/core/tokens/', { identifier });
    return { ...person, connection, identifier, slug: source.slug };
  }

  test('changes nothing that opens the account, until they authenticate again', async () => {
    const { pk, username, connection, identifier } = await owner();
    const browser = await oldSession(server(), pk);
    const [device] = (await browser.get('/authenticators/all/')).body;
    const calls = [
      ['POST', '/core/tokens/', { identifier: unique('token') }],
      ['POST', '/core/tokens/', { identifier: unique('token'), intent: 'app_password' }],
      ['GET', `/core/tokens/${identifier}/view_key/`, undefined],
      ['PATCH', `/core/tokens/${identifier}/`, { description: 'longer' }],
      ['DELETE', `/authenticators/static/${device.pk}/`, undefined],
      ['DELETE', `/sources/user_connections/oauth/${connection}/`, undefined],
    ] as const;
    for (const [method, path, body] of calls) {
      const answer = await browser.send(method, path, body);
      expect([method, path, answer.status, answer.body]).toEqual([method, path, 403, again]);
    }
    await signInByPassword(browser, username, password);
    await browser.answer(signInFlow, { code: 'wrong' });
    expect((await browser.send('DELETE', `/authenticators/static/${device.pk}/`)).body).toEqual(again);
  });

  test('is renewed by a sign-in of the same user, who then goes on', async () => {
    const { pk, username } = await personWithPassword(server());
    const browser = await oldSession(server(), pk);
    const create = () => browser.post('/core/tokens/', { identifier: unique('token') });
    expect((await create()).body).toEqual(again);
    const page = await visit(server(), browser, '/if/authenticate/?next=/if/user/tokens/');
    expect([page.status, page.location]).toEqual([302, `/if/flow/${signInFlow}/?next=%2Fif%2Fuser%2Ftokens%2F`]);
    await signInByPassword(browser, username, password);
    expect((await create()).status).toBe(201);
    const [session, ...others] = (await browser.get('/core/authenticated_sessions/')).body.results;
    expect([session.current, others]).toEqual([true, []]);
  });

  test('leads nowhere else than to this server', async () => {
    for (const next of ['https://evil.example/', '//evil.example', '/\\evil.example'])
      expect((await visit(server(), newBrowser(server()), `/if/authenticate/?next=${next}`)).location).toBe(
        `/if/flow/${signInFlow}/`,
      );
  });

  test('is not renewed by a login stage without a proof', async () => {
    const { slug } = await makeWalk(server(), [['user_login']]);
    const { pk } = await personWithPassword(server());
    const browser = await oldSession(server(), pk);
    expect((await browser.answer(slug, {})).body.component).toBe('xak-flow-redirect');
    expect((await browser.post('/core/tokens/', { identifier: unique('token') })).body).toEqual(again);
  });

  test('is not renewed by an app password, which is for programs', async () => {
    const { pk, username } = await personWithPassword(server());
    const identifier = unique('app');
    await made(server(), '/core/tokens/', { identifier, intent: 'app_password', user: pk });
    const { key } = (await server().admin.get(`/core/tokens/${identifier}/view_key/`)).body;
    const stolen = openBrowser(server());
    await signInByPassword(stolen, username, key);
    expect((await stolen.get('/core/users/me/')).body.user.pk).toBe(pk);
    expect((await stolen.post('/core/tokens/', { identifier: unique('token') })).body).toEqual(again);
    const owner = await oldSession(server(), pk);
    await signInByPassword(owner, username, key);
    expect((await owner.post('/core/tokens/', { identifier: unique('token') })).body).toEqual(again);
    // Nor does it change the password or set up a device before there is a session.
    const fields = [await makePrompt(server(), 'password', 'password')];
    const signIn = [
      ['identification', { user_fields: ['username'] }],
      ['password', { backends: ['svc.core.auth.InbuiltBackend', 'svc.core.auth.TokenBackend'] }],
    ] as const;
    const changing = await makeWalk(server(), [
      ...signIn,
      ['prompt/stages', { fields }],
      ['user_write', { user_creation_mode: 'never_create' }],
    ]);
    const enrolling = await makeWalk(server(), [...signIn, ['authenticator/static']]);
    const walk = async (slug: string, given: string) => {
      const browser = openBrowser(server());
      await browser.show(slug);
      await browser.answer(slug, { uid_field: username });
      return { browser, component: (await browser.answer(slug, { password: given })).body.component };
    };
    const { browser } = await walk(changing.slug, key);
    const changed = await browser.answer(changing.slug, {
      component: 'xak-stage-prompt',
      password: 'another password',
    });
    expect(changed.body.component).toBe('xak-stage-access-denied');
    expect((await walk(enrolling.slug, key)).component).toBe('xak-stage-access-denied');
    expect((await walk(enrolling.slug, password)).component).toBe('xak-stage-authenticator-static');
  });

  test('is recent for ten minutes', async () => {
    const { pk } = await server().user();
    const { browser } = await signIn(server(), pk);
    expect((await browser.post('/core/tokens/', { identifier: unique('token') })).status).toBe(201);
    const { world } = server();
    const age = (minutes: number) => new Date(Date.parse(world.clock.now()) - minutes * 60_000).toISOString();
    for (const [minutes, status] of [
      [9, 201],
      [11, 403],
    ] as const) {
      const at = age(minutes).replace(/Z$/, '000Z');
      await world.db.write((tx) =>
        sql`update authenticated_sessions set proven_at = ${at} where "user" = ${pk}`.execute(tx),
      );
      expect((await browser.post('/core/tokens/', { identifier: unique('token') })).status).toBe(status);
    }
  });

  test.each([
    'default-authenticator-totp-setup',
    'default-authenticator-static-setup',
    'default-authenticator-webauthn-setup',
  ])('is led to the sign-in by %s', async (flow) => {
    const { pk, username } = await personWithPassword(server());
    const browser = await oldSession(server(), pk);
    const { body } = await browser.show(flow, 'next=/if/user/devices/');
    const next = `/if/flow/${flow}/?next=/if/user/devices/`;
    expect(body).toEqual({
      component: 'xak-flow-redirect',
      to: `/if/authenticate/?${new URLSearchParams({ next })}`,
    });
    expect((await browser.answer(flow, {})).body).toEqual(again);
    await signInByPassword(browser, username, password);
    expect((await browser.show(flow, 'next=/if/user/devices/')).body.component).toMatch(/^xak-stage-authenticator-/);
  });

  test('may take its time to set up a device once that has begun', async () => {
    const { pk } = await personWithPassword(server());
    const browser = openBrowser(server());
    const { cookie, csrf, pk: session } = await signIn(server(), pk);
    browser.cookies.set('gatehouse_session', cookie.split('=')[1] ?? '');
    browser.cookies.set('gatehouse_csrf', csrf);
    const setup = 'default-authenticator-totp-setup';
    const app = appFrom(server(), browser, (await browser.show(setup)).body.config_url);
    await server().world.db.write((tx) =>
      sql`update authenticated_sessions set proven_at = null where pk = ${session}`.execute(tx),
    );
    expect((await browser.answer(setup, { code: app.code(-step) })).body.component).toBe('xak-flow-redirect');
  });

  test('is asked before an account at a source is linked', async () => {
    const { pk } = await server().user();
    const { slug } = await owner();
    const browser = await oldSession(server(), pk);
    const page = await visit(server(), browser, `/source/oauth/login/${slug}/?link&next=/if/user/`);
    const next = `/source/oauth/login/${slug}/?link=&next=%2Fif%2Fuser%2F`;
    expect([page.status, page.location]).toEqual([303, `/if/authenticate/?${new URLSearchParams({ next })}`]);
  });

  test('changes no address or password in a flow, but the rest of the profile', async () => {
    const fields = await Promise.all(
      ['name', 'email'].map((key) =>
        makePrompt(server(), key, key === 'email' ? 'email' : 'text', { required: false }),
      ),
    );
    const { slug } = await makeWalk(
      server(),
      [
        ['prompt/stages', { fields }],
        ['user_write', { user_creation_mode: 'never_create' }],
      ],
      { designation: 'stage_configuration' },
    );
    const { pk, username, email } = { email: '', ...(await personWithPassword(server())) };
    const browser = await oldSession(server(), pk);
    const component = 'xak-stage-prompt';
    const me = async () => (await browser.get('/core/users/me/')).body.user;
    const before = await me();
    await browser.show(slug);
    const renamed = { component, name: 'Ada', email: before.email };
    expect((await browser.answer(slug, renamed)).body.component).toBe('xak-flow-redirect');
    expect((await me()).name).toBe('Ada');
    await browser.show(slug);
    const address = `${unique('new')}@example.com`;
    const moved = { component, name: 'Ada', email: address };
    expect((await browser.answer(slug, moved)).body).toEqual(again);
    expect([(await me()).email, email]).toEqual([before.email, email]);
    await signInByPassword(browser, username, password);
    const shown = (await browser.show(slug)).body.component;
    const end = shown === component ? (await browser.answer(slug, moved)).body.component : shown;
    expect(end).toBe('xak-flow-redirect');
    expect((await me()).email).toBe(address);
  });
});

describeOnBoth('an administrator with an old session', (server) => {
  test('authenticates again for keys and factors; tokens go on as before', async () => {
    const { admin, world } = server();
    const { pk } = (await admin.get('/core/users/me/')).body.user;
    const browser = await oldSession(server(), pk);
    const person = await personWithPassword(server());
    const identifier = unique('token');
    await person.api.post('/core/tokens/', { identifier });
    const calls = [
      ['GET', `/core/tokens/${identifier}/view_key/`, undefined, 200],
      ['POST', `/core/tokens/${identifier}/set_key/`, { key: 'k'.repeat(64) }, 204],
      ['POST', `/core/users/${person.pk}/reset_second_factors/`, {}, 204],
      ['POST', '/core/users/service_account/', { name: unique('service') }, 200],
      ['PATCH', `/core/users/${pk}/`, { email: `${unique('admin')}@example.com` }, 200],
    ] as const;
    for (const [method, path, body, status] of calls) {
      expect((await browser.send(method, path, body)).body).toEqual(again);
      expect([path, (await admin.send(method, path, body)).status]).toEqual([path, status]);
    }
    // What opens no account, or another's by its own rules, is as before.
    expect((await browser.send('PATCH', `/core/users/${person.pk}/`, { name: 'Ada' })).status).toBe(200);
    expect((await browser.send('PATCH', `/core/users/${pk}/`, { name: 'Root' })).status).toBe(200);
    const bulk = { writes: [{ path: `/core/tokens/${identifier}/`, changes: { description: 'x' } }] };
    expect((await browser.post('/admin/bulk/', bulk)).body.results).toMatchObject([{ status: 403, body: again }]);
    expect(world.db.dialect.name).toBeTruthy();
  });

  test('is told by the API document which operations demand it', async () => {
    const { paths } = (await server().admin.get('/schema/?format=json')).body;
    expect(paths['/core/tokens/'].post['x-recent-authentication']).toBe(true);
    expect(paths['/core/users/{id}/'].patch['x-recent-authentication']).toBe('to change their own email address');
    expect(paths['/core/tokens/'].get['x-recent-authentication']).toBeUndefined();
    expect(paths['/core/tokens/'].post.description).toContain('recent_authentication_required');
  });
});
