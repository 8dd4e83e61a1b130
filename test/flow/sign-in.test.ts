import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { eventsDuring } from '../support/events.ts';

import { openBrowser, signInByPassword, signInFlow } from '../support/flow-client.ts';
import { adminPassword, describeOnBoth } from '../support/server.ts';

const flow = signInFlow;

describeOnBoth('signing in by the flow of a fresh install', (server) => {
  const person = async (values = {}) => {
    const user = await server().user([], values);
    await server().admin.post(`/core/users/${user.pk}/set_password/`, { password: 'right horse' });
    return user;
  };

  test('the administrator of a fresh install signs in', async () => {
    const browser = openBrowser(server());
    const first = await browser.show(flow);
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({
      component: 'xak-stage-identification',
      user_fields: ['email', 'username'],
      password_fields: false,
      flow_designation: 'authentication',
      flow_info: { cancel_url: '/flows/-/cancel/', layout: 'stacked' },
    });
    const second = await browser.answer(flow, { uid_field: 'admin' });
    expect(second.body).toMatchObject({ component: 'xak-stage-password', pending_user: 'admin' });
    const events = await eventsDuring(server(), async () => {
      const last = await browser.answer(flow, { password: adminPassword });
      expect(last.body).toEqual({ component: 'xak-flow-redirect', to: '/if/user/' });
    });
    expect(events.map(({ action, username }) => [action, username])).toEqual([['login', 'admin']]);
    expect(events[0]?.context).toMatchObject({ auth_method: 'password' });
    const me = await browser.get('/core/users/me/');
    expect(me.body.user.username).toBe('admin');
  });

  test('user names and e-mail addresses are accepted in any case', async () => {
    const user = await person({ email: 'Some.One@example.org' });
    for (const name of [user.username.toUpperCase(), 'some.one@EXAMPLE.org']) {
      const browser = openBrowser(server());
      await signInByPassword(browser, name, 'right horse');
      expect((await browser.get('/core/users/me/')).body.user.pk).toBe(user.pk);
    }
  });

  test('tells administrators, and no other user, that an account is not active', async () => {
    const user = await person();
    await server().admin.patch(`/core/users/${user.pk}/`, { is_active: false });
    const browser = openBrowser(server());
    await browser.show(flow);
    await browser.answer(flow, { uid_field: user.username });
    const events = await eventsDuring(server(), async () => {
      const answer = await browser.answer(flow, { password: 'right horse' });
      expect(answer.body.response_errors.password[0].string).toBe('That password is not right.');
    });
    expect(events).toMatchObject([{ action: 'login_failed', context: { reason: 'inactive' } }]);
  });

  test('a wrong password does not pass, tells nothing, and is recorded', async () => {
    const user = await person();
    const browser = openBrowser(server());
    await browser.show(flow);
    await browser.answer(flow, { uid_field: user.username });
    const events = await eventsDuring(server(), async () => {
      const answer = await browser.answer(flow, { password: 'wrong horse' });
      expect(answer.body).toMatchObject({
        component: 'xak-stage-password',
        response_errors: { password: [{ string: 'That password is not right.', code: 'invalid' }] },
      });
    });
    expect(events.map(({ action }) => action)).toEqual(['login_failed']);
    expect(events[0]?.text).not.toContain('wrong horse');
    expect((await browser.get('/core/users/me/')).status).toBe(403);
    const score = await server().admin.get(`/policies/reputation/scores/?identifier=${user.username}`);
    expect(score.body.results[0].score).toBe(-1);
    const right = await browser.answer(flow, { password: 'right horse' });
    expect(right.body.component).toBe('xak-flow-redirect');
  });

  test('too many wrong passwords end the walk', async () => {
    const user = await person();
    const browser = openBrowser(server());
    await browser.show(flow);
    await browser.answer(flow, { uid_field: user.username });
    for (let i = 0; i < 4; i++) await browser.answer(flow, { password: 'wrong' });
    const last = await browser.answer(flow, { password: 'wrong' });
    expect(last.body.component).toBe('xak-stage-access-denied');
    expect((await browser.show(flow)).body.component).toBe('xak-stage-identification');
  });

  test('empty, foreign and early answers do not pass', async () => {
    const user = await person();
    const browser = openBrowser(server());
    const early = await browser.answer(flow, { uid_field: user.username });
    expect(early.body.component).toBe('xak-stage-identification');
    for (const wrong of [
      {},
      { password: 'right horse' },
      { component: 'xak-stage-password', uid_field: user.username },
    ]) {
      const answer = await browser.answer(flow, wrong);
      expect(answer.status).toBe(200);
      expect(answer.body.component).toBe('xak-stage-identification');
    }
    await browser.answer(flow, { uid_field: user.username });
    for (const wrong of [
      {},
      { uid_field: 'admin' },
      { component: 'xak-stage-identification', uid_field: 'admin' },
      { component: 'xak-stage-user-login', remember_me: true },
      { password: '' },
      { password: null },
      { password: ['right horse'] },
      { component: 'xak-stage-password' },
    ]) {
      const answer = await browser.answer(flow, wrong);
      expect(answer.body, JSON.stringify(wrong)).toMatchObject({
        component: 'xak-stage-password',
        pending_user: user.username,
      });
    }
    expect((await browser.get('/core/users/me/')).status).toBe(403);
  });

  test('an unknown user name is asked for a password like any other', async () => {
    const user = await person();
    const told = async (name: string) => {
      const browser = openBrowser(server());
      await browser.show(flow);
      const named = await browser.answer(flow, { uid_field: name });
      const tried = await browser.answer(flow, { password: 'wrong' });
      return JSON.stringify([named.body, tried.body])
        .replaceAll(name, 'NAME')
        .replaceAll(/data:image[^"]*/g, 'PICTURE');
    };
    expect(await told('nobody-at-all')).toBe(await told(user.username));
  });

  test('an inactive account cannot sign in, and gets the same message', async () => {
    const user = await person();
    await server().admin.patch(`/core/users/${user.pk}/`, { is_active: false });
    const answer = await signInByPassword(openBrowser(server()), user.username, 'right horse');
    expect(answer.body.response_errors.password[0].string).toBe('That password is not right.');
  });

  test('an app password signs in, until it expires or is deleted', async () => {
    const user = await person();
    const identifier = `app-${user.pk}`;
    await server().admin.post('/core/tokens/', { identifier, intent: 'app_password', user: user.pk });
    const { body } = await server().admin.get(`/core/tokens/${identifier}/view_key/`);
    const browser = openBrowser(server());
    await signInByPassword(browser, user.username, body.key);
    expect((await browser.get('/core/users/me/')).body.user.pk).toBe(user.pk);
    const other = await person();
    const stolen = await signInByPassword(openBrowser(server()), other.username, body.key);
    expect(stolen.body.component).toBe('xak-stage-password');
    await server().admin.delete(`/core/tokens/${identifier}/`);
    const gone = await signInByPassword(openBrowser(server()), user.username, body.key);
    expect(gone.body.component).toBe('xak-stage-password');
  });

  test('an app password of one application does not sign in', async () => {
    const user = await person();
    const identifier = `app-${user.pk}`;
    const { pk: application } = (
      await server().admin.post('/core/applications/', { name: identifier, slug: identifier })
    ).body;
    const values = { identifier, intent: 'app_password', user: user.pk, application };
    expect((await server().admin.post('/core/tokens/', values)).status).toBe(201);
    const { body } = await server().admin.get(`/core/tokens/${identifier}/view_key/`);
    const signedIn = await signInByPassword(openBrowser(server()), user.username, body.key);
    expect(signedIn.body.component).toBe('xak-stage-password');
    // It goes with the application: without it, it would open all others.
    expect((await server().admin.delete(`/core/applications/${identifier}/`)).status).toBe(204);
    expect((await server().admin.get(`/core/tokens/${identifier}/`)).status).toBe(404);
  });

  test('an imported password hash is replaced by our own', async () => {
    const user = await person();
    const { db } = server().world;
    const foreign = 'pbkdf2_sha256$1000$c2FsdA$4f1tBbaLmS2YNXTVpuRm2TG2sEn5bcZxL7bB6fZ/1m8=';
    const { pbkdf2Sync } = await import('node:crypto');
    const derived = pbkdf2Sync('right horse', 'c2FsdA', 1000, 32, 'sha256').toString('base64');
    const stored = foreign.replace(/[^$]+$/, derived);
    await db.write((tx) => sql`update users set password = ${stored} where pk = ${user.pk}`.execute(tx));
    const answer = await signInByPassword(openBrowser(server()), user.username, 'right horse');
    expect(answer.body.component).toBe('xak-flow-redirect');
    const { rows } = await sql<{ password: string }>`select password from users where pk = ${user.pk}`.execute(db.read);
    expect(rows[0]?.password).toMatch(/^\$argon2id\$/);
  });

  test('an answer sent many times at once is counted once', async () => {
    const user = await person();
    const browser = openBrowser(server());
    await browser.show(flow);
    await browser.answer(flow, { uid_field: user.username });
    const events = await eventsDuring(server(), async () => {
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => browser.answer(flow, { password: 'right horse' })),
      );
      expect(answers.every(({ status }) => status === 200)).toBe(true);
    });
    expect(events.filter(({ action }) => action === 'login')).toHaveLength(1);
  });

  test('the walk ends at the address in next, but never at another site', async () => {
    const ends = async (query: string) => {
      const user = await person();
      const browser = openBrowser(server());
      await browser.show(flow, query);
      await browser.answer(flow, { uid_field: user.username });
      return (await browser.answer(flow, { password: 'right horse' })).body.to;
    };
    expect(await ends('next=%2Fif%2Fuser%2F%23%2Fsettings')).toBe('/if/user/#/settings');
    for (const evil of [
      'https://evil.example/',
      '//evil.example/',
      '/\\evil.example',
      'javascript:alert(1)',
      '/\t/evil.example',
    ]) {
      expect(await ends(`next=${encodeURIComponent(evil)}`), evil).toBe('/if/user/');
    }
  });

  test.each(['before', 'after'])(
    'opening the page with another next %s an answer leads to the new destination',
    async (moment) => {
      const user = await person();
      const browser = openBrowser(server());
      const reopen = () => browser.show(flow, 'next=%2Fsecond%2F');
      await browser.show(flow, 'next=%2Ffirst%2F');
      if (moment === 'before') await reopen();
      await browser.answer(flow, { uid_field: user.username });
      if (moment === 'after') expect((await reopen()).body.component).toBe('xak-stage-password');
      expect((await browser.answer(flow, { password: 'right horse' })).body.to).toBe('/second/');
    },
  );

  test('cancelling a flow deletes the walk', async () => {
    const browser = openBrowser(server());
    await browser.show(flow);
    await browser.answer(flow, { uid_field: 'admin' });
    const left = await fetch(`${server().url}/flows/-/cancel/`, {
      redirect: 'manual',
      headers: { cookie: `gatehouse_flow_plan=${browser.cookies.get('gatehouse_flow_plan')}` },
    });
    expect([left.status, left.headers.get('location')]).toEqual([302, `/if/flow/${flow}/`]);
    expect((await browser.show(flow)).body.component).toBe('xak-stage-identification');
  });

  test('signing out ends the session', async () => {
    const user = await person();
    const browser = openBrowser(server());
    await signInByPassword(browser, user.username, 'right horse');
    const cookie = browser.cookies.get('gatehouse_session');
    const events = await eventsDuring(server(), async () => {
      const answer = await browser.answer('default-invalidation-flow', {});
      expect(answer.body).toEqual({ component: 'xak-flow-redirect', to: '/' });
    });
    expect(events.map(({ action, username }) => [action, username])).toEqual([['logout', user.username]]);
    expect(browser.cookies.has('gatehouse_session')).toBe(false);
    browser.cookies.set('gatehouse_session', cookie as string);
    expect((await browser.get('/core/users/me/')).status).toBe(403);
  });
});
