import { expect, test } from 'vitest';
import { atFactor, makeFactorFlow } from '../support/factor-walk.ts';
import { openBrowser } from '../support/flow-client.ts';
import { makeWalk } from '../support/make-walk.ts';
import { type PasskeyOwner, personWithPasskey } from '../support/passkey.ts';
import { describeOnSqlite } from '../support/server.ts';
import { signedInBrowser } from '../support/signed-in-browser.ts';
import { createAuthenticator } from '../support/software-authenticator.ts';

const setup = 'default-authenticator-webauthn-setup';
const component = 'xak-stage-authenticator-validate';

describeOnSqlite('replay: passkey assertions of another user, flow or step', (server) => {
  const person = () => personWithPasskey(server());
  const flow = () => makeFactorFlow(server(), 'webauthn');
  const atKey = async (slug: string, user: PasskeyOwner) => {
    const { browser, offered } = await atFactor(server(), slug, user);
    return { browser, options: offered.challenge };
  };
  const refuses = async (slug: string, browser: ReturnType<typeof openBrowser>, webauthn: unknown) => {
    const { status, body } = await browser.answer(slug, { webauthn });
    expect([status, body.component]).toEqual([200, component]);
    expect((await browser.get('/core/users/me/')).status).toBe(403);
  };

  test('the key of one person is no proof for another, under whichever name it comes', async () => {
    const [ada, eve, slug] = [await person(), await person(), await flow()];
    const handle = (who: PasskeyOwner) =>
      who.key.prove({ challenge: 'x', rpId: 'x' }) as { response: { userHandle: string } };
    const tries = [
      {},
      { userHandle: handle(ada).response.userHandle },
      { credentialId: ada.key.credentialId },
      { credentialId: ada.key.credentialId, userHandle: handle(ada).response.userHandle },
    ];
    for (const tricks of tries) {
      const { browser, options } = await atKey(slug, ada);
      await refuses(slug, browser, eve.key.prove(options, tricks));
    }
  });

  test('the challenge of one flow, walk or step cannot be answered in another', async () => {
    const [ada, slug, other] = [await person(), await flow(), await flow()];
    const first = await atKey(slug, ada);
    const second = await atKey(slug, ada);
    const elsewhere = await atKey(other, ada);
    await refuses(slug, second.browser, ada.key.prove(first.options));
    await refuses(other, elsewhere.browser, ada.key.prove(first.options));
    const browser = await signedInBrowser(server(), ada.pk);
    const { registration } = (await browser.show(setup)).body;
    const third = await atKey(slug, ada);
    const crossed = { challenge: registration.challenge, rpId: registration.rp.id };
    await refuses(slug, third.browser, ada.key.prove(crossed));
    await refuses(slug, third.browser, createAuthenticator({ origin: server().url }).register(registration));
  });

  test('an assertion identifies a user only where no user was named before', async () => {
    const [ada, eve, slug] = [await person(), await person(), await flow()];
    const open = await makeWalk(server(), [
      ['authenticator/validate', { device_classes: ['webauthn'], not_configured_action: 'deny' }],
      ['user_login'],
    ]);
    const anybody = openBrowser(server());
    const [{ challenge }] = (await anybody.show(open.slug)).body.device_challenges;
    const { browser } = await atKey(slug, ada);
    await refuses(slug, browser, eve.key.prove(challenge));
    expect((await anybody.answer(open.slug, { webauthn: eve.key.prove(challenge) })).body.to).toBe('/if/user/');
    expect((await anybody.get('/core/users/me/')).body.user.pk).toBe(eve.pk);
  });
});
