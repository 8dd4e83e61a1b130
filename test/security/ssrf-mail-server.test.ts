import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { openBrowser } from '../support/flow-client.ts';
import { jobsOf, quiet } from '../support/jobs.ts';
import { unique } from '../support/make-walk.ts';
import { startMailReceiver } from '../support/receivers.ts';
import { makeRecovery } from '../support/recovery.ts';
import { describeOnSqlite } from '../support/server.ts';

const mail = await startMailReceiver();
afterAll(() => mail.close());
const port = Number(new URL(mail.url).port);

describeOnSqlite('SSRF: the mail server of a stage cannot be in the server’s network', (server) => {
  test.each(['127.0.0.1', 'localhost', '::ffff:127.0.0.1', '169.254.169.254', '10.0.0.1'])(
    '%s is not called',
    async (host) => {
      const walk = await makeRecovery(server(), { use_global_settings: false, host, port, timeout: 1 });
      const user = await server().user([], { email: `${unique('me')}@example.org` });
      const browser = openBrowser(server());
      await browser.show(walk.slug);
      const { body } = await browser.answer(walk.slug, { uid_field: user.username });
      expect([body.component, body.link_opened]).toEqual(['xak-stage-email', false]);
      await quiet(server());
      const [job] = (await jobsOf(server(), 'mail_link')).slice(-1);
      expect(job).toMatchObject({ state: 'failed', attempt: 1, message: expect.stringContaining('may not reach') });
      expect(mail.mails).toEqual([]);
      const { results } = (await server().admin.get('/events/events/?action=system_task_exception&ordering=-created'))
        .body;
      expect(results[0].context).toMatchObject({ task: 'mail_link', message: expect.stringContaining(host) });
      const { rows } = await sql`select pk from flow_links where "user" = ${user.pk}`.execute(server().world.db.read);
      expect(rows).toEqual([]);
    },
  );
});
