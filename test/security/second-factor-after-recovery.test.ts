import { expect, test } from 'vitest';
import { openBrowser } from '../support/flow-client.ts';
import { makePrompt, makeWalk } from '../support/make-walk.ts';
import { recoverBy } from '../support/recovery.ts';
import { appFrom, isSignedIn, step } from '../support/second-factor.ts';
import { describeOnSqlite } from '../support/server.ts';
import { signedInBrowser } from '../support/signed-in-browser.ts';

const setup = 'default-authenticator-totp-setup';
const validate = 'xak-stage-authenticator-validate';

describeOnSqlite('the second factor when recovering', (server) => {
  test('is asked before a user chooses a new password by a link', async () => {
    const fields = [await makePrompt(server(), 'password', 'password')];
    const walk = await makeWalk(
      server(),
      [
        ['authenticator/validate', { not_configured_action: 'skip' }],
        ['prompt/stages', { fields }],
        ['user_write', { user_creation_mode: 'never_create' }],
        ['user_login'],
      ],
      { designation: 'recovery' },
    );
    await recoverBy(server(), walk.pk);
    const user = await server().user();
    const own = await signedInBrowser(server(), user.pk);
    const app = appFrom(server(), own, (await own.show(setup)).body.config_url);
    expect((await own.answer(setup, { code: app.code(-step) })).body.component).toBe('xak-flow-redirect');

    const { body } = await server().admin.post(`/core/users/${user.pk}/recovery/`);
    const query = new URL(body.link).search.slice(1);
    const browser = openBrowser(server());
    expect((await browser.answer(walk.slug, { component: 'xak-stage-email' }, query)).body.component).toBe(validate);
    const skipped = await browser.answer(walk.slug, { password: 'without any device' }, query);
    expect(skipped.body.component).toBe(validate);
    expect((await browser.answer(walk.slug, { code: '000000' }, query)).body.component).toBe(validate);
    expect(await isSignedIn(browser)).toBe(false);
    expect((await browser.answer(walk.slug, { code: app.code() }, query)).body.component).toBe('xak-stage-prompt');
    await browser.answer(walk.slug, { password: 'with my device' }, query);
    expect(await isSignedIn(browser)).toBe(true);
  });
});
