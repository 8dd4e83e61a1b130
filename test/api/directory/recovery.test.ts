import { sql } from 'kysely';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { eventsDuring } from '../../support/events.ts';
import { openBrowser } from '../../support/flow-client.ts';
import { grantOn } from '../../support/grants.ts';

import { quiet } from '../../support/jobs.ts';
import { bindExpression, makeWalk, unique } from '../../support/make-walk.ts';
import { startMailReceiver } from '../../support/receivers.ts';
import { linkIn, makeRecovery, newPassword, recoverBy } from '../../support/recovery.ts';
import { describeOnBoth } from '../../support/server.ts';

const mail = await startMailReceiver();
afterAll(() => mail.close());
beforeEach(() => {
  mail.mails.length = 0;
});

const rights = ['svc_core.view_user', 'svc_core.reset_user_password'];
const yes = { component: 'xak-stage-email' };
const publicUrl = 'http://login.example.com';
const env = {
  GATEHOUSE_PUBLIC_URL: publicUrl,
  GATEHOUSE_SMTP_URL: mail.url,
  GATEHOUSE_SMTP_FROM: 'gatehouse@example.com',
};

describeOnBoth(
  'recovery links',
  (server) => {
    const link = (pk: number) => `/core/users/${pk}/recovery/`;
    const byMail = (pk: number, stage: string) => `/core/users/${pk}/recovery_email/?email_stage=${stage}`;

    test('are created by callers who may set passwords, and let the user choose a password', async () => {
      const walk = await makeRecovery(server());
      await recoverBy(server(), walk.pk);
      const helper = await server().user(rights);
      const user = await server().user();
      let made = '';
      const events = await eventsDuring(server(), async () => {
        const { status, body } = await helper.api.post(link(user.pk));
        expect([status, Object.keys(body)]).toEqual([200, ['link']]);
        made = body.link;
      });
      expect(events).toMatchObject([
        {
          action: 'secret_view',
          username: helper.username,
          context: { secret: { pk: user.pk }, type: 'recovery_link' },
        },
      ]);
      const url = new URL(made);
      expect([url.origin, url.pathname]).toEqual([publicUrl, `/if/flow/${walk.slug}/`]);
      expect(JSON.stringify(events)).not.toContain(url.searchParams.get('flow_token'));
      const browser = openBrowser(server());
      const query = url.search.slice(1);
      expect((await browser.show(walk.slug, query)).body.link_opened).toBe(true);
      expect((await browser.answer(walk.slug, yes, query)).body.component).toBe('xak-stage-prompt');
      expect((await browser.answer(walk.slug, newPassword, query)).body.component).toBe('xak-flow-redirect');
      expect((await browser.get('/core/users/me/')).body.user.pk).toBe(user.pk);
      expect((await openBrowser(server()).show(walk.slug, query)).body.component).toBe('xak-stage-access-denied');
    });

    test('are sent by an e-mail stage', async () => {
      const walk = await makeRecovery(server(), { subject: 'Your way back' });
      await recoverBy(server(), walk.pk);
      const stage = walk.stages[1] as string;
      const helper = await server().user([...rights, 'svc_stages_email.view_emailstage']);
      const user = await server().user([], { email: `${unique('me')}@example.org` });
      const events = await eventsDuring(server(), async () => {
        expect((await helper.api.post(byMail(user.pk, stage))).status).toBe(204);
        await quiet(server());
      });
      expect(events.map(({ action, username }) => [action, username])).toEqual([['email_sent', helper.username]]);
      expect(mail.mails).toHaveLength(1);
      const query = linkIn(mail).search.slice(1);
      const browser = openBrowser(server());
      expect((await browser.answer(walk.slug, yes, query)).body.component).toBe('xak-stage-prompt');
    });

    test('require permission, on all users or on one', async () => {
      const walk = await makeRecovery(server());
      await recoverBy(server(), walk.pk);
      const user = await server().user([], { email: `${unique('me')}@example.org` });
      const stranger = await server().user(['svc_core.view_user', 'svc_stages_email.view_emailstage']);
      const stage = walk.stages[1] as string;
      for (const path of [link(user.pk), byMail(user.pk, stage)]) {
        expect((await stranger.api.post(path)).status).toBe(403);
        expect((await server().nobody.post(path)).status).toBe(403);
      }
      await grantOn(server(), stranger.pk, 'svc_core.reset_user_password', user.pk);
      expect((await stranger.api.post(link(user.pk))).status).toBe(200);
      expect((await stranger.api.post(link(2_000_000))).status).toBe(404);
    });

    test('are refused with the reason when flow, stage or address is missing or the user inactive', async () => {
      const { admin } = server();
      const user = await server().user([], { email: `${unique('me')}@example.org` });
      const complaint = async (path: string) => {
        const { status, body } = await admin.post(path);
        expect(status).toBe(400);
        return body;
      };
      await recoverBy(server(), null);
      expect(await complaint(link(user.pk))).toEqual({
        non_field_errors: ['No recovery flow set.'],
        code: 'no_recovery_flow',
      });
      const closed = await makeWalk(server(), [['dummy']], { designation: 'recovery' });
      await bindExpression(server(), closed.pk, 'return false;');
      await recoverBy(server(), closed.pk);
      expect(await complaint(link(user.pk))).toEqual({ non_field_errors: ['Recovery flow not applicable to user'] });
      const walk = await makeRecovery(server(), {}, { authentication: 'require_unauthenticated' });
      await recoverBy(server(), walk.pk);
      expect((await admin.post(link(user.pk))).status).toBe(200);
      const inactive = await server().user([], { is_active: false, email: `${unique('me')}@example.org` });
      expect(await complaint(link(inactive.pk))).toEqual({
        non_field_errors: ['A user who is not active cannot recover.'],
      });
      const internal = await server().user();
      await server().world.db.write((tx) =>
        sql`update users set type = 'internal_service_account' where pk = ${internal.pk}`.execute(tx),
      );
      expect((await admin.post(link(internal.pk))).body.detail).toBe('Internal service accounts cannot recover.');
      const stage = walk.stages[1] as string;
      const silent = await server().user();
      expect(await complaint(byMail(silent.pk, stage))).toEqual({
        non_field_errors: ['User does not have an email address set.'],
      });
      const path = `/core/users/${user.pk}/recovery_email/`;
      expect(await complaint(path)).toEqual({ email_stage: ['This field is required.'] });
      for (const wrong of ['x', crypto.randomUUID(), walk.stages[0]])
        expect(await complaint(`${path}?email_stage=${wrong}`)).toEqual({
          email_stage: ['There is no such e-mail stage.'],
        });
      const helper = await server().user(rights);
      const unseen = await helper.api.post(byMail(user.pk, stage));
      expect([unseen.status, unseen.body]).toEqual([400, { email_stage: ['There is no such e-mail stage.'] }]);
    });

    test('are not created by a dry run', async () => {
      const walk = await makeRecovery(server());
      await recoverBy(server(), walk.pk);
      const user = await server().user([], { email: `${unique('me')}@example.org` });
      const { body } = await server().admin.post(`${link(user.pk)}?dry_run=true`);
      const query = new URL(body.link).search.slice(1);
      expect((await openBrowser(server()).show(walk.slug, query)).body.component).toBe('xak-stage-access-denied');
      await server().admin.post(`${byMail(user.pk, walk.stages[1] as string)}&dry_run=true`);
      await quiet(server());
      expect(mail.mails).toEqual([]);
    });
  },
  { env },
);
