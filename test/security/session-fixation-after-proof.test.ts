import { expect, test } from 'vitest';
import { copyBrowser, openBrowser } from '../support/flow-client.ts';
import { made, makePrompt, makeWalk, unique } from '../support/make-walk.ts';
import { giveCodes, isSignedIn, password, personWithPassword } from '../support/second-factor.ts';
import { describeOnBoth } from '../support/server.ts';

const passOn = { component: 'xak-stage-dummy' };
const dummy = 'xak-stage-dummy';

describeOnBoth('session fixation: proofs belong to the browser that made them', (server) => {
  test('a second factor, shown to a walk of a user who knows the password', async () => {
    const { username } = await personWithPassword(server());
    const [code] = await giveCodes(server(), username);
    const { slug } = await makeWalk(
      server(),
      [
        ['identification', { user_fields: ['username'] }],
        ['password', { backends: ['svc.core.auth.InbuiltBackend'] }],
        ['authenticator/validate', { device_classes: ['static'], not_configured_action: 'deny' }],
        ['dummy'],
        ['user_login'],
      ],
      { designation: 'authentication' },
    );
    const attacker = openBrowser(server());
    await attacker.show(slug);
    await attacker.answer(slug, { uid_field: username });
    expect((await attacker.answer(slug, { password })).body.component).toBe('xak-stage-authenticator-validate');
    const victim = copyBrowser(server(), attacker);
    expect((await victim.answer(slug, { code })).body.component).toBe(dummy);
    expect((await attacker.show(slug)).body.component).toBe('xak-stage-identification');
    await attacker.answer(slug, passOn);
    expect(await isSignedIn(attacker)).toBe(false);
    await victim.answer(slug, passOn);
    expect(await isSignedIn(victim)).toBe(true);
  });

  test('a new account', async () => {
    const fields = [
      await makePrompt(server(), 'username', 'username'),
      await makePrompt(server(), 'password', 'password', { order: 1 }),
    ];
    const { slug } = await makeWalk(
      server(),
      [
        ['prompt/stages', { fields }],
        ['user_write', { user_creation_mode: 'always_create' }],
        ['dummy'],
        ['user_login'],
      ],
      { designation: 'enrollment' },
    );
    const attacker = openBrowser(server());
    await attacker.show(slug);
    const victim = copyBrowser(server(), attacker);
    const made = await victim.answer(slug, { username: unique('new'), password: 'a very new horse' });
    expect(made.body.component).toBe(dummy);
    expect((await attacker.show(slug)).body.component).toBe('xak-stage-prompt');
    await attacker.answer(slug, passOn);
    expect(await isSignedIn(attacker)).toBe(false);
    await victim.answer(slug, passOn);
    expect(await isSignedIn(victim)).toBe(true);
  });

  test('an invitation', async () => {
    const walk = await makeWalk(
      server(),
      [['invitation/stages', { continue_flow_without_invitation: true }], ['dummy']],
      {
        designation: 'enrollment',
      },
    );
    const invitation = await made(server(), '/stages/invitation/invitations/', {
      name: unique('invitation'),
      flow: walk.pk,
      single_use: true,
    });
    const attacker = openBrowser(server());
    await attacker.show(walk.slug);
    const victim = copyBrowser(server(), attacker);
    const query = `itoken=${invitation.token}`;
    expect((await victim.show(walk.slug, query)).body.component).toBe(dummy);
    await attacker.answer(walk.slug, passOn);
    const isThere = async () =>
      (await server().admin.get(`/stages/invitation/invitations/${invitation.pk}/`)).status === 200;
    expect(await isThere()).toBe(true);
    await victim.answer(walk.slug, passOn, query);
    expect(await isThere()).toBe(false);
  });
});
