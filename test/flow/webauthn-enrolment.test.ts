import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { eventsDuring } from '../support/events.ts';

import { type Browser, openBrowser } from '../support/flow-client.ts';
import { makeWalk } from '../support/make-walk.ts';
import { describeOnBoth, type TestUser } from '../support/server.ts';
import { signIn } from '../support/session.ts';
import { signedInBrowser } from '../support/signed-in-browser.ts';
import { createAuthenticator, type Tricks } from '../support/software-authenticator.ts';

const setup = 'default-authenticator-webauthn-setup';
const component = 'xak-stage-authenticator-webauthn';
const done = { component: 'xak-flow-redirect', to: '/if/user/' };
const failed = 'This device could not be registered. Please try again.';
const yubiKey = 'ee882879-721c-4913-9775-3dfcce97072a';
const windowsHello = '08987058-cadc-4b81-b6e1-30de50dcbe96';
const nobodyKnows = '12345678-1234-4234-8234-123456789abc';
const unknownDevices = '00000000-0000-0000-0000-000000000000';

describeOnBoth('enrolment of WebAuthn devices', (server) => {
  const authenticator = (options: object = {}) => createAuthenticator({ origin: server().url, ...options });
  const begin = async (flow = setup, user?: TestUser) => {
    const person = user ?? (await server().user());
    const browser = await signedInBrowser(server(), person.pk);
    const shown = await browser.show(flow);
    return { person, browser, shown, registration: shown.body.registration };
  };
  const errorOf = (body: { response_errors?: { response: { string: string }[] } }) =>
    body.response_errors?.response[0]?.string;
  const walkWith = async (values: Record<string, unknown>) =>
    (await makeWalk(server(), [['authenticator/webauthn', values]])).slug;
  const devicesOf = async ({ api }: TestUser) => (await api.get('/authenticators/webauthn/')).body.results;

  test('a person registers a security key', async () => {
    const { person, browser, shown, registration } = await begin();
    expect(shown.body).toMatchObject({ component, pending_user: person.username });
    const { hostname } = new URL(server().url);
    expect(registration).toMatchObject({
      rp: { id: hostname, name: 'Gatehouse' },
      user: { name: person.username, displayName: person.username },
      attestation: 'none',
      excludeCredentials: [],
      authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
    });
    expect(Buffer.from(registration.challenge, 'base64url')).toHaveLength(32);
    const key = authenticator({ aaguid: yubiKey });
    const events = await eventsDuring(server(), async () => {
      expect((await browser.answer(setup, { response: key.register(registration) })).body).toEqual(done);
    });
    expect(events.map(({ action }) => action)).toEqual(['model_created']);
    const [device, ...others] = await devicesOf(person);
    expect(others).toEqual([]);
    expect(device).toEqual({
      pk: expect.any(Number),
      name: 'YubiKey 5 Series',
      aaguid: yubiKey,
      device_type: { aaguid: yubiKey, description: 'YubiKey 5 Series' },
      created_on: expect.stringMatching(/^\d{4}-/),
    });
    const again = await begin(setup, person);
    expect(again.registration.excludeCredentials).toEqual([
      { id: key.credentialId, type: 'public-key', transports: ['usb'] },
    ]);
  });

  const lies: readonly (readonly [string, Tricks])[] = [
    ['from another origin', { origin: 'https://evil.example.com' }],
    ['for another party', { rpId: 'evil.example.com' }],
    ['to a challenge of its own', { challenge: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' }],
    ['of another ceremony', { type: 'webauthn.get' }],
    ['without anybody present', { isPresent: false }],
  ];

  test.each(lies)('an answer %s is refused, and the challenge is used up', async (_, tricks) => {
    const { person, browser, registration } = await begin();
    const key = authenticator();
    const told = await browser.answer(setup, { response: key.register(registration, tricks) });
    expect(told.status).toBe(200);
    expect(errorOf(told.body)).toBe(failed);
    expect(told.body.registration.challenge).not.toBe(registration.challenge);
    const late = await browser.answer(setup, { response: key.register(registration) });
    expect(errorOf(late.body)).toBe(failed);
    expect(await devicesOf(person)).toEqual([]);
    const right = key.register(late.body.registration);
    expect((await browser.answer(setup, { response: right })).body).toEqual(done);
    expect((await devicesOf(person))[0]).toMatchObject({ name: 'Passkey' });
  });

  test('a key of an unknown model is named after the browser', async () => {
    const person = await server().user();
    const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0' };
    const browser = await signedInBrowser(server(), person.pk, { headers });
    const { registration } = (await browser.show(setup)).body;
    await browser.answer(setup, { response: authenticator().register(registration) });
    expect((await devicesOf(person))[0]).toMatchObject({ name: 'Firefox (Linux)', aaguid: unknownDevices });
  });

  test('answers that are empty, foreign or of the wrong shape register nothing', async () => {
    const { person, browser, shown } = await begin();
    for (const body of [{}, { component }, { component: 'xak-stage-dummy', response: {} }, { code: '1' }]) {
      const { body: told } = await browser.answer(setup, body);
      expect(told.component).toBe(component);
      expect(told.registration.challenge).toBe(shown.body.registration.challenge);
    }
    for (const response of ['x', 1, [], null]) {
      expect((await browser.answer(setup, { response })).body.response_errors.response).toHaveLength(1);
    }
    const shapes = [{}, { id: 1 }, { id: 'x', rawId: 'x', type: 'public-key', response: { clientDataJSON: '!' } }];
    for (const response of shapes) expect(errorOf((await browser.answer(setup, { response })).body)).toBe(failed);
    expect(await devicesOf(person)).toEqual([]);
  });

  test('five wrong answers end the walk', async () => {
    const { browser } = await begin();
    for (let i = 0; i < 4; i++) expect((await browser.answer(setup, { response: {} })).body.component).toBe(component);
    expect((await browser.answer(setup, { response: {} })).body.component).toBe('xak-stage-access-denied');
    expect((await browser.show(setup)).body.component).toBe(component);
  });

  test('a key can be registered once, by one person', async () => {
    const first = await begin();
    const key = authenticator();
    await first.browser.answer(setup, { response: key.register(first.registration) });
    const second = await begin();
    const told = await second.browser.answer(setup, { response: key.register(second.registration) });
    expect(errorOf(told.body)).toBe('This device is registered already.');
    const own = await begin(setup, first.person);
    const twice = await own.browser.answer(setup, { response: key.register(own.registration) });
    expect(errorOf(twice.body)).toBe('This device is registered already.');
    const other = authenticator();
    const stolen = { ...other.register(twice.body.registration), id: key.credentialId, rawId: key.credentialId };
    expect(errorOf((await own.browser.answer(setup, { response: stolen })).body)).toBe(failed);
    expect(await devicesOf(second.person)).toEqual([]);
    expect(await devicesOf(first.person)).toHaveLength(1);
  });

  test('the answer to the challenge of one walk is refused in another', async () => {
    const mine = await begin();
    const theirs = await begin();
    const answer = authenticator().register(theirs.registration);
    expect(errorOf((await mine.browser.answer(setup, { response: answer })).body)).toBe(failed);
  });

  test('the stage’s requirements are sent to the browser, and checked', async () => {
    const flow = await walkWith({
      user_verification: 'required',
      resident_key_requirement: 'required',
      authenticator_attachment: 'platform',
      friendly_name: 'This computer',
    });
    const { person, browser, registration } = await begin(flow);
    expect(registration.authenticatorSelection).toMatchObject({
      userVerification: 'required',
      residentKey: 'required',
      authenticatorAttachment: 'platform',
    });
    const key = authenticator();
    const told = await browser.answer(flow, { response: key.register(registration) });
    expect(errorOf(told.body)).toBe('Please use this device, not another one.');
    const here = (options: object, tricks?: Tricks, more: object = {}) => ({
      response: { ...key.register(options, tricks), authenticatorAttachment: 'platform', ...more },
    });
    const forgetful = { clientExtensionResults: { credProps: { rk: false } } };
    const kept = await browser.answer(flow, here(told.body.registration, {}, forgetful));
    expect(errorOf(kept.body)).toBe('This device cannot keep the key itself.');
    const unverified = await browser.answer(flow, here(kept.body.registration, { verifiesUser: false }));
    expect(errorOf(unverified.body)).toBe(failed);
    expect((await browser.answer(flow, here(unverified.body.registration))).body).toEqual(done);
    expect((await devicesOf(person))[0]).toMatchObject({ name: 'This computer', aaguid: unknownDevices });
  });

  const makes: readonly (readonly [string, object, string | null])[] = [
    ['of an allowed make', { aaguid: yubiKey, attestation: 'maker' }, null],
    ['of another make', { aaguid: windowsHello, attestation: 'maker' }, '“Windows Hello” is not allowed here.'],
    [
      'of a make that nobody knows',
      { aaguid: nobodyKnows, attestation: 'maker' },
      'This model of device is not allowed',
    ],
    ['that says nothing', { aaguid: unknownDevices }, 'This device does not report its model.'],
    ['that vouches for itself', { aaguid: yubiKey, attestation: 'self' }, 'This device does not report its model.'],
    ['that only claims its make', { aaguid: yubiKey }, 'This device does not report its model.'],
  ];

  test.each(makes)('where only some authenticator models are allowed, a device %s', async (_, options, complaint) => {
    const flow = await walkWith({ device_type_restrictions: [yubiKey] });
    const { person, browser, registration } = await begin(flow);
    expect(registration.attestation).toBe('direct');
    const { body } = await browser.answer(flow, { response: authenticator(options).register(registration) });
    if (complaint === null) expect(body).toEqual(done);
    else expect(errorOf(body)).toContain(complaint);
    expect(await devicesOf(person)).toHaveLength(complaint === null ? 1 : 0);
  });

  test('unknown authenticator models can be allowed, which includes those without attestation', async () => {
    for (const options of [{ aaguid: yubiKey }, { aaguid: nobodyKnows, attestation: 'maker' }, {}]) {
      const flow = await walkWith({ device_type_restrictions: [unknownDevices] });
      const { browser, registration } = await begin(flow);
      const { body } = await browser.answer(flow, { response: authenticator(options).register(registration) });
      expect(body).toEqual(done);
    }
  });

  test('a device cannot be registered before its owner has authenticated', async () => {
    const flow = await walkWith({});
    expect((await openBrowser(server()).show(flow)).body.component).toBe('xak-stage-access-denied');
    const named = await makeWalk(server(), [
      ['identification', { user_fields: ['username'] }],
      ['authenticator/webauthn', {}],
    ]);
    const { username } = await server().user();
    const browser: Browser = openBrowser(server());
    await browser.show(named.slug);
    const { body } = await browser.answer(named.slug, { uid_field: username });
    expect(body.component).toBe('xak-stage-access-denied');
  });

  test('devices are renamed and deleted by their owners and administrators only', async () => {
    const { person, browser, registration } = await begin();
    await browser.answer(setup, { response: authenticator().register(registration) });
    const [{ pk }] = await devicesOf(person);
    const path = `/authenticators/webauthn/${pk}/`;
    const { browser: owner } = await signIn(server(), person.pk);
    const stranger = await server().user();
    expect((await stranger.api.get(path)).status).toBe(404);
    expect((await (await signIn(server(), stranger.pk)).browser.delete(path)).status).toBe(404);
    expect((await stranger.api.get('/authenticators/webauthn/')).body.results).toEqual([]);
    expect((await stranger.api.get(`/authenticators/admin/webauthn/${pk}/`)).status).toBe(403);
    expect((await person.api.get(`/authenticators/admin/webauthn/${pk}/`)).status).toBe(403);
    expect((await server().admin.patch(path, { name: 'x' })).status).toBe(403);
    const renamed = await owner.patch(path, { name: 'on my key ring', aaguid: yubiKey, credential_id: 'x' });
    expect(renamed.body).toMatchObject({ name: 'on my key ring', aaguid: unknownDevices });
    expect((await owner.patch(path, { name: 'x'.repeat(201) })).status).toBe(400);
    const { rows } = await sql<{
      id: string;
    }>`select credential_id as id from device_webauthn where pk = ${pk}`.execute(server().world.db.read);
    expect(rows[0]?.id).not.toBe('x');
    expect((await server().admin.get(`/authenticators/admin/webauthn/${pk}/`)).body.name).toBe('on my key ring');
    expect((await owner.delete(path)).status).toBe(204);
    expect((await person.api.get(path)).status).toBe(404);
  });
});
