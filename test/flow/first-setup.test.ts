import { expect, test } from 'vitest';
import { openBrowser, signInByPassword } from '../support/flow-client.ts';
import { adminPassword, describeOnBoth } from '../support/server.ts';
import { signedInBrowser } from '../support/signed-in-browser.ts';

const flow = 'initial-setup';
const denied = 'xak-stage-access-denied';
const chosen = { email: 'root@example.org', password: 'chosen by the admin', password_repeat: 'chosen by the admin' };

// First-run takeover: the first visitor of a fresh server must not become its administrator.
describeOnBoth('the first set-up', (server) => {
  test('is open to the administrator only, and closed once they have chosen a password', async () => {
    expect((await openBrowser(server()).show(flow)).body.component).toBe(denied);
    const person = await server().user();
    expect((await (await signedInBrowser(server(), person.pk)).show(flow)).body.component).toBe(denied);

    const browser = openBrowser(server());
    await signInByPassword(browser, 'admin', adminPassword);
    const shown = await browser.show(flow);
    expect(shown.body.component).toBe('xak-stage-prompt');
    const answer = await browser.answer(flow, { ...chosen, password_repeat: 'another' });
    expect(answer.body.response_errors.non_field_errors).toHaveLength(1);
    expect((await browser.answer(flow, chosen)).body.component).toBe('xak-flow-redirect');
    expect((await browser.get('/core/users/me/')).body.user).toMatchObject({ username: 'admin', email: chosen.email });
    // Many applications let in nobody with an unverified address.
    expect((await server().admin.get('/core/users/?username=admin')).body.results).toMatchObject([
      { email_verified: true, email_verified_by: 'administrator' },
    ]);

    expect((await browser.show(flow)).body.component).toBe(denied);
    const again = openBrowser(server());
    expect((await signInByPassword(again, 'admin', adminPassword)).body.component).toBe('xak-stage-password');
    expect((await signInByPassword(openBrowser(server()), 'admin', chosen.password)).body.component).toBe(
      'xak-flow-redirect',
    );
    expect((await openBrowser(server()).show(flow)).body.component).toBe(denied);
  });
});
