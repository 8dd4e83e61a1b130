import { expect, test } from 'vitest';
import { statusCodes } from '../../../src/lib/saml/names.ts';
import { type Browser, openBrowser, signInByPassword, signInFlow } from '../../support/flow-client.ts';
import { makeWalk } from '../../support/make-walk.ts';
import { personWithPasskey } from '../../support/passkey.ts';
import { browserWithCookies, visitor } from '../../support/relying-party.ts';
import { authnRequest, makeServiceProvider, redirectQuery, responseOn, textIn } from '../../support/saml-sp.ts';
import { giveApp, password, pastPassword, personWithPassword } from '../../support/second-factor.ts';
import { describeOnSqlite } from '../../support/server.ts';

const classOf = (name: string) => `urn:oasis:names:tc:SAML:2.0:ac:classes:${name}`;

describeOnSqlite('SAML assertions tell how somebody signed in', (server) => {
  async function byPassword(): Promise<Browser> {
    const browser = openBrowser(server());
    await signInByPassword(browser, (await personWithPassword(server())).username, password);
    return browser;
  }
  async function byTwoFactors(): Promise<Browser> {
    const { username } = await personWithPassword(server());
    const app = await giveApp(server(), username);
    const { browser } = await pastPassword(server(), username);
    await browser.answer(signInFlow, { code: app.code() });
    return browser;
  }
  async function byPasskey(): Promise<Browser> {
    const { key } = await personWithPasskey(server());
    const stages = [['authenticator/validate', { device_classes: ['webauthn'] }], ['user_login']] as const;
    const { slug } = await makeWalk(server(), stages, { designation: 'authentication' });
    const browser = openBrowser(server());
    const [{ challenge }] = (await browser.show(slug)).body.device_challenges;
    await browser.answer(slug, { webauthn: key.prove(challenge) });
    return browser;
  }

  /** The class that a service provider is told, or the detail of its refusal. */
  async function told(
    { cookies }: { cookies: ReadonlyMap<string, string> },
    wanted?: readonly [comparison: string, name: string],
  ) {
    const sp = await makeServiceProvider(server());
    const inside =
      wanted &&
      `<samlp:RequestedAuthnContext Comparison="${wanted[0]}"><saml:AuthnContextClassRef>${classOf(wanted[1])}</saml:AuthnContextClassRef></samlp:RequestedAuthnContext>`;
    const query = redirectQuery(authnRequest(inside ? { inside } : {}));
    const visit = await browserWithCookies(server(), cookies).visit(`${sp.at('sso/binding/redirect/')}?${query}`);
    const { root, status } = responseOn(visit);
    return status.detail ?? textIn(root, 'AuthnContextClassRef');
  }

  test('by a password: PasswordProtectedTransport, which is not two factors', async () => {
    const browser = await byPassword();
    expect(await told(browser)).toBe(classOf('PasswordProtectedTransport'));
    expect(await told(browser, ['exact', 'MobileTwoFactorContract'])).toBe(statusCodes.noAuthnContext);
    expect(await told(browser, ['better', 'PasswordProtectedTransport'])).toBe(statusCodes.noAuthnContext);
  });

  test('by a password and a second factor: MobileTwoFactorContract, or the password where that is wanted', async () => {
    const browser = await byTwoFactors();
    expect(await told(browser)).toBe(classOf('MobileTwoFactorContract'));
    expect(await told(browser, ['minimum', 'PasswordProtectedTransport'])).toBe(classOf('MobileTwoFactorContract'));
    expect(await told(browser, ['exact', 'PasswordProtectedTransport'])).toBe(classOf('PasswordProtectedTransport'));
    expect(await told(browser, ['better', 'MobileTwoFactorContract'])).toBe(statusCodes.noAuthnContext);
  });

  test('by a passkey alone: MobileOneFactorContract, which is neither a password nor two factors', async () => {
    const browser = await byPasskey();
    expect(await told(browser)).toBe(classOf('MobileOneFactorContract'));
    expect(await told(browser, ['exact', 'PasswordProtectedTransport'])).toBe(statusCodes.noAuthnContext);
    expect(await told(browser, ['minimum', 'MobileTwoFactorContract'])).toBe(statusCodes.noAuthnContext);
  });

  test('by nothing that this server knows of: unspecified', async () => {
    expect(await told({ cookies: (await visitor(server())).jar })).toBe(classOf('unspecified'));
  });
});
