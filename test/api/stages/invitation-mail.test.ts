import { afterAll, beforeEach, expect, test } from 'vitest';
import { eventsDuring } from '../../support/events.ts';
import { openBrowser } from '../../support/flow-client.ts';
import { grantOn } from '../../support/grants.ts';
import { jobsOf, quiet } from '../../support/jobs.ts';
import { unique } from '../../support/make-walk.ts';
import { startMailReceiver } from '../../support/receivers.ts';
import { readMails } from '../../support/recovery.ts';
import { describeOnSqlite } from '../../support/server.ts';

const mail = await startMailReceiver();
afterAll(() => mail.close());
beforeEach(() => {
  mail.mails.length = 0;
});

const path = '/stages/invitation/invitations/';
const add = 'svc_stages_invitation.add_invitation';
const change = 'svc_stages_invitation.change_invitation';
const view = 'svc_stages_invitation.view_invitation';
const flow = 'default-enrollment-flow';
const publicUrl = 'http://login.example.com';
const env = {
  GATEHOUSE_PUBLIC_URL: publicUrl,
  GATEHOUSE_SMTP_URL: mail.url,
  GATEHOUSE_SMTP_FROM: 'gatehouse@example.com',
};

describeOnSqlite(
  'an invitation by mail',
  (server) => {
    const invite = async (fixed_data: object = {}) =>
      (await server().admin.post(path, { name: unique('i'), single_use: true, fixed_data })).body;
    const tokenIn = (text: string) => /itoken=([A-Za-z0-9]{43})/.exec(text)?.[1] ?? '';
    const opens = async (token: string) =>
      (await openBrowser(server()).show(flow, `itoken=${token}`)).body.component !== 'xak-stage-access-denied';

    test('brings a new link to the address in its data, and leaves an event', async () => {
      const email = `${unique('dana')}@example.org`;
      const made = await invite({ name: 'Dana', email });
      const events = await eventsDuring(server(), async () => {
        expect((await server().admin.post(`${path}${made.pk}/send_email/`)).status).toBe(204);
        await quiet(server());
      });
      expect(events).toMatchObject([
        {
          action: 'email_sent',
          username: 'admin',
          context: { message: `The invitation ${made.name} is on its way to ${email}.`, to_email: email },
        },
      ]);
      expect(mail.mails.map(({ to }) => to)).toEqual([[email]]);
      const [text = ''] = readMails(mail);
      expect(text).toContain('Subject: Your invitation to Gatehouse');
      expect(text).toContain('Hello Dana,');
      expect(text).toContain(`${publicUrl}/if/flow/${flow}/?itoken=`);
      const token = tokenIn(text);
      expect(await opens(made.token)).toBe(false);
      expect(await opens(token)).toBe(true);
      expect(JSON.stringify([events, await jobsOf(server(), 'mail_invitation')])).not.toContain(token);
    });

    test('is in the language of the invited person, else of the brand', async () => {
      const { brand_uuid } = (await server().admin.get('/core/brands/?default=true')).body.results[0];
      await server().admin.patch(`/core/brands/${brand_uuid}/`, { attributes: { settings: { locale: 'fr' } } });
      const french = await invite();
      const german = await invite({ attributes: { settings: { locale: 'de' } } });
      for (const { pk } of [french, german]) {
        const email = `${unique('x')}@example.org`;
        expect((await server().admin.post(`${path}${pk}/send_email/`, { email })).status).toBe(204);
        await quiet(server());
      }
      await server().admin.patch(`/core/brands/${brand_uuid}/`, { attributes: {} });
      expect(readMails(mail).map((text) => /<html lang="(\w+)"/.exec(text)?.[1])).toEqual(['fr', 'de']);
    });

    test('takes the rights to change it and to create others', async () => {
      const { pk } = await invite();
      const send = { email: `${unique('x')}@example.org` };
      const reader = await server().user([view, add]);
      expect((await reader.api.post(`${path}${pk}/send_email/`, send)).status).toBe(403);
      const editor = await server().user([view, change]);
      expect((await editor.api.post(`${path}${pk}/send_email/`, send)).status).toBe(403);
      const stranger = await server().user([add, change]);
      expect((await stranger.api.post(`${path}${pk}/send_email/`, send)).status).toBe(403);
      const both = await server().user([add]);
      await grantOn(server(), both.pk, view, pk);
      await grantOn(server(), both.pk, change, pk);
      expect((await both.api.post(`${path}${pk}/send_email/`, send)).status).toBe(204);
      await quiet(server());
      expect(mail.mails).toHaveLength(1);
    });

    test('goes to one valid address, and not again and again', async () => {
      const { pk } = await invite();
      const send = (email?: unknown) => server().admin.post(`${path}${pk}/send_email/`, { email });
      for (const email of [undefined, null]) {
        const { status, body } = await send(email);
        expect([status, Object.keys(body)]).toEqual([400, ['email']]);
      }
      for (const email of [
        'a@example.org, b@example.org',
        'a@example.org\r\nBcc: b@example.org',
        'nobody',
        ['a@b.org'],
      ])
        expect([email, (await send(email)).status]).toEqual([email, 400]);
      const email = `${unique('x')}@example.org`;
      const answers = [];
      for (let count = 0; count < 4; count++) answers.push((await send(email)).status);
      expect(answers).toEqual([204, 204, 204, 429]);
      expect((await send(`${unique('y')}@example.org`)).status).toBe(204);
      await quiet(server());
      expect(mail.mails).toHaveLength(4);
    });

    test('is refused when it has expired', async () => {
      const { pk } = await invite();
      await server().admin.patch(`${path}${pk}/`, { expires: '2020-01-01T00:00:00Z' });
      const { status, body } = await server().admin.post(`${path}${pk}/send_email/`, { email: 'x@example.org' });
      expect([status, body]).toEqual([400, { non_field_errors: ['The invitation has expired.'] }]);
    });
  },
  { env },
);

describeOnSqlite('an invitation on a server without mail', (server) => {
  test('is not sent, and the answer says why', async () => {
    const { pk } = (await server().admin.post(path, { name: unique('i') })).body;
    const { status, body } = await server().admin.post(`${path}${pk}/send_email/`, { email: 'x@example.org' });
    expect([status, body]).toEqual([400, { non_field_errors: ['This server cannot send mails.'] }]);
  });
});
