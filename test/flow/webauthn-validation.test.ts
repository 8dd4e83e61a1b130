import { expect, test } from 'vitest';
import { eventsDuring } from '../support/events.ts';
import { atFactor, makeFactorFlow } from '../support/factor-walk.ts';
import { openBrowser } from '../support/flow-client.ts';
import { makeWalk } from '../support/make-walk.ts';
import { type PasskeyOwner, personWithPasskey } from '../support/passkey.ts';
import { userIn } from '../support/second-factor.ts';
import { describeOnBoth, type TestUser } from '../support/server.ts';
import { type AuthenticatorOptions, createAuthenticator, type Tricks } from '../support/software-authenticator.ts';

const component = 'xak-stage-authenticator-validate';
const done = { component: 'xak-flow-redirect', to: '/if/user/' };
const failed = 'This device could not be verified. Please try again.';
const yubiKey = 'ee882879-721c-4913-9775-3dfcce97072a';
const windowsHello = '08987058-cadc-4b81-b6e1-30de50dcbe96';

describeOnBoth('WebAuthn devices as a factor', (server, kind) => {
  const person = (options: Partial<AuthenticatorOptions> = {}) => personWithPasskey(server(), options);
  const secondFactor = (values: Record<string, unknown> = {}) => makeFactorFlow(server(), 'webauthn', values);
  const passwordless = async (values: Record<string, unknown> = {}) => {
    const validate = { device_classes: ['webauthn'], not_configured_action: 'deny', ...values };
    const stages = [['authenticator/validate', validate], ['user_login']] as const;
    return (await makeWalk(server(), stages, { designation: 'authentication' })).slug;
  };
  /** A browser that is asked for the key of this person. */
  const atKey = async (flow: string, user: TestUser) => {
    const { browser, body, offered } = await atFactor(server(), flow, user);
    return { browser, body, options: offered?.challenge };
  };
  const errorOf = (body: { response_errors?: { webauthn: { string: string }[] } }) =>
    body.response_errors?.webauthn[0]?.string;

  test('a registered key signs in', async () => {
    const { key, ...user } = await person();
    const flow = await secondFactor();
    const { browser, body, options } = await atKey(flow, user);
    expect(body).toMatchObject({ component, pending_user: user.username });
    expect(body.device_challenges).toEqual([
      { device_class: 'webauthn', device_uid: '-1', challenge: expect.anything(), last_used: null },
    ]);
    expect(options).toMatchObject({
      rpId: new URL(server().url).hostname,
      allowCredentials: [{ id: key.credentialId, type: 'public-key', transports: ['usb'] }],
      userVerification: 'preferred',
    });
    expect(await userIn(browser)).toBeNull();
    expect((await browser.answer(flow, { webauthn: key.prove(options) })).body).toEqual(done);
    expect(await userIn(browser)).toBe(user.pk);
    const again = await atKey(flow, user);
    expect(again.body.device_challenges[0].last_used).toMatch(/^\d{4}-/);
  });

  test.each(['preferred', 'required'])(
    'a key shown to one stage counts at the next unless that requires verification: %s',
    async (next) => {
      const { key, ...user } = await person();
      const validate = { device_classes: ['webauthn'], not_configured_action: 'deny' };
      const walk = await makeWalk(server(), [
        ['identification', { user_fields: ['username'] }],
        ['password', { backends: ['svc.core.auth.InbuiltBackend'] }],
        ['authenticator/validate', validate],
        ['authenticator/validate', { ...validate, webauthn_user_verification: next }],
        ['user_login'],
      ]);
      const { browser, options } = await atKey(walk.slug, user);
      const { body } = await browser.answer(walk.slug, { webauthn: key.prove(options) });
      expect(body.component).toBe(next === 'required' ? component : done.component);
    },
  );

  test('a proof is accepted once, also when sent twice at once or to another walk', async () => {
    const user = await person({ counts: false });
    const flow = await secondFactor();
    const { browser, options } = await atKey(flow, user);
    const other = await atKey(flow, user);
    const proof = user.key.prove(options);
    expect(errorOf((await other.browser.answer(flow, { webauthn: proof })).body)).toBe(failed);
    const answers = await Promise.all(Array.from({ length: 5 }, () => browser.answer(flow, { webauthn: proof })));
    const cookies = answers.flatMap(({ headers }) => headers.getSetCookie());
    expect(cookies.filter((line) => line.startsWith('gatehouse_session='))).toHaveLength(1);
    const replayed = await atKey(flow, user);
    expect(errorOf((await replayed.browser.answer(flow, { webauthn: proof })).body)).toBe(failed);
  });

  test('a signature counter that does not rise lets no user pass, and is recorded', async () => {
    const user = await person();
    const flow = await secondFactor();
    const first = await atKey(flow, user);
    const proof = user.key.prove(first.options, { counter: 40 });
    expect((await first.browser.answer(flow, { webauthn: proof })).body).toEqual(done);
    for (const counter of [40, 39, 0]) {
      const { browser, options } = await atKey(flow, user);
      const events = await eventsDuring(server(), async () => {
        const told = await browser.answer(flow, { webauthn: user.key.prove(options, { counter }) });
        expect(errorOf(told.body)).toBe(failed);
      });
      expect(events.map(({ action }) => action).sort()).toEqual(['login_failed', 'suspicious_request']);
    }
    const last = await atKey(flow, user);
    const higher = user.key.prove(last.options, { counter: 4_294_967_295 });
    expect((await last.browser.answer(flow, { webauthn: higher })).body).toEqual(done);
  });

  // What follows does not depend on the database.
  if (kind === 'postgres') return;

  const lies: readonly (readonly [string, Tricks])[] = [
    ['from another origin', { origin: 'https://evil.example.com' }],
    ['for another party', { rpId: 'evil.example.com' }],
    ['to a challenge of its own', { challenge: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' }],
    ['of another ceremony', { type: 'webauthn.create' }],
    ['with a broken signature', { breaksSignature: true }],
    ['without anybody present', { isPresent: false }],
    ['under an unknown name', { credentialId: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' }],
    ['for another owner', { userHandle: Buffer.from('somebody else').toString('base64url') }],
  ];

  test.each(lies)('a proof %s is refused, and the challenge is used up', async (_, tricks) => {
    const user = await person();
    const flow = await secondFactor();
    const { browser, options } = await atKey(flow, user);
    const events = await eventsDuring(server(), async () => {
      const told = await browser.answer(flow, { webauthn: user.key.prove(options, tricks) });
      expect(told.body.component).toBe(component);
      expect(errorOf(told.body)).toBe(failed);
      expect(told.body.device_challenges[0].challenge.challenge).not.toBe(options.challenge);
    });
    expect(events.map(({ action }) => action)).toEqual(['login_failed']);
    const late = await browser.answer(flow, { webauthn: user.key.prove(options) });
    expect(errorOf(late.body)).toBe(failed);
    expect(await userIn(browser)).toBeNull();
    const right = user.key.prove(late.body.device_challenges[0].challenge);
    expect((await browser.answer(flow, { webauthn: right })).body).toEqual(done);
  });

  test('answers that are empty, foreign or of the wrong shape prove nothing', async () => {
    const user = await person();
    const flow = await secondFactor();
    const { browser, options } = await atKey(flow, user);
    for (const body of [{}, { component: 'xak-stage-dummy', webauthn: {} }, { response: user.key.prove(options) }]) {
      expect((await browser.answer(flow, body)).body.component).toBe(component);
    }
    for (const webauthn of ['x', [], 1]) {
      expect((await browser.answer(flow, { webauthn })).body.response_errors.webauthn).toHaveLength(1);
    }
    const shapes = [{}, { id: 1 }, { id: user.key.credentialId, rawId: user.key.credentialId, type: 'public-key' }];
    for (const webauthn of shapes) expect(errorOf((await browser.answer(flow, { webauthn })).body)).toBe(failed);
    expect((await browser.answer(flow, { code: '123456' })).body.response_errors.code).toHaveLength(1);
    expect(await userIn(browser)).toBeNull();
  });

  test('user verification and authenticator models are checked as the stage requires', async () => {
    const weak = await person({ verifiesUser: false });
    const strict = await secondFactor({ webauthn_user_verification: 'required' });
    const asked = await atKey(strict, weak);
    expect(asked.options.userVerification).toBe('required');
    expect(errorOf((await asked.browser.answer(strict, { webauthn: weak.key.prove(asked.options) })).body)).toBe(
      failed,
    );

    const flow = await secondFactor({ webauthn_allowed_device_types: [yubiKey] });
    const allowed = await person({ aaguid: yubiKey, attestation: 'maker' });
    const { browser, options } = await atKey(flow, allowed);
    expect((await browser.answer(flow, { webauthn: allowed.key.prove(options) })).body).toEqual(done);
    const refused = [
      { aaguid: windowsHello, attestation: 'maker' },
      { aaguid: yubiKey, attestation: 'none' },
      { aaguid: yubiKey, attestation: 'self' },
    ] as const;
    for (const kind of refused) {
      const stranger = await person(kind);
      expect((await atKey(flow, stranger)).body.component, JSON.stringify(kind)).toBe('xak-stage-access-denied');
    }
  });

  test('a passkey signs in without name and password', async () => {
    const user = await person();
    const flow = await passwordless({ webauthn_user_verification: 'required' });
    const browser = openBrowser(server());
    const { body } = await browser.show(flow);
    expect(body).toMatchObject({ component, pending_user: '' });
    const [{ challenge: options }] = body.device_challenges;
    expect(options).toMatchObject({ allowCredentials: [], userVerification: 'required' });
    const nobody = createAuthenticator({ origin: server().url });
    expect(errorOf((await browser.answer(flow, { webauthn: nobody.prove(options) })).body)).toBe(failed);
    const shown = (await browser.show(flow)).body.device_challenges[0].challenge;
    const events = await eventsDuring(server(), async () => {
      expect((await browser.answer(flow, { webauthn: user.key.prove(shown) })).body).toEqual(done);
    });
    expect(events.map(({ action }) => action)).toEqual(['login']);
    expect(JSON.stringify(events)).toContain('auth_webauthn_pwl');
    expect(await userIn(browser)).toBe(user.pk);
  });

  test('a passkey of a model that is not allowed does not sign in', async () => {
    const user = await person({ aaguid: windowsHello, attestation: 'maker' });
    const flow = await passwordless({ webauthn_allowed_device_types: [yubiKey] });
    const browser = openBrowser(server());
    const [{ challenge }] = (await browser.show(flow)).body.device_challenges;
    const told = await browser.answer(flow, { webauthn: user.key.prove(challenge) });
    expect(errorOf(told.body)).toBe('Devices of this model are not allowed here.');
    expect(await userIn(browser)).toBeNull();
  });

  test('the identification screen links to the passwordless flow', async () => {
    const flow = await passwordless();
    const { pk } = (await server().admin.get(`/flows/instances/${flow}/`)).body;
    const walk = await makeWalk(server(), [['identification', { user_fields: ['username'], passwordless_flow: pk }]]);
    expect((await openBrowser(server()).show(walk.slug)).body.passwordless_url).toBe(`/if/flow/${flow}/`);
  });

  test('a key does not sign in after it was deleted or its owner deactivated', async () => {
    const flow = await passwordless();
    const proven = async ({ key }: PasskeyOwner, before: () => Promise<unknown>) => {
      const browser = openBrowser(server());
      const [{ challenge }] = (await browser.show(flow)).body.device_challenges;
      await before();
      const { body } = await browser.answer(flow, { webauthn: key.prove(challenge) });
      expect(errorOf(body)).toBe(failed);
      expect(await userIn(browser)).toBeNull();
    };
    const first = await person();
    const [device] = (await first.api.get('/authenticators/webauthn/')).body.results;
    await proven(first, () => server().admin.delete(`/authenticators/admin/webauthn/${device.pk}/`));
    const second = await person();
    await proven(second, () => server().admin.patch(`/core/users/${second.pk}/`, { is_active: false }));
  });
});
