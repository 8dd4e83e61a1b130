import { sql } from 'kysely';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { eventsDuring } from '../support/events.ts';

import { type Browser, openBrowser, signInByPassword } from '../support/flow-client.ts';
import { jobsOf, quiet, until } from '../support/jobs.ts';
import { made, makePrompt, makeWalk, unique } from '../support/make-walk.ts';
import { startMailReceiver } from '../support/receivers.ts';
import { linkIn, makeRecovery, newPassword, readMails } from '../support/recovery.ts';
import { describeOnBoth, type TestUser } from '../support/server.ts';
import { signedInBrowser } from '../support/signed-in-browser.ts';
import { contentsOf } from '../support/whole-database.ts';

const mail = await startMailReceiver();
afterAll(() => mail.close());
beforeEach(() => {
  mail.mails.length = 0;
  mail.refuses = null;
});

const publicUrl = 'http://login.example.com';
const env = {
  GATEHOUSE_PUBLIC_URL: publicUrl,
  GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.0/8',
  GATEHOUSE_SMTP_URL: mail.url,
  GATEHOUSE_SMTP_FROM: 'gatehouse@example.com',
};
const waiting = { component: 'xak-stage-email', link_opened: false };
const opened = { component: 'xak-stage-email', link_opened: true };
const yes = { component: 'xak-stage-email' };

describeOnBoth(
  'the e-mail stage',
  (server, kind) => {
    const person = async (values: Record<string, unknown> = {}): Promise<TestUser & { email: string }> => {
      const email = `${unique('me')}@example.org`;
      return { ...(await server().user([], { email, ...values })), email };
    };
    /** Asks for a mail as this person, in a browser of its own. */
    const asked = async (slug: string, name: string): Promise<Browser> => {
      const browser = openBrowser(server());
      await browser.show(slug);
      expect((await browser.answer(slug, { uid_field: name })).body).toMatchObject(waiting);
      await quiet(server());
      return browser;
    };

    test('sends a link that continues the walk in another browser, once', async () => {
      const walk = await makeRecovery(server());
      const user = await person({ name: 'Ada <Lovelace>' });
      const first = await asked(walk.slug, user.username);
      expect(mail.mails.map(({ to }) => to)).toEqual([[user.email]]);
      const [text = ''] = readMails(mail);
      expect(text).toContain('Hello Ada <Lovelace>,');
      expect(text).toContain('Hello Ada &lt;Lovelace&gt;,');
      expect(text).toContain('The link works once, within 30 minutes.');
      const link = linkIn(mail);
      expect([link.origin, link.pathname]).toEqual([publicUrl, `/if/flow/${walk.slug}/`]);

      const query = link.search.slice(1);
      const other = openBrowser(server());
      expect((await other.show(walk.slug, query)).body).toMatchObject(opened);
      expect((await other.answer(walk.slug, yes, query)).body.component).toBe('xak-stage-prompt');
      const again = openBrowser(server());
      expect((await again.show(walk.slug, query)).body.error_message).toBe('This link is invalid or expired.');
      expect((await again.answer(walk.slug, yes, query)).body.component).toBe('xak-stage-access-denied');
      expect((await other.show(walk.slug, query)).body.component).toBe('xak-stage-prompt');
      expect((await other.answer(walk.slug, newPassword, query)).body.component).toBe('xak-flow-redirect');
      expect((await other.get('/core/users/me/')).body.user.pk).toBe(user.pk);
      expect((await first.show(walk.slug)).body).toMatchObject(waiting);
      expect((await first.get('/core/users/me/')).status).toBe(403);
      const signedIn = await signInByPassword(openBrowser(server()), user.username, newPassword.password);
      expect(signedIn.body.component).toBe('xak-flow-redirect');
    });

    test('lets only one of two people pass who use a link at once', async () => {
      const walk = await makeRecovery(server());
      const user = await person();
      await asked(walk.slug, user.username);
      const query = linkIn(mail).search.slice(1);
      const answers = await Promise.all([1, 2, 3, 4].map(() => openBrowser(server()).answer(walk.slug, yes, query)));
      const components = answers.map(({ body }) => body.component).sort();
      expect(components.filter((component) => component === 'xak-stage-prompt')).toHaveLength(1);
    });

    test('sends another mail on request, within a limit', async () => {
      const walk = await makeRecovery(server());
      const user = await person();
      const browser = await asked(walk.slug, user.username);
      const older = linkIn(mail).search.slice(1);
      expect((await browser.answer(walk.slug, yes)).body).toMatchObject(waiting);
      await quiet(server());
      expect(mail.mails).toHaveLength(2);
      expect((await browser.answer(walk.slug, yes)).body).toMatchObject(waiting);
      const refused = await browser.answer(walk.slug, yes);
      expect(refused.body.response_errors.non_field_errors[0].string).toMatch(/^A mail was sent a moment ago/);
      // Beginning again does not help: the count is the person's, not the browser's.
      await asked(walk.slug, user.email);
      expect(mail.mails).toHaveLength(3);
      const newer = linkIn(mail).search.slice(1);
      const other = openBrowser(server());
      expect((await other.answer(walk.slug, yes, newer)).body.component).toBe('xak-stage-prompt');
      expect((await openBrowser(server()).show(walk.slug, older)).body.component).toBe('xak-stage-access-denied');
    });

    // What follows does not depend on the database.
    if (kind === 'postgres') return;

    test('mails nothing because a signed-in browser was led to the page of a flow', async () => {
      const { slug } = await makeWalk(server(), [['email', { subject: 'Confirm' }]]);
      const user = await person();
      const browser = await signedInBrowser(server(), user.pk);
      for (let looked = 0; looked < 2; looked++) {
        const { body } = await browser.show(slug);
        expect(body).toMatchObject({ component: 'xak-flow-confirm', signs_out: false, sends_mail: true });
      }
      await quiet(server());
      expect(mail.mails).toEqual([]);
      expect((await browser.answer(slug, { component: 'xak-flow-confirm' })).body).toMatchObject(waiting);
      expect((await browser.show(slug)).body).toMatchObject(waiting);
      await quiet(server());
      expect(mail.mails.map(({ to }) => to)).toEqual([[user.email]]);
      const other = await signedInBrowser(server(), (await person()).pk);
      await other.show(slug);
      // Whoever posts the answer to the mail at once gets one, too.
      expect((await other.answer(slug, yes)).body).toEqual(expect.objectContaining(waiting));
      await quiet(server());
      expect(mail.mails).toHaveLength(2);
    });

    test('sends a link that also works in the browser that asked', async () => {
      const walk = await makeRecovery(server());
      const user = await person();
      const browser = await asked(walk.slug, user.email);
      const query = linkIn(mail).search.slice(1);
      expect((await browser.show(walk.slug, query)).body).toMatchObject(opened);
      expect((await browser.answer(walk.slug, yes, query)).body.component).toBe('xak-stage-prompt');
      expect((await browser.answer(walk.slug, newPassword, query)).body.component).toBe('xak-flow-redirect');
    });

    test('does not use up a link that is only opened', async () => {
      const walk = await makeRecovery(server());
      const user = await person();
      await asked(walk.slug, user.username);
      const query = linkIn(mail).search.slice(1);
      for (let looked = 0; looked < 3; looked++) {
        expect((await openBrowser(server()).show(walk.slug, query)).body).toMatchObject(opened);
        const foreign = await openBrowser(server()).answer(walk.slug, { uid_field: 'x', password: 'y' }, query);
        expect(foreign.body).toMatchObject(opened);
      }
      const browser = openBrowser(server());
      expect((await browser.answer(walk.slug, yes, query)).body.component).toBe('xak-stage-prompt');
    });

    test('stays at its step whatever answer is sent', async () => {
      const walk = await makeRecovery(server());
      const user = await person();
      const browser = await asked(walk.slug, user.username);
      const foreign = [
        {},
        { component: '' },
        { component: 'xak-stage-prompt', ...newPassword },
        { component: 'xak-stage-user-login', remember_me: true },
        { uid_field: user.username },
        { link_opened: true, is_restored: true, flow_token: 'x' },
        { context: { is_restored: true }, at: 99 },
      ];
      for (const answer of foreign) {
        expect((await browser.answer(walk.slug, answer)).body).toMatchObject(waiting);
        expect((await browser.answer(walk.slug, answer, 'is_restored=true')).body).toMatchObject(waiting);
      }
      await quiet(server());
      expect(mail.mails).toHaveLength(1);
      expect((await browser.get('/core/users/me/')).status).toBe(403);
    });

    test('confirms the address of a new user and activates the account', async () => {
      const fields = [await makePrompt(server(), 'username', 'text'), await makePrompt(server(), 'email', 'email')];
      const template = 'email/account_confirmation.html';
      const walk = await makeWalk(
        server(),
        [
          ['prompt/stages', { fields }],
          ['user_write', { create_users_as_inactive: true }],
          ['email', { use_global_settings: true, activate_user_on_success: true, template, subject: 'Welcome!' }],
          ['user_login'],
        ],
        { designation: 'enrollment' },
      );
      const username = unique('new');
      const browser = openBrowser(server());
      await browser.show(walk.slug);
      const answer = await browser.answer(walk.slug, { username, email: `${username}@example.org` });
      expect(answer.body).toMatchObject(waiting);
      await quiet(server());
      expect(readMails(mail)[0]).toContain('Subject: Welcome!');
      expect(readMails(mail)[0]).toContain('Please confirm that this address is yours.');
      const isActive = async () =>
        (await server().admin.get(`/core/users/?username=${username}`)).body.results[0].is_active;
      expect(await isActive()).toBe(false);
      const query = linkIn(mail).search.slice(1);
      await openBrowser(server()).show(walk.slug, query);
      expect(await isActive()).toBe(false);
      const other = openBrowser(server());
      expect((await other.answer(walk.slug, yes, query)).body.component).toBe('xak-flow-redirect');
      expect(await isActive()).toBe(true);
      expect((await other.get('/core/users/me/')).body.user.username).toBe(username);
    });

    test('records an event without the link after sending the mail', async () => {
      const walk = await makeRecovery(server());
      const user = await person();
      const events = await eventsDuring(server(), () => asked(walk.slug, user.username));
      expect(events).toMatchObject([{ action: 'email_sent', context: { to_email: user.email } }]);
      const token = linkIn(mail).searchParams.get('flow_token') as string;
      expect(JSON.stringify(await contentsOf(server().world.db))).not.toContain(token);
    });

    test('sends through a mail server of its own, whose password is sealed and never shown', async () => {
      const { port } = new URL(mail.url);
      const own = {
        use_global_settings: false,
        host: '127.0.0.1',
        port: Number(port),
        from_address: 'own@example.com',
      };
      const walk = await makeRecovery(server(), own);
      await asked(walk.slug, (await person()).username);
      expect(mail.mails).toHaveLength(1);
      expect(readMails(mail)[0]).toContain('From: own@example.com');
      const stage = await made(server(), '/stages/email/', { name: unique('mail'), password: 'hunter2hunter2' });
      expect('password' in stage).toBe(false);
      const { rows } = await sql<{ password: string }>`select password from stage_email where pk = ${stage.pk}`.execute(
        server().world.db.read,
      );
      expect(rows[0]?.password).not.toContain('hunter2');
    });

    test('records a failing mail server without keeping people waiting', async () => {
      const walk = await makeRecovery(server(), { use_global_settings: false, host: '127.0.0.1', port: 1 });
      mail.refuses = 451;
      const user = await person();
      const browser = openBrowser(server());
      await browser.show(walk.slug);
      expect((await browser.answer(walk.slug, { uid_field: user.username })).body).toMatchObject(waiting);
      await until(async () =>
        (await jobsOf(server(), 'mail_link')).some(
          ({ attempt, message }) => attempt > 0 && /it accepts no connections at this port/.test(message),
        ),
      );
    });

    test('tries again if the settings of the mail server cannot be read', async () => {
      const { db, clock } = server().world;
      const walk = await makeRecovery(server(), { use_global_settings: false, host: '127.0.0.1', port: 1 });
      const browser = openBrowser(server());
      await browser.show(walk.slug);
      await browser.answer(walk.slug, { uid_field: (await person()).username });
      const last = async () => (await jobsOf(server(), 'mail_link')).at(-1);
      await until(async () => (await last())?.state === 'queued' && (await last())?.attempt === 1);
      await db.write(async (tx) => {
        await sql`update stage_email set password = 'not sealed' where pk = ${walk.stages[1]}`.execute(tx);
        await sql`update jobs set run_at = ${clock.now()} where kind = 'mail_link' and state = 'queued'`.execute(tx);
        await server().app.jobs.wakeAfterCommit(tx);
      });
      await until(async () => (await last())?.state !== 'running' && (await last())?.attempt === 2);
      expect(await last()).toMatchObject({ state: 'queued' });
    });

    test('reports a mail that could not be sent before its link expired', async () => {
      const { db, clock } = server().world;
      const walk = await makeRecovery(server(), { use_global_settings: false, host: '127.0.0.1', port: 1 });
      const browser = openBrowser(server());
      await browser.show(walk.slug);
      await browser.answer(walk.slug, { uid_field: (await person()).username });
      const last = async () => (await jobsOf(server(), 'mail_link')).at(-1);
      await until(async () => (await last())?.state === 'queued' && (await last())?.attempt === 1);
      await db.write(async (tx) => {
        await sql`update flow_links set expires = ${clock.now()}`.execute(tx);
        await sql`update jobs set run_at = ${clock.now()} where kind = 'mail_link' and state = 'queued'`.execute(tx);
        await server().app.jobs.wakeAfterCommit(tx);
      });
      await until(async () => (await last())?.state === 'failed');
      const { body } = await server().admin.get('/events/events/?action=system_task_exception&ordering=-created');
      expect(body.results[0].context.message).toContain('the link has expired');
    });

    test('refuses invalid settings', async () => {
      const { admin } = server();
      const attempts: [Record<string, unknown>, string][] = [
        [{ template: 'email/none.html' }, 'template'],
        [{ template: '../../etc/passwd' }, 'template'],
        [{ token_expiry: 0 }, 'token_expiry'],
        [{ from_address: 'nobody' }, 'from_address'],
        [{ port: 70_000 }, 'port'],
        [{ use_tls: true, use_ssl: true }, 'use_ssl'],
      ];
      for (const [values, member] of attempts) {
        const { status, body } = await admin.post('/stages/email/', { name: unique('mail'), ...values });
        expect([status, Object.keys(body)]).toEqual([400, [member]]);
      }
      const { body } = await admin.get('/stages/email/templates/');
      expect(body.map(({ name }: { name: string }) => name)).toEqual([
        'email/password_reset.html',
        'email/account_confirmation.html',
      ]);
      const walk = await makeWalk(server(), [['email', { use_global_settings: true }]]);
      expect((await openBrowser(server()).show(walk.slug)).body.error_message).toBe(
        'There is no recipient for the mail.',
      );
    });
  },
  { env },
);

describeOnBoth('the e-mail stage of a server without a mail server', (server) => {
  test('reports the missing mail server to known and unknown users alike', async () => {
    const walk = await makeRecovery(server());
    const user = await server().user([], { email: 'me@example.org' });
    for (const name of [user.username, 'nobody-at-all']) {
      const browser = openBrowser(server());
      await browser.show(walk.slug);
      const { body } = await browser.answer(walk.slug, { uid_field: name });
      expect(body).toMatchObject({
        component: 'xak-stage-access-denied',
        error_message: 'This server cannot send mails.',
      });
    }
  });
});
