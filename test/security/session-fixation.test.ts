import { expect, test } from 'vitest';
import { type Browser, copyBrowser, openBrowser } from '../support/flow-client.ts';
import { made, makePrompt, makeWalk, unique } from '../support/make-walk.ts';
import { newPassword, recoverBy } from '../support/recovery.ts';
import { isSignedIn } from '../support/second-factor.ts';
import { describeOnBoth } from '../support/server.ts';

const password = 'an old horse';
const passOn = { component: 'xak-stage-dummy' };
const backends = ['svc.core.auth.InbuiltBackend'];
const twoSteps: Parameters<typeof makeWalk>[1] = [
  ['identification', { user_fields: ['username'] }],
  ['password', { backends }],
];

describeOnBoth('session fixation: a flow cookie planted or copied by someone else', (server) => {
  async function person() {
    const user = await server().user();
    await server().admin.post(`/core/users/${user.pk}/set_password/`, { password });
    return user;
  }

  /** Two browsers with the cookie that one of them got. */
  async function sharing(slug: string): Promise<[attacker: Browser, victim: Browser]> {
    const attacker = openBrowser(server());
    await attacker.show(slug);
    return [attacker, copyBrowser(server(), attacker)];
  }

  const signingIn = (stages: Parameters<typeof makeWalk>[1]) =>
    makeWalk(server(), [...stages, ['dummy'], ['user_login']], { designation: 'authentication' });

  test.each([
    ['in two steps', false],
    ['in one step', true],
  ])('is not theirs once a password was entered %s', async (_, isOneStep) => {
    const { pk: passwords } = await made(server(), '/stages/password/', { name: unique('password'), backends });
    const { slug } = await signingIn(
      isOneStep ? [['identification', { user_fields: ['username'], password_stage: passwords }]] : twoSteps,
    );
    const { username } = await person();
    const [attacker, victim] = await sharing(slug);
    const first = await victim.answer(slug, { uid_field: username, ...(isOneStep && { password }) });
    const shown = isOneStep ? first : await victim.answer(slug, { password });
    expect(shown.body.component).toBe('xak-stage-dummy');
    expect((await attacker.show(slug)).body.component).toBe('xak-stage-identification');
    await attacker.answer(slug, passOn);
    expect(await isSignedIn(attacker)).toBe(false);
    expect((await victim.show(slug)).body.component).toBe('xak-stage-dummy');
    await victim.answer(slug, passOn);
    expect(await isSignedIn(victim)).toBe(true);
  });

  test('nor once a link was followed', async () => {
    const fields = [
      await makePrompt(server(), 'password', 'password'),
      await makePrompt(server(), 'again', 'password', { order: 1 }),
    ];
    const { pk, slug } = await makeWalk(
      server(),
      [['prompt/stages', { fields }], ['user_write', { user_creation_mode: 'never_create' }], ['user_login']],
      { designation: 'recovery' },
    );
    await recoverBy(server(), pk);
    const user = await person();
    const { body } = await server().admin.post(`/core/users/${user.pk}/recovery/`);
    const query = new URL(body.link).search.slice(1);
    const [attacker, victim] = await sharing(slug);
    expect((await victim.answer(slug, { component: 'xak-stage-email' }, query)).body.component).toBe(
      'xak-stage-prompt',
    );
    await attacker.answer(slug, newPassword);
    expect(await isSignedIn(attacker)).toBe(false);
    await victim.answer(slug, newPassword, query);
    expect(await isSignedIn(victim)).toBe(true);
  });

  test('of two equal answers at once, the one that comes late keeps the browser on its walk', async () => {
    const { slug } = await signingIn(twoSteps);
    const { username } = await person();
    const browser = openBrowser(server());
    await browser.show(slug);
    await browser.answer(slug, { uid_field: username });
    await Promise.all([browser.answer(slug, { password }), browser.answer(slug, { password })]);
    expect((await browser.show(slug)).body.component).toBe('xak-stage-dummy');
    await browser.answer(slug, passOn);
    expect(await isSignedIn(browser)).toBe(true);
  });
});
