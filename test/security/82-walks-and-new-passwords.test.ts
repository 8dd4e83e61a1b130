import { expect, test } from 'vitest';
import { openBrowser } from '../support/flow-client.ts';
import { makeWalk } from '../support/make-walk.ts';
import { newPassword, openRecovery } from '../support/recovery.ts';
import { isSignedIn, password, personWithPassword } from '../support/second-factor.ts';
import { describeOnBoth } from '../support/server.ts';

const dummy = { component: 'xak-stage-dummy' };
const backends = ['svc.core.auth.InbuiltBackend'];

describeOnBoth('class 82: a walk whose user gets a new password meanwhile', (server) => {
  const change = (pk: number) => server().admin.post(`/core/users/${pk}/set_password/`, { password: 'a new horse' });

  test('is over for whoever knew the old one, however long they kept it', async () => {
    const { slug } = await makeWalk(
      server(),
      [['identification', { user_fields: ['username'] }], ['password', { backends }], ['dummy'], ['user_login']],
      { designation: 'authentication' },
    );
    const { pk, username } = await personWithPassword(server());
    const browser = openBrowser(server());
    await browser.show(slug);
    await browser.answer(slug, { uid_field: username });
    expect((await browser.answer(slug, { password })).body).toMatchObject(dummy);
    await browser.show(slug, 'next=/if/user/');
    expect((await change(pk)).status).toBe(204);
    expect((await browser.answer(slug, dummy)).body.component).toBe('xak-stage-identification');
    expect(await isSignedIn(browser)).toBe(false);
    await browser.answer(slug, { uid_field: username });
    await browser.answer(slug, { password: 'a new horse' });
    await browser.answer(slug, dummy);
    expect(await isSignedIn(browser)).toBe(true);
  });

  /** A new password by a link, and a sign-in with a step between. */
  const recovery = () =>
    openRecovery(server(), [['user_write', { user_creation_mode: 'never_create' }], ['dummy'], ['user_login']]);

  test('is over for whoever had opened a link before', async () => {
    const { browser, slug, user } = await recovery();
    await change(user.pk);
    await browser.answer(slug, newPassword);
    await browser.answer(slug, dummy);
    expect(await isSignedIn(browser)).toBe(false);
  });

  test('goes on if it is the walk that changed it', async () => {
    const { browser, slug } = await recovery();
    expect((await browser.answer(slug, newPassword)).body).toMatchObject(dummy);
    await browser.answer(slug, dummy);
    expect(await isSignedIn(browser)).toBe(true);
  });
});
