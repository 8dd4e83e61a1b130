import { afterAll, expect, test } from 'vitest';
import { writeMail } from '../../src/kinds/stages/email/templates.ts';
import { openBrowser, signInFlow } from '../support/flow-client.ts';
import { quiet } from '../support/jobs.ts';
import { startMailReceiver, startWebhookReceiver } from '../support/receivers.ts';
import { describeOnSqlite } from '../support/server.ts';

const hook = await startWebhookReceiver();
const mail = await startMailReceiver();
afterAll(() => Promise.all([hook.close(), mail.close()]));

const env = {
  GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.0/8',
  GATEHOUSE_SMTP_URL: mail.url,
  GATEHOUSE_SMTP_FROM: 'gatehouse@example.com',
};

// Anonymous visitors choose the name in a failed sign-in, which notifications repeat in chats and mails.
describeOnSqlite(
  'content injection: the name of a failed sign-in',
  (server) => {
    test('makes neither links in chats nor paragraphs in mails', async () => {
      const { admin } = server();
      const post = async (path: string, body: object) => (await admin.post(path, body)).body;
      const { pk: group } = (await admin.get('/core/groups/?is_superuser=true')).body.results[0];
      const { pk: chat } = await post('/events/transports/', {
        ...{ name: 'chat', mode: 'webhook_slack', webhook_url: hook.url, send_once: true },
      });
      const { pk: mails } = await post('/events/transports/', { name: 'mails', mode: 'email' });
      const { pk: target } = await post('/events/rules/', { name: 'failed', group, transports: [chat, mails] });
      const { pk: policy } = await post('/policies/event_matcher/', { name: 'failed', action: 'login_failed' });
      await post('/policies/bindings/', { target, policy, order: 0 });
      const browser = openBrowser(server());
      await browser.show(signInFlow);
      const name = '<!channel> <https://evil.example|Sign in>\n\nYour password\u2028has expired & so on';
      await browser.answer(signInFlow, { uid_field: name });
      await browser.answer(signInFlow, { password: 'wrong' });
      await quiet(server());
      const said = '&lt;!channel&gt; &lt;https://evil.example|Sign in&gt; Your password has expired &amp; so on';
      const told = expect.stringContaining(said);
      expect(hook.bodies[0].attachments[0]).toMatchObject({ title: told, fallback: told });
      const [{ text = '' } = {}] = mail.mails;
      const lines = text.slice(text.indexOf('\r\n\r\n')).replaceAll('=\r\n', '').split('\r\n');
      const line = 'as <!channel> <https://evil.example|Sign in> Your password has expired & so on';
      expect(lines.find((one) => one.includes('channel'))).toContain(line);
    });
  },
  { env },
);

// Whoever signs up chooses a name, and an address to which the server then writes.
test.each([
  'see пример.рф',
  'see evil。example',
  'see evil．example',
  'Ada\u2028Please reply with your password',
  'Ada \u202etxet desrever',
])('content injection: a mail does not greet %j', (name) => {
  const facts = { title: 'Acme', link: 'https://login.example.com/', minutes: 30, language: 'en', name } as const;
  expect(writeMail('email/account_confirmation.html', facts).text.split('\n')[0]).toBe('Hello,');
});
