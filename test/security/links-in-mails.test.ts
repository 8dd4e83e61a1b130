import { sql } from 'kysely';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { openBrowser } from '../support/flow-client.ts';
import { quiet } from '../support/jobs.ts';
import { makeWalk, unique } from '../support/make-walk.ts';
import { rawRequest } from '../support/raw-request.ts';
import { startMailReceiver } from '../support/receivers.ts';
import { linkIn, makeRecovery, newPassword, readMails, recoverBy } from '../support/recovery.ts';
import { adminToken, describeOnSqlite } from '../support/server.ts';
import { contentsOf } from '../support/whole-database.ts';

const mail = await startMailReceiver();
afterAll(() => mail.close());
beforeEach(() => {
  mail.mails.length = 0;
});

const publicUrl = 'https://login.example.com';
const env = {
  GATEHOUSE_PUBLIC_URL: publicUrl,
  GATEHOUSE_SMTP_URL: mail.url,
  GATEHOUSE_SMTP_FROM: 'gatehouse@example.com',
};
const spoofed = { host: 'evil.invalid', 'x-forwarded-host': 'evil.invalid', forwarded: 'host=evil.invalid' };
const yes = { component: 'xak-stage-email' };
const refused = 'xak-stage-access-denied';

// The host that a request named became part of the links in mails (GHSA-2wmj-46rj-qm2w, CVE-2026-29067).
describeOnSqlite(
  'links that lead into flows',
  (server) => {
    const person = () => server().user([], { email: `${unique('me')}@example.org` });
    /** A link into a recovery flow, as its query string. */
    const linkFor = async (pk: number) => {
      const walk = await makeRecovery(server());
      await recoverBy(server(), walk.pk);
      const { body } = await server().admin.post(`/core/users/${pk}/recovery/`);
      return { walk, query: new URL(body.link).search.slice(1) };
    };
    const opens = async (slug: string, query: string) =>
      (await openBrowser(server()).answer(slug, yes, query)).body.component;

    test('name the configured origin, whatever host a request names', async () => {
      const walk = await makeRecovery(server());
      await recoverBy(server(), walk.pk);
      const user = await person();
      const post = (url: string, cookie: string, payload: object, headers = {}) =>
        rawRequest(server().url, `/api/v3${url}`, {
          method: 'POST',
          headers: { ...spoofed, ...headers, cookie },
          body: payload,
        });
      const executor = `/flows/executor/${walk.slug}/`;
      const first = await rawRequest(server().url, `/api/v3${executor}`, { headers: spoofed });
      const cookie = String(first.headers['set-cookie']).split(';', 1)[0] ?? '';
      await post(executor, cookie, { uid_field: user.username });
      await quiet(server());
      expect(linkIn(mail).origin).toBe(publicUrl);
      expect(readMails(mail).join()).not.toContain('evil.invalid');
      const bearer = { authorization: `Bearer ${adminToken}` };
      const made = await post(`/core/users/${user.pk}/recovery/`, '', {}, bearer);
      expect(new URL(made.json().link).origin).toBe(publicUrl);
    });

    test('expire without any clean-up', async () => {
      const user = await person();
      const { walk, query } = await linkFor(user.pk);
      await server().world.db.write((tx) =>
        sql`update flow_links set expires = ${server().world.clock.now()} where "user" = ${user.pk}`.execute(tx),
      );
      expect(await opens(walk.slug, query)).toBe(refused);
    });

    test('are void for an inactive user, and activate no user', async () => {
      const user = await person();
      const { walk, query } = await linkFor(user.pk);
      await server().admin.patch(`/stages/email/${walk.stages[1]}/`, { activate_user_on_success: true });
      await server().admin.patch(`/core/users/${user.pk}/`, { is_active: false });
      expect(await opens(walk.slug, query)).toBe(refused);
      const browser = openBrowser(server());
      await browser.show(walk.slug);
      await browser.answer(walk.slug, { uid_field: user.username });
      await quiet(server());
      expect(mail.mails).toEqual([]);
      expect((await server().admin.get(`/core/users/${user.pk}/`)).body.is_active).toBe(false);
    });

    test('are void once the user has another password', async () => {
      const user = await person();
      const { walk, query } = await linkFor(user.pk);
      await server().admin.post(`/core/users/${user.pk}/set_password/`, { password: 'set meanwhile' });
      expect(await opens(walk.slug, query)).toBe(refused);
    });

    test('work for one flow, and only unchanged', async () => {
      const user = await person();
      const { walk, query } = await linkFor(user.pk);
      const other = await makeRecovery(server());
      expect(await opens(other.slug, query)).toBe(refused);
      for (const wrong of [`${query}x`, query.slice(0, -1), 'flow_token=', 'flow_token=%00', 'flow_token=null'])
        expect(await opens(walk.slug, wrong)).toBe(refused);
      expect(await opens(walk.slug, query)).toBe('xak-stage-prompt');
    });

    test('are not accepted as credentials elsewhere', async () => {
      const user = await person();
      const { walk, query } = await linkFor(user.pk);
      const token = query.split('=')[1] as string;
      expect((await server().as(token).get('/core/users/me/')).status).toBe(403);
      const invited = await makeWalk(server(), [['invitation/stages'], ['dummy']]);
      expect((await openBrowser(server()).show(invited.slug, `itoken=${token}`)).body.component).toBe(refused);
      const browser = openBrowser(server());
      browser.cookies.set('__Host-gatehouse_flow_plan', token);
      expect((await browser.show(walk.slug)).body.component).toBe('xak-stage-identification');
    });

    test('are stored as hashes, and appear neither in events nor in redirects', async () => {
      const user = await person();
      const { walk, query } = await linkFor(user.pk);
      const token = query.split('=')[1] as string;
      const browser = openBrowser(server());
      await browser.answer(walk.slug, yes, query);
      await browser.answer(walk.slug, newPassword, query);
      expect(JSON.stringify(await contentsOf(server().world.db))).not.toContain(token);
    });

    test('of superusers can only be created by superusers', async () => {
      const walk = await makeRecovery(server());
      await recoverBy(server(), walk.pk);
      const helper = await server().user([
        'svc_core.view_user',
        'svc_core.reset_user_password',
        'svc_stages_email.view_emailstage',
      ]);
      const admin = (await server().admin.get('/core/users/me/')).body.user.pk;
      expect((await helper.api.post(`/core/users/${admin}/recovery/`)).status).toBe(403);
      const byMail = `/core/users/${admin}/recovery_email/?email_stage=${walk.stages[1]}`;
      expect((await helper.api.post(byMail)).status).toBe(403);
    });
  },
  { env },
);
