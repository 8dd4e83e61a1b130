import { afterAll, beforeEach, expect, test } from 'vitest';
import { openBrowser } from '../support/flow-client.ts';
import { quiet } from '../support/jobs.ts';
import { unique } from '../support/make-walk.ts';
import { startMailReceiver } from '../support/receivers.ts';
import { makeRecovery } from '../support/recovery.ts';
import { describeOnBoth } from '../support/server.ts';

const mail = await startMailReceiver();
afterAll(() => mail.close());
beforeEach(() => void mail.mails.splice(0));
const env = {
  GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.0/8',
  GATEHOUSE_SMTP_URL: mail.url,
  GATEHOUSE_SMTP_FROM: 'gatehouse@example.com',
};

describeOnBoth(
  'user enumeration: recovery mails by user name and by address',
  (server) => {
    test('does not learn whether they are those of one user, and sends them no more mails', async () => {
      const { slug } = await makeRecovery(server());
      /** How many mails can be asked for by this name, one after the other. */
      const taken = async (name: string): Promise<number> => {
        const browser = openBrowser(server());
        await browser.show(slug);
        await browser.answer(slug, { uid_field: name });
        for (let count = 1; ; count += 1) {
          const { body } = await browser.answer(slug, { component: 'xak-stage-email' });
          if (body.response_errors) return count;
        }
      };
      const email = `${unique('me')}@example.org`;
      const { username } = await server().user([], { email });
      const strangers = [await taken(unique('nobody')), await taken(`${unique('nobody')}@example.org`)];
      expect([await taken(username), await taken(email)]).toEqual(strangers);
      await quiet(server());
      expect(mail.mails.map(({ to }) => to)).toEqual(Array.from({ length: strangers[0] ?? 0 }, () => [email]));
    });
  },
  { env },
);
