import { afterAll, expect, test } from 'vitest';
import { eventsDuring } from '../support/events.ts';
import { openBrowser, signInByPassword, signInFlow } from '../support/flow-client.ts';
import { quiet } from '../support/jobs.ts';
import { made, makeWalk, unique } from '../support/make-walk.ts';
import { personWithPasskey } from '../support/passkey.ts';
import { startMailReceiver } from '../support/receivers.ts';
import { linkIn } from '../support/recovery.ts';
import { describeOnBoth, describeOnSqlite, type TestServer } from '../support/server.ts';

const mail = await startMailReceiver();
afterAll(() => mail.close());
const env = {
  GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.0/8',
  GATEHOUSE_SMTP_URL: mail.url,
  GATEHOUSE_SMTP_FROM: 'gatehouse@example.com',
};

const denied = 'xak-stage-access-denied';
const done = 'xak-flow-redirect';
const strong = 'vorhang-ambra-9-quitte-tausch';

async function turn({ admin }: TestServer, name: string, is_on: boolean) {
  const { status, body } = await admin.put(`/flows/ready_made/${name}/`, { is_on });
  expect(status, JSON.stringify(body)).toBe(200);
  expect((await admin.get('/flows/ready_made/')).body).toContainEqual(body);
  return body;
}

describeOnBoth('a ready-made flow', (server) => {
  const statesOf = async () =>
    (await server().admin.get('/flows/ready_made/')).body.map(({ name, is_on, flow }: Record<string, unknown>) => ({
      [String(name)]: [is_on, flow],
    }));

  test('is on or off, and is installed when it is first turned on', async () => {
    expect(await statesOf()).toEqual([
      { recovery: [false, 'default-recovery-flow'] },
      { invitation: [true, 'default-enrollment-flow'] },
      { registration: [false, null] },
      { passkey: [false, null] },
      { consent: [false, 'default-provider-authorization-explicit-consent'] },
      { proof: [false, 'default-enrollment-flow'] },
    ]);
    const trial = await server().admin.put('/flows/ready_made/passkey/?dry_run=true', { is_on: true });
    expect(trial.body).toMatchObject({ is_on: true, flow: 'default-passkey-flow' });
    expect(await statesOf()).toContainEqual({ passkey: [false, null] });
    const events = await eventsDuring(server(), () => turn(server(), 'passkey', true));
    // The flow, two stages, their bindings, and the link to it.
    expect(events.map(({ action }) => action)).toEqual([...Array(5).fill('model_created'), 'model_updated']);
    const again = await eventsDuring(server(), () => turn(server(), 'passkey', true));
    expect(again).toEqual([]);
    const { findings } = (await server().admin.get('/flows/instances/default-passkey-flow/design/')).body;
    expect(findings).toEqual([]);
    expect(await turn(server(), 'passkey', false)).toMatchObject({ is_on: false, flow: 'default-passkey-flow' });
    await turn(server(), 'passkey', false);
  });

  test('asks for consent in all applications that have the shipped flows', async () => {
    const { admin } = server();
    const path = '/providers/oauth2/';
    const flowOf = async (slug: string) => (await admin.get(`/flows/instances/${slug}/`)).body.pk;
    const [always, never] = [
      await flowOf('default-provider-authorization-explicit-consent'),
      await flowOf('default-provider-authorization-implicit-consent'),
    ];
    const own = await made(server(), '/flows/instances/', {
      ...{ name: 'own', slug: unique('own'), title: 'own', designation: 'authorization' },
    });
    const redirect_uris = [{ matching_mode: 'strict', url: 'https://app.example/callback' }];
    const refused = await admin.put('/flows/ready_made/consent/', { is_on: true });
    expect([refused.status, refused.body.non_field_errors]).toEqual([
      400,
      ['No application signs people in without consent.'],
    ]);
    const [one, other] = [unique('app'), unique('app')];
    const { pk } = await made(server(), path, { name: one, authorization_flow: never, redirect_uris });
    const kept = await made(server(), path, { name: other, authorization_flow: own.pk, redirect_uris });
    const flows = async () => [
      (await admin.get(`${path}${pk}/`)).body.authorization_flow,
      (await admin.get(`${path}${kept.pk}/`)).body.authorization_flow,
    ];
    expect((await turn(server(), 'consent', true)).places).toEqual([{ name: one, path: `${path}${pk}/` }]);
    expect(await flows()).toEqual([always, own.pk]);
    await turn(server(), 'consent', false);
    expect(await flows()).toEqual([never, own.pk]);
    const { uses } = (await admin.get('/flows/switches/')).body;
    const usedBy = (slug: string) => uses.find((use: { slug: string }) => use.slug === slug).used_by;
    expect(usedBy(own.slug)).toEqual([{ name: other }]);
    expect(usedBy('default-recovery-flow')).toEqual([]);
  });

  test('keeps what people changed of it, and what they chose instead', async () => {
    const flow = '/flows/instances/default-recovery-flow/';
    const { steps } = (await server().admin.get(`${flow}design/`)).body;
    await server().admin.delete(`/flows/bindings/${steps[2].pk}/`);
    const own = await makeWalk(server(), [['dummy']], { designation: 'recovery' });
    const other = await made(server(), '/core/brands/', { domain: 'other.example', flow_recovery: own.pk });
    const { places } = await turn(server(), 'recovery', true);
    expect(places.map(({ name }: { name: string }) => name)).toEqual(['gatehouse-default']);
    expect((await server().admin.get(`${flow}design/`)).body.steps).toHaveLength(steps.length - 1);
    await turn(server(), 'recovery', false);
    const brand = (await server().admin.get(`/core/brands/${other.brand_uuid}/`)).body;
    expect(brand.flow_recovery).toBe(own.pk);
    await server().admin.delete(flow);
    expect(await turn(server(), 'recovery', true)).toMatchObject({ is_on: true, flow: 'default-recovery-flow' });
    expect((await server().admin.get(`${flow}design/`)).body).toMatchObject({ findings: [], steps: { length: 6 } });
    await turn(server(), 'recovery', false);
  });

  test('proves no address without mail', async () => {
    const refused = await server().admin.put('/flows/ready_made/proof/', { is_on: true });
    expect([refused.status, refused.body]).toEqual([
      400,
      { non_field_errors: ['Mail is not set up. Set the mail server in Settings, Address and mail, first.'] },
    ]);
  });

  test('is turned on by superusers alone, if there is where to link it', async () => {
    const { api } = await server().user(['svc_flows.view_flow', 'svc_flows.change_flow', 'svc_brands.change_brand']);
    expect((await api.get('/flows/ready_made/')).status).toBe(403);
    expect((await api.put('/flows/ready_made/recovery/', { is_on: true })).status).toBe(403);
    expect((await server().admin.put('/flows/ready_made/magic/', { is_on: true })).status).toBe(404);
    expect((await server().admin.put('/flows/ready_made/recovery/', {})).status).toBe(400);
    const own = await makeWalk(server(), [['dummy']], { designation: 'recovery' });
    const { results } = (await server().admin.get('/core/brands/')).body;
    const recoverBy = async (flow_recovery: string | null) => {
      for (const { brand_uuid } of results)
        await server().admin.patch(`/core/brands/${brand_uuid}/`, { flow_recovery });
    };
    await recoverBy(own.pk);
    const refused = await server().admin.put('/flows/ready_made/recovery/', { is_on: true });
    expect({ status: refused.status, body: refused.body }).toEqual({
      status: 400,
      body: { non_field_errors: ['Every brand has a recovery flow of its own.'] },
    });
    await recoverBy(null);
  });
});

describeOnSqlite(
  'one switch',
  (server) => {
    test('lets people choose a new password by mail', async () => {
      await turn(server(), 'recovery', true);
      const flow = 'default-recovery-flow';
      const user = await server().user([], { email: `${unique('me')}@example.org` });
      expect((await openBrowser(server()).show(signInFlow)).body.recovery_url).toBe(`/if/flow/${flow}/`);
      const browser = openBrowser(server());
      await browser.show(flow);
      await browser.answer(flow, { uid_field: user.username });
      await quiet(server());
      const query = linkIn(mail).search.slice(1);
      await browser.show(flow, query);
      await browser.answer(flow, { component: 'xak-stage-email' }, query);
      const answer = await browser.answer(flow, { password: strong, password_repeat: strong });
      expect(answer.body.component).toBe(done);
      expect((await signInByPassword(openBrowser(server()), user.username, strong)).body.component).toBe(done);
      await turn(server(), 'recovery', false);
      expect((await openBrowser(server()).show(signInFlow)).body.recovery_url).toBeUndefined();
      expect((await openBrowser(server()).show(flow)).body.component).toBe(denied);
    });

    test('lets invited people in, and no user while it is off', async () => {
      const flow = 'default-enrollment-flow';
      const { link } = await made(server(), '/stages/invitation/invitations/', { name: unique('invitation') });
      const query = new URL(link).search.slice(1);
      await turn(server(), 'invitation', false);
      expect((await openBrowser(server()).show(flow, query)).body.component).toBe(denied);
      await turn(server(), 'invitation', true);
      expect((await openBrowser(server()).show(flow)).body.component).toBe(denied);
      const browser = openBrowser(server());
      await browser.show(flow, query);
      const username = unique('dana');
      const person = { username, name: 'Dana', email: 'dana@example.org' };
      const answer = await browser.answer(flow, { ...person, password: strong, password_repeat: strong });
      expect(answer.body.component).toBe(done);
      expect((await browser.get('/core/users/me/')).body.user.username).toBe(username);
    });

    test('lets everybody make an account whose address is confirmed, and no user while it is off', async () => {
      const flow = 'default-registration-flow';
      expect((await openBrowser(server()).show(signInFlow)).body.enroll_url).toBeUndefined();
      await turn(server(), 'registration', true);
      expect((await openBrowser(server()).show(signInFlow)).body.enroll_url).toBe(`/if/flow/${flow}/`);
      expect((await server().admin.get(`/flows/instances/${flow}/design/`)).body.findings).toEqual([]);
      const email = `${unique('new')}@example.org`;
      const register = async (address: string) => {
        const browser = openBrowser(server());
        await browser.show(flow);
        const waiting = await browser.answer(flow, { email: address });
        expect(waiting.body).toMatchObject({ component: 'xak-stage-email', link_opened: false });
        await quiet(server());
        return linkIn(mail).search.slice(1);
      };
      const query = await register(email);
      expect(mail.mails.at(-1)?.to).toEqual([email]);
      // In another browser, as on a phone.
      const browser = openBrowser(server());
      await browser.show(flow, query);
      const form = await browser.answer(flow, { component: 'xak-stage-email' }, query);
      expect(form.body.fields.map(({ field_key }: { field_key: string }) => field_key)).not.toContain('email');
      const username = unique('new');
      const person = { username, name: 'New', password: strong, password_repeat: strong };
      // An address that is sent along is not the one that was confirmed.
      const answer = await browser.answer(flow, { ...person, email: 'root@example.com' });
      expect(answer.body.component).toBe(done);
      const { body } = await server().admin.get(`/core/users/?username=${username}`);
      expect(body.results).toMatchObject([{ username, email, is_active: true, type: 'external' }]);
      expect((await browser.get('/core/users/me/')).body.user.username).toBe(username);
      expect((await openBrowser(server()).show(flow, query)).body.component).toBe(denied);

      // Who has an account learns it from the link, and no other user does.
      const second = await register(email.toUpperCase());
      const again = openBrowser(server());
      await again.show(flow, second);
      const refused = await again.answer(flow, { component: 'xak-stage-email' }, second);
      expect(refused.body).toMatchObject({ component: denied, error_message: expect.stringContaining('already') });

      const late = await register(`${unique('late')}@example.org`);
      await turn(server(), 'registration', false);
      for (const opened of ['', late])
        expect((await openBrowser(server()).show(flow, opened)).body.component).toBe(denied);
      expect((await openBrowser(server()).show(signInFlow)).body.enroll_url).toBeUndefined();
    });

    test('has invited people prove their address before anything else, and gives the form back', async () => {
      const flow = 'default-enrollment-flow';
      const steps = async () =>
        (await server().admin.get(`/flows/instances/${flow}/design/`)).body.steps.map(
          ({ name }: { name: string }) => name,
        );
      const invite = async (values = {}) => {
        const { link, pk } = await made(server(), '/stages/invitation/invitations/', {
          ...{ name: unique('invitation'), single_use: true },
          ...values,
        });
        return { pk, query: new URL(link).search.slice(1) };
      };
      const before = await steps();
      await turn(server(), 'proof', true);
      expect(await steps()).toEqual([
        'default-enrollment-invitation',
        'default-enrollment-address',
        'default-enrollment-email',
        ...before.slice(1),
      ]);
      expect((await server().admin.get(`/flows/instances/${flow}/design/`)).body.findings).toEqual([]);
      expect(await turn(server(), 'proof', true)).toMatchObject({
        is_on: true,
        places: [{ name: expect.any(String) }],
      });

      const email = `${unique('dana')}@example.org`;
      const { query } = await invite();
      const browser = openBrowser(server());
      const keysOf = ({ body }: { body: { fields: { field_key: string }[] } }) =>
        body.fields.map(({ field_key }) => field_key);
      expect(keysOf(await browser.show(flow, query))).toEqual(['email']);
      const waiting = await browser.answer(flow, { email });
      expect(waiting.body).toMatchObject({ component: 'xak-stage-email' });
      await quiet(server());
      expect(mail.mails.at(-1)?.to).toEqual([email]);
      const token = linkIn(mail).search.slice(1);
      const phone = openBrowser(server());
      await phone.show(flow, token);
      const form = await phone.answer(flow, { component: 'xak-stage-email' }, token);
      expect(keysOf(form)).toEqual(['username', 'name', 'password', 'password_repeat']);
      const username = unique('dana');
      const person = { username, name: 'Dana', password: strong, password_repeat: strong };
      expect((await phone.answer(flow, { ...person, email: 'root@example.com' })).body.component).toBe(done);
      const { results } = (await server().admin.get(`/core/users/?username=${username}`)).body;
      expect(results).toMatchObject([{ email, email_verified: true, email_verified_by: 'mail' }]);

      // An invitation by mail has proven the address that it was sent to.
      const mailed = `${unique('eve')}@example.org`;
      const { pk } = await invite({ fixed_data: { email: mailed } });
      expect((await server().admin.post(`/stages/invitation/invitations/${pk}/send_email/`, {})).status).toBe(204);
      await quiet(server());
      const other = openBrowser(server());
      await other.show(flow, linkIn(mail).search.slice(1));
      expect(keysOf(await other.answer(flow, { email: mailed }))).toEqual([
        'username',
        'name',
        'password',
        'password_repeat',
      ]);

      await turn(server(), 'proof', false);
      expect(await steps()).toEqual(before);
      const plain = await openBrowser(server()).show(flow, (await invite()).query);
      expect(keysOf(plain)).toEqual(['username', 'name', 'email', 'password', 'password_repeat']);
    });

    test('signs people in with a passkey alone', async () => {
      const flow = 'default-passkey-flow';
      expect((await openBrowser(server()).show(signInFlow)).body.passwordless_url).toBeUndefined();
      await turn(server(), 'passkey', true);
      expect((await openBrowser(server()).show(signInFlow)).body.passwordless_url).toBe(`/if/flow/${flow}/`);
      const { key, pk } = await personWithPasskey(server());
      const browser = openBrowser(server());
      const [{ challenge }] = (await browser.show(flow)).body.device_challenges;
      expect((await browser.answer(flow, { webauthn: key.prove(challenge) })).body.component).toBe(done);
      expect((await browser.get('/core/users/me/')).body.user.pk).toBe(pk);
      await turn(server(), 'passkey', false);
      expect((await openBrowser(server()).show(signInFlow)).body.passwordless_url).toBeUndefined();
    });
  },
  { env },
);
