import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { eventsDuring } from '../support/events.ts';

import { type Browser, openBrowser } from '../support/flow-client.ts';
import { bindExpression, made, makePrompt, makeWalk, unique } from '../support/make-walk.ts';
import { describeOnBoth } from '../support/server.ts';
import { signIn } from '../support/session.ts';

const done = { component: 'xak-flow-redirect', to: '/if/user/' };
const backends = ['svc.core.auth.InbuiltBackend'];

describeOnBoth('the stages of flows', (server, kind) => {
  const browserOf = async (user: number): Promise<Browser> => {
    const browser = openBrowser(server());
    const { cookie, csrf } = await signIn(server(), user);
    browser.cookies.set('gatehouse_session', cookie.split('=')[1] as string);
    browser.cookies.set('gatehouse_csrf', csrf);
    return browser;
  };
  const person = async () => {
    const email = `${unique('me')}@example.org`;
    const user = await server().user([], { email });
    await server().admin.post(`/core/users/${user.pk}/set_password/`, { password: 'right horse' });
    return { ...user, email };
  };

  test('user_login asks whether to stay signed in, ends other sessions and rotates this one', async () => {
    const login = { session_duration: 'hours=1', remember_me_offset: 'days=30', terminate_other_sessions: true };
    const walk = await makeWalk(server(), [['user_login', login]]);
    const user = await server().user();
    const browser = await browserOf(user.pk);
    const before = browser.cookies.get('gatehouse_session');
    await signIn(server(), user.pk);
    expect((await browser.show(walk.slug)).body).toMatchObject({
      component: 'xak-stage-user-login',
      pending_user: user.username,
    });
    expect((await browser.answer(walk.slug, {})).body.component).toBe('xak-stage-user-login');
    const answer = await browser.answer(walk.slug, { remember_me: true });
    expect(answer.body).toEqual(done);
    expect(answer.headers.getSetCookie().join()).toMatch(/gatehouse_session=[^;]+; Max-Age=2595600; Path=\//);
    expect(browser.cookies.get('gatehouse_session')).not.toBe(before);
    const { rows } = await sql<{ pk: string }>`select pk from authenticated_sessions where "user" = ${user.pk}`.execute(
      server().world.db.read,
    );
    expect(rows).toHaveLength(1);
    expect((await browser.get('/core/users/me/')).body.user.last_login).not.toBeNull();
  });

  test('enrolment creates a user by the same rules as the API, and signs them in', async () => {
    const group = (await made(server(), '/core/groups/', { name: unique('group') })).pk;
    const fields = [
      await makePrompt(server(), 'username', 'text'),
      await makePrompt(server(), 'email', 'text', { required: false }),
      await makePrompt(server(), 'password', 'password'),
      await makePrompt(server(), 'again', 'password', { order: 1 }),
      await makePrompt(server(), 'attributes.team', 'text', { required: false }),
      await makePrompt(server(), 'is_superuser', 'text', { required: false }),
      await makePrompt(server(), 'type', 'text', { required: false }),
    ];
    const write = { create_users_as_inactive: false, create_users_group: group, user_path_template: 'made/here' };
    const walk = await makeWalk(server(), [['prompt/stages', { fields }], ['user_write', write], ['user_login']]);
    const username = unique('new');
    const browser = openBrowser(server());
    await browser.show(walk.slug);
    const values = {
      username,
      password: 'long enough',
      again: 'long enough',
      'attributes.team': 'blue',
      is_superuser: 'true',
      type: 'internal',
    };
    const differing = await browser.answer(walk.slug, { ...values, again: 'other' });
    expect(differing.body.response_errors.non_field_errors[0].string).toBe("Passwords don't match.");
    const taken = await browser.answer(walk.slug, { ...values, username: 'admin' });
    expect(taken.body).toMatchObject({
      component: 'xak-stage-prompt',
      response_errors: { username: [{ code: 'invalid' }] },
    });
    const broken = await browser.answer(walk.slug, { ...values, email: 'no address' });
    expect(broken.body.response_errors.email).toHaveLength(1);
    const events = await eventsDuring(server(), async () => {
      expect((await browser.answer(walk.slug, values)).body).toEqual(done);
    });
    expect(events.map(({ action }) => action).sort()).toEqual(['login', 'user_write']);
    expect(JSON.stringify(events)).not.toContain('long enough');
    const me = (await browser.get('/core/users/me/')).body.user;
    expect(me).toMatchObject({ username, is_superuser: false, type: 'external' });
    const user = (await server().admin.get(`/core/users/${me.pk}/`)).body;
    expect(user).toMatchObject({ path: 'made/here', groups: [group], attributes: { team: 'blue' } });
  });

  test('user_write changes only the profile and the password of the signed-in user', async () => {
    const user = await person();
    const browser = await browserOf(user.pk);
    const shown = await browser.show('default-user-settings-flow');
    expect(shown.body.fields[0]).toMatchObject({ field_key: 'username', initial_value: user.username });
    const values = {
      username: user.username,
      name: 'A New Name',
      email: user.email,
      'attributes.settings.locale': 'de',
    };
    const renamed = await browser.answer('default-user-settings-flow', { ...values, username: unique('other') });
    expect(renamed.body.response_errors.non_field_errors[0].string).toBe('Not allowed to change username.');
    expect((await browser.answer('default-user-settings-flow', values)).body).toEqual(done);
    expect((await server().admin.get(`/core/users/${user.pk}/`)).body).toMatchObject({
      username: user.username,
      name: 'A New Name',
      attributes: { settings: { locale: 'de' } },
    });
    await browser.show('default-password-change');
    await browser.answer('default-password-change', { password: 'right horse' });
    const events = await eventsDuring(server(), async () => {
      const changed = await browser.answer('default-password-change', {
        password: 'ambra and other quitte',
        password_repeat: 'ambra and other quitte',
      });
      expect(changed.body).toEqual(done);
    });
    expect(events.map(({ action }) => action).sort()).toEqual(['password_set', 'user_write']);
    expect((await browser.get('/core/users/me/')).status).toBe(200);
    const { rows } = await sql<{ password: string }>`select password from users where pk = ${user.pk}`.execute(
      server().world.db.read,
    );
    expect(await server().world.passwords.verify(rows[0]?.password ?? null, 'ambra and other quitte')).toBe(true);
  });

  test('user_delete deletes the signed-in user and records it, but never an administrator', async () => {
    const walk = await makeWalk(server(), [['user_delete']]);
    expect((await openBrowser(server()).show(walk.slug)).body.component).toBe('xak-stage-access-denied');
    const user = await server().user();
    const browser = await browserOf(user.pk);
    expect((await browser.show(walk.slug)).body.component).toBe('xak-stage-user-delete');
    expect((await browser.answer(walk.slug, {})).body.component).toBe('xak-stage-user-delete');
    const events = await eventsDuring(server(), async () => {
      expect((await browser.answer(walk.slug, { component: 'xak-stage-user-delete' })).body).toEqual(done);
    });
    expect(events.map(({ action, username }) => [action, username])).toEqual([['model_deleted', user.username]]);
    expect((await server().admin.get(`/core/users/${user.pk}/`)).status).toBe(404);
    const { body } = await server().admin.get('/core/users/?username=admin');
    const admin = await browserOf(body.results[0].pk);
    expect((await admin.show(walk.slug)).body.error_message).toMatch(/administrator/);
  });

  test('invitation lets people pass once, with its data', async () => {
    const fields = [await makePrompt(server(), 'email', 'email')];
    const write = { create_users_as_inactive: false };
    const walk = await makeWalk(server(), [
      ['invitation/stages'],
      ['prompt/stages', { fields }],
      ['user_write', write],
    ]);
    const username = unique('guest');
    const expires = new Date(Date.now() + 3_600_000).toISOString();
    const invite = (values: object) =>
      made(server(), '/stages/invitation/invitations/', {
        name: unique('invite'),
        expires,
        fixed_data: { username },
        ...values,
      });
    const invitation = await invite({ flow: walk.pk, single_use: true });
    const browser = openBrowser(server());
    const events = await eventsDuring(server(), async () => {
      expect((await browser.show(walk.slug, `itoken=${invitation.token}`)).body.component).toBe('xak-stage-prompt');
    });
    expect(events).toEqual([]);
    const used = await eventsDuring(server(), async () => {
      expect((await browser.answer(walk.slug, { email: 'g@example.org' })).body).toEqual(done);
    });
    expect(used.map(({ action }) => action).sort()).toEqual(['invitation_used', 'user_write']);
    expect((await server().admin.get(`/core/users/?username=${username}`)).body.results).toHaveLength(1);
    const again = await openBrowser(server()).show(walk.slug, `itoken=${invitation.token}`);
    expect(again.body).toMatchObject({
      component: 'xak-stage-access-denied',
      error_message:
        'This invitation is not valid: it was already used, has expired or was withdrawn. Ask the person who invited you for a new one.',
    });
    const only = await makeWalk(server(), [['invitation/stages'], ['dummy']]);
    const twice = await invite({ single_use: true });
    const both = await Promise.all(
      [1, 2].map(async () => {
        const guest = openBrowser(server());
        await guest.show(only.slug, `token=${twice.token}`);
        return guest.answer(only.slug, { component: 'xak-stage-dummy' });
      }),
    );
    expect(both.map(({ body }) => body.component).sort()).toEqual(['xak-flow-redirect', 'xak-stage-access-denied']);
    for (const token of ['', 'x', 'token=', `itoken=${crypto.randomUUID()}`]) {
      expect((await openBrowser(server()).show(walk.slug, token)).body.component).toBe('xak-stage-access-denied');
    }
    const open = await makeWalk(server(), [['invitation/stages', { continue_flow_without_invitation: true }]]);
    expect((await openBrowser(server()).show(open.slug)).body).toEqual(done);
  });

  // What follows does not depend on the database.
  if (kind === 'postgres') return;

  test('deny lets no user pass, and answers according to the denied_action of the flow', async () => {
    const said = { deny_message: 'Not today.' };
    const walk = await makeWalk(server(), [['deny', said]], { denied_action: 'message' });
    const answer = await openBrowser(server()).show(walk.slug, 'next=/somewhere');
    expect(answer.body).toMatchObject({ component: 'xak-stage-access-denied', error_message: 'Not today.' });
    const onward = await makeWalk(server(), [['deny', said]], { denied_action: 'continue' });
    expect((await openBrowser(server()).show(onward.slug, 'next=/somewhere')).body.to).toBe('/somewhere');
  });

  test('dummy waits for an answer of its own, and lets no user pass when it throws', async () => {
    const walk = await makeWalk(server(), [['dummy'], ['dummy', { throw_error: true }]]);
    const browser = openBrowser(server());
    await browser.show(walk.slug);
    expect((await browser.answer(walk.slug, {})).body.component).toBe('xak-stage-dummy');
    const broken = await browser.answer(walk.slug, { component: 'xak-stage-dummy' });
    expect(broken.body.component).toBe('xak-stage-flow-error');
    expect(broken.text).not.toContain('told to');
    expect((await browser.answer(walk.slug, { component: 'xak-stage-dummy' })).body.component).toBe(
      'xak-stage-flow-error',
    );
  });

  test('a stage that throws records one event with the reason, not one per attempt', async () => {
    const walk = await makeWalk(server(), [['dummy', { throw_error: true }]]);
    const events = await eventsDuring(server(), async () => {
      for (let tries = 0; tries < 6; tries += 1) await openBrowser(server()).show(walk.slug);
    });
    expect(events).toHaveLength(3);
    expect(events[0]).toMatchObject({ action: 'system_exception', context: { flow: { name: walk.slug } } });
    expect(events[0]?.context.message).toMatch(new RegExp(`^The stage dummy-\\w+ of the flow ${walk.slug} failed: .+`));
  });

  test('a flow for signed-in people does not start for others', async () => {
    const walk = await makeWalk(server(), [['dummy']], { authentication: 'require_authenticated' });
    expect((await openBrowser(server()).show(walk.slug)).body.component).toBe('xak-stage-access-denied');
    const user = await server().user();
    expect((await (await browserOf(user.pk)).show(walk.slug)).body.component).toBe('xak-stage-dummy');
    expect((await openBrowser(server()).show('no-such-flow')).status).toBe(404);
  });

  test('a walk ends with the session that began it', async () => {
    const walk = await makeWalk(server(), [['dummy'], ['user_login']]);
    const user = await server().user();
    const browser = await browserOf(user.pk);
    await browser.show(walk.slug);
    browser.cookies.delete('gatehouse_session');
    browser.cookies.delete('gatehouse_csrf');
    const stale = await browser.answer(walk.slug, { component: 'xak-stage-dummy' });
    expect(stale.body.component).toBe('xak-stage-dummy');
    const login = await browser.answer(walk.slug, { component: 'xak-stage-dummy' });
    expect(login.body.component).toBe('xak-stage-access-denied');
  });

  test('identification can ask for the password on the same screen', async () => {
    const password = await made(server(), '/stages/password/', { name: unique('password'), backends });
    const walk = await makeWalk(
      server(),
      [['identification', { user_fields: ['username'], password_stage: password.pk }], ['user_login']],
      { designation: 'authentication' },
    );
    const user = await person();
    const browser = openBrowser(server());
    expect((await browser.show(walk.slug)).body).toMatchObject({ password_fields: true, primary_action: 'Log in' });
    const wrong = await browser.answer(walk.slug, { uid_field: user.username, password: 'wrong' });
    const nobody = await browser.answer(walk.slug, { uid_field: 'nobody-at-all', password: 'wrong' });
    expect(wrong.body.response_errors.non_field_errors[0].string).toBe('That name or password is not right.');
    expect(nobody.body).toEqual(wrong.body);
    const empty = await browser.answer(walk.slug, { uid_field: user.username });
    expect(empty.body.component).toBe('xak-stage-identification');
    expect((await browser.answer(walk.slug, { uid_field: user.username, password: 'right horse' })).body).toEqual(done);
    expect((await browser.get('/core/users/me/')).body.user.pk).toBe(user.pk);
  });

  test('identification links flows and shows whom it matched only when told to', async () => {
    const other = await makeWalk(server(), [['dummy']], { designation: 'enrollment' });
    const stages = (values: object) =>
      [
        ['identification', { user_fields: ['email'], enrollment_flow: other.pk, ...values }],
        ['password', { backends }],
      ] as const;
    const user = await server().user([], { email: `${unique('mail')}@example.org` });
    const greeted = async (values: object) => {
      const walk = await makeWalk(server(), stages(values));
      const browser = openBrowser(server());
      expect((await browser.show(walk.slug)).body.enroll_url).toBe(`/if/flow/${other.slug}/`);
      const { rows } = await sql<{ email: string }>`select email from users where pk = ${user.pk}`.execute(
        server().world.db.read,
      );
      return (await browser.answer(walk.slug, { uid_field: rows[0]?.email })).body.pending_user;
    };
    expect(await greeted({})).toMatch(/@example\.org$/);
    expect(await greeted({ show_matched_user: true })).toBe(user.username);
    const strict = await makeWalk(server(), [
      ['identification', { user_fields: ['username'], pretend_user_exists: false }],
    ]);
    const browser = openBrowser(server());
    await browser.show(strict.slug);
    const unknown = await browser.answer(strict.slug, { uid_field: 'nobody-at-all' });
    expect(unknown.body.response_errors.non_field_errors[0].string).toBe('Failed to authenticate.');
  });

  test('user_login denies when there is no user to sign in', async () => {
    const walk = await makeWalk(server(), [['user_login']]);
    expect((await openBrowser(server()).show(walk.slug)).body.component).toBe('xak-stage-access-denied');
  });

  test('a prompt whose expression fails shows its text, and the failure is recorded once', async () => {
    const failing = 'return nothing.at.all';
    const fields = [
      await makePrompt(server(), 'hint', 'text', { placeholder: failing, placeholder_expression: true }),
      await makePrompt(server(), 'given', 'text', { initial_value: failing, initial_value_expression: true }),
      await makePrompt(server(), 'pick', 'dropdown', { placeholder: failing, placeholder_expression: true }),
    ];
    const walk = await makeWalk(server(), [
      ['prompt/stages', { fields }],
      ['deny', {}],
    ]);
    const browser = openBrowser(server());
    const events = await eventsDuring(server(), async () => {
      const { body } = await browser.show(walk.slug);
      expect(body.component).toBe('xak-stage-prompt');
      const byKey = Object.fromEntries(body.fields.map((field: { field_key: string }) => [field.field_key, field]));
      expect(byKey.hint.placeholder).toBe(failing);
      expect(byKey.given.initial_value).toBe(failing);
      expect(byKey.pick.choices).toEqual([failing]);
    });
    expect(events.map(({ action }) => action)).toEqual(Array(3).fill('property_mapping_exception'));
    expect(events[0]?.context).toMatchObject({ expression: failing, message: expect.stringContaining('nothing') });
    const denied = await browser.answer(walk.slug, { hint: 'a', given: 'b', pick: failing });
    expect(denied.body).toMatchObject({ component: 'xak-stage-access-denied', pending_user: '' });
    expect(denied.body.pending_user_avatar).toMatch(/^data:image/);
  });

  test('prompts of every type accept only values of their type', async () => {
    const fields = [
      await makePrompt(server(), 'title', 'text'),
      await makePrompt(server(), 'fixed', 'hidden', { initial_value: 'ours' }),
      await makePrompt(server(), 'mail', 'email'),
      await makePrompt(server(), 'size', 'number'),
      await makePrompt(server(), 'yes', 'checkbox', { required: false }),
      await makePrompt(server(), 'pick', 'dropdown', {
        placeholder: 'return ["a", "b"]',
        placeholder_expression: true,
      }),
      await makePrompt(server(), 'day', 'date'),
      await makePrompt(server(), 'note', 'static', { initial_value: 'Read this.' }),
    ];
    const walk = await makeWalk(server(), [
      ['prompt/stages', { fields }],
      ['user_write', { user_creation_mode: 'never_create' }],
    ]);
    const browser = openBrowser(server());
    const shown = await browser.show(walk.slug);
    expect(shown.body.fields.map(({ field_key }: { field_key: string }) => field_key)).toContain('note');
    const right = { title: 'T', mail: 'a@example.org', size: 3, pick: 'b', day: '2026-02-28' };
    const wrongs = { title: '', mail: 'x', size: 'many', pick: 'c', day: '2026-02-30' };
    for (const [name, wrong] of Object.entries(wrongs)) {
      const answer = await browser.answer(walk.slug, { ...right, [name]: wrong });
      expect(Object.keys(answer.body.response_errors), name).toEqual([name]);
    }
    expect((await browser.answer(walk.slug, {})).body.response_errors).toBeUndefined();
    expect((await browser.answer(walk.slug, { uid_field: 'x' })).body.component).toBe('xak-stage-prompt');
    const last = await browser.answer(walk.slug, { ...right, fixed: 'theirs' });
    expect(last.body.error_message).toBe('There is no user to update.');
  });

  test('validation policies of a prompt stage decide about the answers, and a failing one refuses them', async () => {
    const policy = async (expression: string) =>
      (await made(server(), '/policies/expression/', { name: unique('policy'), expression })).pk;
    const fields = [await makePrompt(server(), 'word', 'text')];
    const checks = [
      await policy('if (context.prompt_data.word === "no") { message("Not that."); return false } return true'),
    ];
    const walk = await makeWalk(server(), [['prompt/stages', { fields, validation_policies: checks }]]);
    const browser = openBrowser(server());
    await browser.show(walk.slug);
    const refused = await browser.answer(walk.slug, { word: 'no' });
    expect(refused.body.response_errors.non_field_errors[0].string).toBe('Not that.');
    expect((await browser.answer(walk.slug, { word: 'yes' })).body).toEqual(done);
    const broken = await makeWalk(server(), [
      ['prompt/stages', { fields, validation_policies: [await policy('throw new Error("inner secret")')] }],
    ]);
    const other = openBrowser(server());
    await other.show(broken.slug);
    const answer = await other.answer(broken.slug, { word: 'yes' });
    expect(answer.body.component).toBe('xak-stage-prompt');
    expect(answer.text).not.toContain('inner secret');
  });

  test('consent accepts only its own token', async () => {
    const walk = await makeWalk(server(), [['consent', { mode: 'always_require' }]]);
    const user = await server().user();
    const browser = await browserOf(user.pk);
    const { token } = (await browser.show(walk.slug)).body;
    expect((await browser.show(walk.slug)).body.token).toBe(token);
    for (const wrong of [{}, { token: 'x' }, { component: 'xak-stage-consent' }]) {
      expect((await browser.answer(walk.slug, wrong)).body.component).toBe('xak-stage-consent');
    }
    expect((await browser.answer(walk.slug, { token })).body).toEqual(done);
  });

  test('policies decide which steps are run, and a wrong answer restarts the flow where the binding says so', async () => {
    const walk = await makeWalk(server(), [
      ['deny', { deny_message: 'unreached' }],
      ['prompt/stages', { fields: [await makePrompt(server(), 'word', 'text')] }],
      ['password', { backends }, { invalid_response_action: 'restart' }],
    ]);
    await bindExpression(server(), walk.bindings[0]?.target as string, 'return false');
    const browser = openBrowser(server());
    expect((await browser.show(walk.slug)).body.component).toBe('xak-stage-prompt');
    await browser.answer(walk.slug, { word: 'w' });
    const restarted = await browser.answer(walk.slug, { password: 'wrong' });
    expect(restarted.body.component).toBe('xak-stage-prompt');
    expect(restarted.body.fields[0].initial_value).toBe('');
  });
});
