import { expect, test } from 'vitest';
import { type Browser, openBrowser, signInByPassword } from '../support/flow-client.ts';
import { makeWalk, unique } from '../support/make-walk.ts';
import { personWithPasskey } from '../support/passkey.ts';
import { userIn } from '../support/second-factor.ts';
import { describeOnBoth } from '../support/server.ts';

const blocked = /^Too many failed attempts\. Try again in \d+ seconds\.$/;
const password = 'right horse battery staple';

// How often one may guess told who exists, and whoever guessed locked the owner out.
describeOnBoth('lockout: reveals no users and does not lock out the owner', (server) => {
  const person = async () => {
    const email = `${unique('mail')}@example.org`;
    const user = await server().user([], { email });
    await server().admin.post(`/core/users/${user.pk}/set_password/`, { password });
    return { ...user, email };
  };
  const complaintOf = async (browser: Browser, name: string, given: string) =>
    (await signInByPassword(browser, name, given)).body.response_errors?.password?.[0].string ?? '';
  /** How many guesses are looked at before one has to wait. */
  const guessesAt = async (names: readonly string[]) => {
    for (let count = 0; count < 40; count += 1) {
      const name = names[count % names.length] as string;
      if (blocked.test(await complaintOf(openBrowser(server()), name, 'wrong'))) return count;
    }
    return Number.POSITIVE_INFINITY;
  };

  test('two names of one user allow as many guesses as two unknown names', async () => {
    const { username, email } = await person();
    const known = await guessesAt([username, email]);
    const unknown = await guessesAt([unique('nobody'), `${unique('nobody')}@example.org`]);
    expect(known).toBe(unknown);
    expect(known).toBeLessThan(40);
  });

  test('the owner can sign in from a known browser while others are locked out', async () => {
    const { pk, username } = await person();
    const own = openBrowser(server());
    await signInByPassword(own, username, password);
    expect(await userIn(own)).toBe(pk);
    for (const name of [...own.cookies.keys()]) if (!name.endsWith('gatehouse_known')) own.cookies.delete(name);
    await guessesAt([username]);
    expect(await complaintOf(openBrowser(server()), username, password)).toMatch(blocked);
    await signInByPassword(own, username, password);
    expect(await userIn(own)).toBe(pk);
  });

  test('a browser known for another user, or with a forged cookie, is locked out', async () => {
    const [victim, other] = [await person(), await person()];
    const browser = openBrowser(server());
    await signInByPassword(browser, other.username, password);
    const mark = browser.cookies.get('gatehouse_known') ?? '';
    await guessesAt([victim.username]);
    for (const forged of [mark, mark.replace(/^\d+/, String(victim.pk)), `${victim.pk}.x.${Date.now()}.x`]) {
      const guessing = openBrowser(server());
      guessing.cookies.set('gatehouse_known', forged);
      expect(await complaintOf(guessing, victim.username, password)).toMatch(blocked);
    }
  });

  test('guesses from a known browser are limited too', async () => {
    const { username } = await person();
    const own = openBrowser(server());
    await signInByPassword(own, username, password);
    const mark = own.cookies.get('gatehouse_known') as string;
    let looked = 0;
    for (; looked < 40; looked += 1) {
      const browser = openBrowser(server());
      browser.cookies.set('gatehouse_known', mark);
      if (blocked.test(await complaintOf(browser, username, 'wrong'))) break;
    }
    expect(looked).toBeLessThan(40);
  });
});

// Ten worthless answers blocked everybody of a network, or the person whose name was typed.
describeOnBoth('lockout: invalid passkey assertions lock out no user', (server) => {
  const validate = ['authenticator/validate', { device_classes: ['webauthn'], not_configured_action: 'deny' }] as const;
  const named = ['identification', { user_fields: ['username'] }] as const;
  const designation = 'authentication';

  test.each([
    ['without a name', [validate, ['user_login']]],
    ['by name', [named, validate, ['user_login']]],
  ] as const)('%s', async (_, stages) => {
    const { slug } = await makeWalk(server(), stages, { designation });
    const { pk, username, key } = await personWithPasskey(server());
    const atKey = async () => {
      const browser = openBrowser(server());
      let { body } = await browser.show(slug);
      if (stages.length === 3) ({ body } = await browser.answer(slug, { uid_field: username }));
      return { browser, challenge: body.device_challenges[0].challenge };
    };
    for (let count = 0; count < 15; count += 1) {
      const { browser } = await atKey();
      await browser.answer(slug, { webauthn: { id: key.credentialId } });
    }
    const { browser, challenge } = await atKey();
    await browser.answer(slug, { webauthn: key.prove(challenge) });
    expect((await browser.get('/core/users/me/')).body.user?.pk).toBe(pk);
  });
});
