import { expect, test } from 'vitest';
import { openBrowser, signInByPassword } from '../../support/flow-client.ts';
import { made, unique } from '../../support/make-walk.ts';
import { describeOnBoth, type TestServer } from '../../support/server.ts';
import { signIn } from '../../support/session.ts';

const settingsFlow = 'default-user-settings-flow';
const passwordFlow = 'default-password-change';
const oldPassword = 'the password before';
const newPassword = 'the password after';

async function signedIn(server: TestServer, values: Record<string, unknown> = {}) {
  const person = await server.user([], values);
  await server.admin.post(`/core/users/${person.pk}/set_password/`, { password: oldPassword });
  const browser = openBrowser(server);
  await signInByPassword(browser, person.username, oldPassword);
  return { ...person, browser };
}

describeOnBoth('own settings', (server) => {
  test('a user without permissions changes their name, and no protected member', async () => {
    const { browser, pk, username } = await signedIn(server(), { email: 'before@example.com', name: 'Before' });
    const own = { username, email: 'before@example.com', 'attributes.settings.locale': '' };
    const first = await browser.show(settingsFlow);
    expect(first.body.fields).toMatchObject([
      { field_key: 'username', required: true, initial_value: username },
      { field_key: 'name', required: true, initial_value: 'Before' },
      { field_key: 'email', required: false, initial_value: 'before@example.com' },
      { field_key: 'attributes.settings.locale', required: false, initial_value: '' },
    ]);
    const refused = await browser.answer(settingsFlow, { ...own, name: 'After', email: 'after@example.com' });
    expect(refused.body.response_errors.non_field_errors[0].string).toBe('Not allowed to change email address.');
    expect((await browser.answer(settingsFlow, { ...own, name: 'After' })).body.component).toBe('xak-flow-redirect');
    const { body } = await server().admin.get(`/core/users/${pk}/`);
    expect(body).toMatchObject({ name: 'After', email: 'before@example.com', username });
    expect((await browser.get('/core/users/me/')).body.user.name).toBe('After');
  });

  test('a user without an e-mail address can change their name', async () => {
    const { browser, username } = await signedIn(server(), { name: 'Before' });
    await browser.show(settingsFlow);
    const answer = { username, name: 'After', email: '', 'attributes.settings.locale': '' };
    expect((await browser.answer(settingsFlow, answer)).body.component).toBe('xak-flow-redirect');
    expect((await browser.get('/core/users/me/')).body.user).toMatchObject({ name: 'After', email: '' });
  });

  test('a new password ends the other sessions and keeps this one', async () => {
    const { browser, pk, username } = await signedIn(server());
    const elsewhere = await signIn(server(), pk);
    await browser.show(passwordFlow);
    await browser.answer(passwordFlow, { password: oldPassword });
    const differing = await browser.answer(passwordFlow, { password: newPassword, password_repeat: 'another' });
    expect(differing.body.response_errors.non_field_errors[0].string).toBe("Passwords don't match.");
    const done = await browser.answer(passwordFlow, { password: newPassword, password_repeat: newPassword });
    expect(done.body.component).toBe('xak-flow-redirect');
    expect((await browser.get('/core/users/me/')).status).toBe(200);
    expect((await elsewhere.browser.get('/core/users/me/')).status).toBe(403);
    const again = openBrowser(server());
    expect((await signInByPassword(again, username, oldPassword)).body.component).toBe('xak-stage-password');
    expect((await signInByPassword(openBrowser(server()), username, newPassword)).body.component).toBe(
      'xak-flow-redirect',
    );
  });

  test('stages/all/user_settings/ lists what the caller can set up, and where', async () => {
    const { pk } = await server().user();
    const { browser } = await signIn(server(), pk);
    const { status, body } = await browser.get('/stages/all/user_settings/');
    expect(status).toBe(200);
    expect(body).toContainEqual({
      object_uid: expect.any(String),
      component: 'xak-user-settings-password',
      title: 'Password Stage',
      configure_url: '/if/flow/default-password-change/',
      icon_url: '',
    });
    expect(body).toContainEqual({
      object_uid: expect.any(String),
      component: 'xak-user-settings-authenticator-webauthn',
      title: 'Passkey',
      configure_url: '/if/flow/default-authenticator-webauthn-setup/',
      icon_url: '',
    });
    expect((await server().nobody.get('/stages/all/user_settings/')).status).toBe(403);
  });

  test('stages/all/user_settings/ leaves out flows that are not for the caller', async () => {
    const slug = unique('setup');
    const flow = await made(server(), '/flows/instances/', {
      name: slug,
      slug,
      title: slug,
      designation: 'stage_configuration',
      authentication: 'require_authenticated',
    });
    const friendly_name = unique('key');
    const values = { name: unique('stage'), configure_flow: flow.pk, friendly_name };
    await made(server(), '/stages/authenticator/webauthn/', values);
    const [friend, stranger] = [await server().user(), await server().user()];
    await made(server(), '/policies/bindings/', {
      target: flow.policybindingmodel_ptr_id,
      user: friend.pk,
      order: 0,
    });
    const titles = async ({ api }: typeof friend) =>
      (await api.get('/stages/all/user_settings/')).body.map(({ title }: { title: string }) => title);
    expect(await titles(friend)).toContain(friendly_name);
    expect(await titles(stranger)).not.toContain(friendly_name);
    await server().admin.patch(`/flows/instances/${slug}/`, { authentication: 'require_superuser' });
    expect(await titles(friend)).not.toContain(friendly_name);
  });
});
