import { afterAll, expect, test } from 'vitest';
import { eventsDuring } from '../support/events.ts';
import { openBrowser, signInByPassword, signInFlow } from '../support/flow-client.ts';
import { quiet } from '../support/jobs.ts';
import { made, unique } from '../support/make-walk.ts';
import { startMailReceiver } from '../support/receivers.ts';
import { linkIn, recoverBy } from '../support/recovery.ts';
import { describeOnBoth } from '../support/server.ts';
import { signedInBrowser } from '../support/signed-in-browser.ts';

const mail = await startMailReceiver();
afterAll(() => mail.close());
const env = {
  GATEHOUSE_PUBLIC_URL: 'http://login.example.com',
  GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.0/8',
  GATEHOUSE_SMTP_URL: mail.url,
  GATEHOUSE_SMTP_FROM: 'gatehouse@example.com',
};

const recovery = 'default-recovery-flow';
const enrollment = 'default-enrollment-flow';
const change = 'default-password-change';
const denied = 'xak-stage-access-denied';
const done = 'xak-flow-redirect';
const strong = 'vorhang-ambra-9-quitte-tausch';
const twice = (password: string) => ({ password, password_repeat: password });
const messages = ({ body }: { body: { response_errors?: Record<string, { string: string }[]> } }) =>
  (body.response_errors?.non_field_errors ?? []).map(({ string }) => string);

describeOnBoth(
  'flows that a fresh server brings',
  (server) => {
    const personWithPassword = async (password: string) => {
      const user = await server().user([], { email: `${unique('me')}@example.org` });
      await server().admin.post(`/core/users/${user.pk}/set_password/`, { password });
      return { ...user, browser: await signedInBrowser(server(), user.pk) };
    };

    test('recovery is off until a PATCH of the brand enables it, and then starts from the sign-in page', async () => {
      expect((await openBrowser(server()).show(recovery)).body.component).toBe(denied);
      expect((await openBrowser(server()).show(signInFlow)).body.recovery_url).toBeUndefined();

      await recoverBy(server(), (await server().admin.get(`/flows/instances/${recovery}/`)).body.pk);
      const { body } = await openBrowser(server()).show(signInFlow);
      expect(body.recovery_url).toBe(`/if/flow/${recovery}/`);

      const user = await personWithPassword('the forgotten one');
      const browser = openBrowser(server());
      expect((await browser.show(recovery)).body.component).toBe('xak-stage-identification');
      expect((await browser.answer(recovery, { uid_field: user.username })).body.component).toBe('xak-stage-email');
      await quiet(server());
      const query = linkIn(mail).search.slice(1);
      await browser.show(recovery, query);
      const shown = await browser.answer(recovery, { component: 'xak-stage-email' }, query);
      expect(shown.body.component).toBe('xak-stage-prompt');
      expect(messages(await browser.answer(recovery, twice('too short')))).toEqual(['Use at least 12 characters.']);
      expect((await browser.answer(recovery, twice(strong))).body.component).toBe(done);
      expect((await signInByPassword(openBrowser(server()), user.username, strong)).body.component).toBe(done);

      await recoverBy(server(), null);
      expect((await openBrowser(server()).show(recovery)).body.component).toBe(denied);
    });

    test('enrolment requires the link of an invitation, and creates an active account', async () => {
      expect((await openBrowser(server()).show(enrollment)).body.component).toBe(denied);
      const { pk } = (await server().admin.get(`/flows/instances/${enrollment}/`)).body;
      const values = { name: unique('invite'), flow: pk, fixed_data: { email: 'dana@example.org' } };
      const invitation = await made(server(), '/stages/invitation/invitations/', values);
      const link = new URL(invitation.link);
      expect([link.origin, link.pathname]).toEqual([env.GATEHOUSE_PUBLIC_URL, `/if/flow/${enrollment}/`]);
      const without = await made(server(), '/stages/invitation/invitations/', { name: unique('invite') });
      expect(new URL(without.link).pathname).toBe(`/if/flow/${enrollment}/`);

      const browser = openBrowser(server());
      const shown = await browser.show(enrollment, link.search.slice(1));
      expect(shown.body.fields.find(({ field_key }: { field_key: string }) => field_key === 'email')).toMatchObject({
        initial_value: 'dana@example.org',
      });
      const username = unique('dana');
      const answer = { username, name: 'Dana', email: 'dana@example.org' };
      expect(messages(await browser.answer(enrollment, { ...answer, ...twice('password1234') }))).toEqual([
        'Password is too weak.',
      ]);
      expect((await browser.answer(enrollment, { ...answer, ...twice(strong) })).body.component).toBe(done);
      const me = (await browser.get('/core/users/me/')).body.user;
      expect(me).toMatchObject({ username, email: 'dana@example.org', is_active: true, is_superuser: false });
    });

    test('a single-use invitation is used up by the account it makes, not by looking or failing', async () => {
      const { pk } = (await server().admin.get(`/flows/instances/${enrollment}/`)).body;
      const values = { name: unique('invite'), flow: pk, single_use: true };
      const { link } = await made(server(), '/stages/invitation/invitations/', values);
      const query = new URL(link).search.slice(1);
      const answer = () => ({
        username: unique('guest'),
        name: 'Guest',
        email: `${unique('g')}@example.org`,
        ...twice(strong),
      });

      const scanner = await eventsDuring(server(), async () => {
        await openBrowser(server()).show(enrollment, query);
      });
      expect(scanner).toEqual([]);
      const failing = openBrowser(server());
      await failing.show(enrollment, query);
      await failing.answer(enrollment, { ...answer(), username: 'admin' });

      const [first, second] = [openBrowser(server()), openBrowser(server())];
      await first.show(enrollment, query);
      await second.show(enrollment, query);
      const used = await eventsDuring(server(), async () => {
        expect((await first.answer(enrollment, answer())).body.component).toBe(done);
      });
      expect(used.map(({ action }) => action).sort()).toEqual(['invitation_used', 'login', 'user_write']);
      const late = answer();
      expect((await second.answer(enrollment, late)).body).toMatchObject({
        component: denied,
        error_message: 'This invitation has been used or withdrawn.',
      });
      expect((await server().admin.get(`/core/users/?username=${late.username}`)).body.results).toEqual([]);
      expect((await openBrowser(server()).show(enrollment, query)).body.component).toBe(denied);
    });

    test('changing a password requires the current one and a new one that meets the policy', async () => {
      const { browser, username } = await personWithPassword('the present one');
      expect((await browser.show(change)).body.component).toBe('xak-stage-password');
      expect((await browser.answer(change, { password: 'a guess' })).body.component).toBe('xak-stage-password');
      expect((await browser.answer(change, { password: 'the present one' })).body.component).toBe('xak-stage-prompt');
      expect(messages(await browser.answer(change, twice('short')))).toEqual(['Use at least 12 characters.']);
      expect(messages(await browser.answer(change, twice('qwertyuiop123')))).toEqual(['Password is too weak.']);
      expect((await browser.answer(change, twice(strong))).body.component).toBe(done);
      expect((await signInByPassword(openBrowser(server()), username, strong)).body.component).toBe(done);
    });

    test('changing a password requires the second factor of people without a password', async () => {
      const user = await server().user();
      const plain = await signedInBrowser(server(), user.pk);
      expect((await plain.show(change)).body.component).toBe('xak-stage-prompt');
      await plain.show('default-authenticator-static-setup');
      await plain.answer('default-authenticator-static-setup', { component: 'xak-stage-authenticator-static' });
      const guarded = await signedInBrowser(server(), user.pk);
      expect((await guarded.show(change)).body.component).toBe('xak-stage-authenticator-validate');
    });
  },
  { env },
);
