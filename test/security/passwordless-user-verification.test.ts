import { expect, test } from 'vitest';
import { openBrowser } from '../support/flow-client.ts';
import { makeWalk } from '../support/make-walk.ts';
import { personWithPasskey } from '../support/passkey.ts';
import { describeOnSqlite } from '../support/server.ts';

// Whoever found a key was signed in by touching it.
describeOnSqlite('passwordless sign-in requires user verification', (server) => {
  const passwordless = async (verification: string) =>
    (
      await makeWalk(
        server(),
        [
          ['authenticator/validate', { device_classes: ['webauthn'], webauthn_user_verification: verification }],
          ['user_login'],
        ],
        { designation: 'authentication' },
      )
    ).slug;

  test.each(['discouraged', 'preferred', 'required'])('even where the stage says %s', async (verification) => {
    const flow = await passwordless(verification);
    const { key, pk } = await personWithPasskey(server());
    const attempt = async (verifiesUser: boolean) => {
      const browser = openBrowser(server());
      const [{ challenge }] = (await browser.show(flow)).body.device_challenges;
      expect(challenge.userVerification).toBe('required');
      await browser.answer(flow, { webauthn: key.prove(challenge, { verifiesUser }) });
      return (await browser.get('/core/users/me/')).body.user?.pk ?? null;
    };
    expect(await attempt(false)).toBeNull();
    expect(await attempt(true)).toBe(pk);
  });
});
