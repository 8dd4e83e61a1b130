import { decodeJwt } from 'jose';
import * as client from 'openid-client';
import { expect, test } from 'vitest';
import { atFactor, makeFactorFlow } from '../../support/factor-walk.ts';
import { type Browser, openBrowser, signInByPassword, signInFlow } from '../../support/flow-client.ts';
import { makeWalk } from '../../support/make-walk.ts';
import { personWithPasskey } from '../../support/passkey.ts';
import { browserWithCookies, connectDevice, makeRelyingParty, signInTo, visitor } from '../../support/relying-party.ts';
import { giveApp, giveCodes, password, pastPassword, personWithPassword } from '../../support/second-factor.ts';
import { describeOnSqlite } from '../../support/server.ts';

describeOnSqlite('RFC 8176: tokens tell how somebody signed in', (server) => {
  /** What an application learns of a user who is signed in with this browser. */
  async function learnt({ cookies }: Browser) {
    const party = await makeRelyingParty(server());
    const scope = 'openid offline_access';
    const { tokens, config } = await signInTo(server(), party, browserWithCookies(server(), cookies), { scope });
    return { tokens, config, amr: decodeJwt(tokens.id_token ?? '').amr };
  }

  async function byPassword(): Promise<Browser> {
    const browser = openBrowser(server());
    await signInByPassword(browser, (await personWithPassword(server())).username, password);
    return browser;
  }

  test('by a password: pwd, in every token that comes of it', async () => {
    const { tokens, config, amr } = await learnt(await byPassword());
    expect([amr, decodeJwt(tokens.access_token).amr]).toEqual([['pwd'], ['pwd']]);
    const again = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
    expect([decodeJwt(again.id_token ?? '').amr, decodeJwt(again.access_token).amr]).toEqual([['pwd'], ['pwd']]);
    expect(config.serverMetadata().claims_supported).toContain('amr');
  });

  test('by a password and a code: pwd, otp and mfa', async () => {
    const byApp = await personWithPassword(server());
    const app = await giveApp(server(), byApp.username);
    const first = await pastPassword(server(), byApp.username);
    await first.browser.answer(signInFlow, { code: app.code() });
    expect((await learnt(first.browser)).amr).toEqual(['pwd', 'otp', 'mfa']);

    const byList = await personWithPassword(server());
    const [code] = await giveCodes(server(), byList.username);
    const second = await pastPassword(server(), byList.username);
    await second.browser.answer(signInFlow, { code });
    expect((await learnt(second.browser)).amr).toEqual(['pwd', 'otp', 'mfa']);
  });

  test('by a key: pop, even of one with a certificate for its hardware, which anybody can issue', async () => {
    const synced = await personWithPasskey(server());
    const stages = [['authenticator/validate', { device_classes: ['webauthn'] }], ['user_login']] as const;
    const flow = (await makeWalk(server(), stages, { designation: 'authentication' })).slug;
    const browser = openBrowser(server());
    const [{ challenge }] = (await browser.show(flow)).body.device_challenges;
    await browser.answer(flow, { webauthn: synced.key.prove(challenge) });
    expect((await learnt(browser)).amr).toEqual(['pop', 'user']);

    const hardware = await personWithPasskey(server(), { attestation: 'maker' });
    const second = await makeFactorFlow(server(), 'webauthn');
    const at = await atFactor(server(), second, hardware);
    await at.browser.answer(second, { webauthn: hardware.key.prove(at.offered.challenge) });
    expect((await learnt(at.browser)).amr).toEqual(['pwd', 'pop', 'user', 'mfa']);
  });

  test('amr is absent without an authentication here, and ignores earlier ones', async () => {
    expect(
      decodeJwt(
        (await signInTo(server(), await makeRelyingParty(server()), await visitor(server()))).tokens.id_token ?? '',
      ),
    ).not.toHaveProperty('amr');
    const browser = await byPassword();
    const again = await makeWalk(server(), [['user_login']], { designation: 'authentication' });
    expect((await browser.show(again.slug)).body.component).toBe('xak-flow-confirm');
    expect((await browser.answer(again.slug, {})).body.component).toBe('xak-flow-redirect');
    expect((await learnt(browser)).amr).toBeUndefined();
  });

  test('a device’s tokens tell how the person signed in who let it in', async () => {
    const party = await makeRelyingParty(server());
    const { cookies } = await byPassword();
    const { config } = await signInTo(server(), party, browserWithCookies(server(), cookies));
    const device = await client.initiateDeviceAuthorization(config, { scope: 'openid' });
    await connectDevice(browserWithCookies(server(), cookies), device.user_code);
    const tokens = await client.pollDeviceAuthorizationGrant(config, { ...device, interval: 0 });
    expect(decodeJwt(tokens.id_token ?? '').amr).toEqual(['pwd']);
  });
});
