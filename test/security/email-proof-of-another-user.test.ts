import { sql } from 'kysely';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { openBrowser, signInByPassword } from '../support/flow-client.ts';
import { quiet, runJob } from '../support/jobs.ts';
import { made, makePrompt, makeWalk, unique } from '../support/make-walk.ts';
import { startMailReceiver } from '../support/receivers.ts';
import { linkIn, newPassword, recoverBy } from '../support/recovery.ts';
import { appFrom, isSignedIn } from '../support/second-factor.ts';
import { describeOnSqlite } from '../support/server.ts';
import { signedInBrowser } from '../support/signed-in-browser.ts';

const mail = await startMailReceiver();
afterAll(() => mail.close());
const env = {
  GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.0/8',
  GATEHOUSE_SMTP_URL: mail.url,
  GATEHOUSE_SMTP_FROM: 'gatehouse@example.com',
};
const identifies = { component: 'xak-stage-identification' };
const waits = { component: 'xak-stage-email', link_opened: false };
const yes = { component: 'xak-stage-email' };
const old = 'an old horse';
const setup = 'default-authenticator-totp-setup';

describeOnSqlite(
  'email proof: a link opened by another user',
  (server) => {
    // What an earlier test had sent may still be on its way.
    beforeEach(async () => {
      await quiet(server());
      mail.mails.splice(0);
    });

    /** Nothing in this flow skips the first step for who comes by a link. */
    async function recovery(onInvalid = 'retry') {
      const fields = [
        await makePrompt(server(), 'password', 'password'),
        await makePrompt(server(), 'again', 'password', { order: 1 }),
      ];
      const walk = await makeWalk(
        server(),
        [
          ['identification', { user_fields: ['username'] }],
          ['email', { use_global_settings: true }],
          ['prompt/stages', { fields }, { invalid_response_action: onInvalid }],
          ['user_write', { user_creation_mode: 'never_create' }],
          ['user_login'],
        ],
        { designation: 'recovery' },
      );
      await recoverBy(server(), walk.pk);
      return walk;
    }

    async function person() {
      const email = `${unique('me')}@example.org`;
      const user = { ...(await server().user([], { email })), email };
      await server().admin.post(`/core/users/${user.pk}/set_password/`, { password: old });
      return user;
    }

    async function keepsPassword({ username }: { username: string }): Promise<void> {
      const browser = openBrowser(server());
      await signInByPassword(browser, username, old);
      expect(await isSignedIn(browser)).toBe(true);
    }

    test('proves nothing of another user, whom they name on the way', async () => {
      const { slug } = await recovery();
      const [own, other] = [await person(), await person()];
      const { body } = await server().admin.post(`/core/users/${own.pk}/recovery/`);
      const query = new URL(body.link).search.slice(1);
      const browser = openBrowser(server());
      expect((await browser.answer(slug, yes, query)).body).toMatchObject(identifies);
      expect((await browser.answer(slug, { uid_field: other.username }, query)).body).toMatchObject(waits);
      await browser.answer(slug, newPassword, query);
      expect(await isSignedIn(browser)).toBe(false);
      await keepsPassword(other);
    });

    test.for(['restart', 'restart_with_context'])('nor after a wrong answer, by %s', async (onInvalid) => {
      const { slug } = await recovery(onInvalid);
      const [own, other] = [await person(), await person()];
      const browser = openBrowser(server());
      await browser.show(slug);
      expect((await browser.answer(slug, { uid_field: own.username })).body).toMatchObject(waits);
      await quiet(server());
      const query = linkIn(mail).search.slice(1);
      expect((await browser.answer(slug, yes, query)).body.component).toBe('xak-stage-prompt');
      const differing = { ...newPassword, again: 'another horse' };
      expect((await browser.answer(slug, differing, query)).body).toMatchObject(identifies);
      expect((await browser.answer(slug, { uid_field: other.username }, query)).body).toMatchObject(waits);
      await browser.answer(slug, newPassword, query);
      expect(await isSignedIn(browser)).toBe(false);
      await keepsPassword(other);
    });

    test('proves nothing of an address that took the place of the one it was sent to', async () => {
      const fields = [await makePrompt(server(), 'email', 'email')];
      const { slug, stages } = await makeWalk(server(), [
        ['prompt/stages', { fields }],
        ['user_write', { user_creation_mode: 'never_create' }],
        ['email', { use_global_settings: true }],
        ['dummy'],
      ]);
      const { pk } = await person();
      const [mine, theirs] = [`${unique('mine')}@example.org`, `${unique('theirs')}@example.org`];
      const browser = await signedInBrowser(server(), pk);
      await browser.show(slug);
      expect((await browser.answer(slug, { email: mine })).body).toMatchObject(waits);
      await quiet(server());
      expect(mail.mails.at(-1)?.to).toEqual([mine]);
      const query = linkIn(mail).search.slice(1);
      expect((await server().admin.patch(`/core/users/${pk}/`, { email: theirs })).status).toBe(200);
      // Nor does a mail that is sent late bring the link to another address than it is to confirm.
      const { rows } = await sql<{ pk: string }>`select pk from flow_links where "user" = ${pk}`.execute(
        server().world.db.read,
      );
      const late = { link: rows[0]?.pk, stage: stages[2], title: 'x', isRecorded: true };
      expect((await runJob(server(), 'mail_link', late)).message).toBe('There is no user to send it to.');
      expect((await browser.answer(slug, yes, query)).body).toMatchObject(waits);
      await server().admin.patch(`/core/users/${pk}/`, { email: mine });
      expect((await browser.show(slug)).body.component).toBe('xak-stage-dummy');
    });

    test('and that they set up a device says nothing of another user, who has one', async () => {
      const fields = [await makePrompt(server(), 'again', 'number')];
      const password = (
        await made(server(), '/stages/password/', {
          name: unique('password'),
          backends: ['svc.core.auth.InbuiltBackend'],
        })
      ).pk;
      const { slug } = await makeWalk(server(), [
        ['identification', { user_fields: ['username'], password_stage: password }],
        ['authenticator/totp', { digits: '6' }],
        ['prompt/stages', { fields }, { invalid_response_action: 'restart_with_context' }],
      ]);
      const [own, other] = [await person(), await person()];
      const theirs = await signedInBrowser(server(), other.pk);
      const app = appFrom(server(), theirs, (await theirs.show(setup)).body.config_url);
      await theirs.answer(setup, { code: app.code() });

      const browser = openBrowser(server());
      await browser.show(slug);
      const { body } = await browser.answer(slug, { uid_field: own.username, password: old });
      const { code } = appFrom(server(), browser, body.config_url);
      expect((await browser.answer(slug, { code: code() })).body.component).toBe('xak-stage-prompt');
      expect((await browser.answer(slug, { again: 'no number' })).body).toMatchObject(identifies);
      const refused = await browser.answer(slug, { uid_field: other.username, password: old });
      expect(refused.body.component).toBe('xak-stage-access-denied');
    });
  },
  { env },
);
