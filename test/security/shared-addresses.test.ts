import { afterAll, beforeEach, expect, test } from 'vitest';
import { openBrowser, signInByPassword } from '../support/flow-client.ts';
import { quiet } from '../support/jobs.ts';
import { unique } from '../support/make-walk.ts';
import { startMailReceiver } from '../support/receivers.ts';
import { makeRecovery, newPassword, readMails } from '../support/recovery.ts';
import { password, userIn } from '../support/second-factor.ts';
import { describeOnSqlite } from '../support/server.ts';

const mail = await startMailReceiver();
afterAll(() => mail.close());
beforeEach(() => {
  mail.mails.length = 0;
});
const env = { GATEHOUSE_SMTP_URL: mail.url, GATEHOUSE_SMTP_FROM: 'gatehouse@example.com' };

describeOnSqlite(
  'an address that users share',
  (server) => {
    const create = (values: object) => server().admin.post('/core/users/', { name: 'x', ...values });

    test('is refused by default, and allowed by a setting of superusers', async () => {
      const email = `${unique('family')}@example.com`;
      expect((await create({ username: unique('a'), email })).status).toBe(201);
      expect((await create({ username: unique('b'), email })).body).toEqual({
        email: ['User with this email already exists.'],
      });
      const delegate = await server().user(['svc_rbac.edit_system_settings']);
      expect((await delegate.api.patch('/admin/settings/', { shared_emails: true })).status).toBe(403);
    });

    test('signs no user in, and recovery by it sends one mail with a link for each account', async () => {
      await server().admin.patch('/admin/settings/', { shared_emails: true });
      const email = `${unique('family')}@example.com`;
      const people: { pk: number; username: string }[] = [];
      for (const name of ['mum', 'dad', 'kid']) {
        const { body } = await create({ username: unique(name), email: name === 'dad' ? email.toUpperCase() : email });
        await server().admin.post(`/core/users/${body.pk}/set_password/`, { password });
        people.push(body);
      }
      const byAddress = openBrowser(server());
      await signInByPassword(byAddress, email, password);
      expect(await userIn(byAddress)).toBeNull();
      const byName = openBrowser(server());
      await signInByPassword(byName, people[1]?.username ?? '', password);
      expect(await userIn(byName)).toBe(people[1]?.pk);

      const { slug } = await makeRecovery(server());
      const browser = openBrowser(server());
      await browser.show(slug);
      await browser.answer(slug, { uid_field: email });
      await quiet(server());
      const [text = '', ...more] = readMails(mail);
      expect(more).toEqual([]);
      for (const { pk, username } of people) {
        const token = new RegExp(`\\(${username}\\): \\S*flow_token=(\\w+)`).exec(text)?.[1];
        const other = openBrowser(server());
        await other.answer(slug, { component: 'xak-stage-email' }, `flow_token=${token}`);
        if (username !== people[2]?.username) continue;
        await other.answer(slug, newPassword);
        expect(await userIn(other)).toBe(pk);
      }
      await server().admin.patch('/admin/settings/', { shared_emails: false });
      const kept = await server().admin.patch(`/core/users/${people[0]?.pk}/`, { email, name: 'Mum' });
      expect(kept.status).toBe(200);
    });
  },
  { env },
);
