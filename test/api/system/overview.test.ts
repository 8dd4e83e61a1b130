import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addMilliseconds } from '../../../src/platform/clock.ts';
import { createLog } from '../../../src/platform/log.ts';
import { unique } from '../../support/make-walk.ts';
import { type MailReceiver, startMailReceiver } from '../../support/receivers.ts';
import { describeOnBoth, describeOnSqlite, startServer, type TestServer } from '../../support/server.ts';

interface Item {
  readonly name: string;
  readonly is_done: boolean;
  readonly is_dismissed: boolean;
}
const open = (items: Item[]) => items.filter(({ is_done }) => !is_done).map(({ name }) => name);

describeOnBoth('the overview of the server', (server) => {
  test('counts events by hour and the applications used most', async () => {
    const { admin } = server();
    const application = { pk: 'ab', name: unique('Wiki') };
    for (const action of ['login_failed', 'authorize_application', 'authorize_application']) {
      await admin.post('/events/events/', { action, app: 'test', context: { authorized_application: application } });
    }
    const { status, body } = await admin.get('/admin/overview/');
    expect(status).toBe(200);
    const { body: users } = await admin.get('/core/users/?page_size=1');
    const { body: applications } = await admin.get('/core/applications/?page_size=1');
    expect(body.counts).toEqual({ users: users.pagination.count, applications: applications.pagination.count });
    expect(body.week.logins).toHaveLength(168);
    // Between two requests an hour may end.
    expect(body.week.authorizations.slice(-2).reduce((sum: number, one: number) => sum + one)).toBe(2);
    expect(body.week.logins_failed.slice(-2).reduce((sum: number, one: number) => sum + one)).toBe(1);
    expect(body.top_applications).toEqual([{ name: application.name, slug: '', icon: '', events: 2, users: 1 }]);
    expect(body.health.database).toBe(server().kind === 'sqlite' ? 'SQLite' : 'PostgreSQL');
  });

  test('lists failed jobs until they succeed, and certificates that end soon', async () => {
    const { admin, world } = server();
    const [failed, cured] = [unique('failing'), unique('cured')];
    const add = (kind: string, state: string, at: string) => sql`insert into jobs (pk, kind, payload, state, run_at,
      attempt, created, finished, message) values (${crypto.randomUUID()}, ${kind}, '{}',
      ${state}, ${at}, 1, ${at}, ${at}, 'no answer')`;
    const now = world.clock.now();
    await world.db.write(async (tx) => {
      await add(failed, 'failed', now).execute(tx);
      await add(cured, 'failed', addMilliseconds(now, -60_000)).execute(tx);
      await add(cured, 'done', addMilliseconds(now, -30_000)).execute(tx);
    });
    await admin.post('/crypto/certificatekeypairs/generate/', { common_name: 'short', validity_days: 3 });
    const { body } = await admin.get('/admin/overview/');
    expect(body.failing_jobs.map(({ name }: { name: string }) => name)).toEqual([failed]);
    expect(body.ending_certificates.map(({ name }: { name: string }) => name)).toEqual(['short']);
  });

  test('keeps a checklist for superusers, of which they can dismiss items', async () => {
    const { admin } = server();
    const before: Item[] = (await admin.get('/admin/overview/')).body.checklist;
    expect(open(before)).toEqual([
      ...['second_factor', 'public_address', 'mail'],
      ...['application', 'second_administrator', 'backup'],
    ]);
    await admin.post('/core/applications/', { name: 'Wiki', slug: unique('wiki') });
    const { body: group } = await admin.get('/core/groups/?is_superuser=true');
    await admin.post('/core/users/', { username: unique('second'), name: '', groups: [group.results[0].pk] });
    const { status } = await admin.put('/admin/overview/checklist/', { dismissed: ['mail', 'mail'] });
    expect(status).toBe(200);
    const after: Item[] = (await admin.get('/admin/overview/')).body.checklist;
    expect(open(after)).toEqual(['second_factor', 'public_address', 'mail', 'backup']);
    expect(after.filter(({ is_dismissed }) => is_dismissed).map(({ name }) => name)).toEqual(['mail']);
    expect((await admin.put('/admin/overview/checklist/', { dismissed: ['other'] })).status).toBe(400);
    await admin.put('/admin/overview/checklist/', { dismissed: [] });
  });

  test('shows a delegate only what they may see', async () => {
    const { api } = await server().user(['svc_core.view_group']);
    expect((await api.get('/admin/overview/')).body).toMatchObject({
      counts: { users: null, applications: null },
      ...{ health: null, week: null, top_applications: [], failing_jobs: [], ending_certificates: [], checklist: [] },
    });
    expect((await api.put('/admin/overview/checklist/', { dismissed: [] })).status).toBe(403);
    expect((await server().nobody.get('/admin/overview/')).status).toBe(403);
  });
});

describeOnSqlite('the test mail', (server) => {
  test('says so when no mail server is configured, and is for superusers only', async () => {
    const { status, body } = await server().admin.post('/admin/mail/test/');
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain('GATEHOUSE_SMTP_URL');
    const { api } = await server().user(['svc_rbac.view_system_info']);
    expect((await api.post('/admin/mail/test/')).status).toBe(403);
  });

  let mails: MailReceiver;
  let mailing: TestServer;
  const lines: string[] = [];
  const log = createLog({ level: 'warn', stream: { write: (line) => void lines.push(line) } });
  beforeAll(async () => {
    mails = await startMailReceiver();
    mailing = await startServer('sqlite', {
      env: { GATEHOUSE_SMTP_URL: mails.url, GATEHOUSE_SMTP_FROM: 'gatehouse@example.com' },
      log,
    });
  });
  afterAll(async () => {
    await mailing.close();
    await mails.close();
  });

  test('goes to the address of the caller, and tells why it cannot be sent', async () => {
    const { admin } = mailing;
    expect((await admin.post('/admin/mail/test/')).body).toEqual({ to: 'root@example.com' });
    expect(mails.mails.map(({ to }) => to)).toEqual([['root@example.com']]);
    expect(open((await admin.get('/admin/overview/')).body.checklist)).not.toContain('mail');
    mails.refuses = 451;
    const refused = await admin.post('/admin/mail/test/');
    const why = 'The mail could not be sent. The mail server refused the message (451).';
    expect([refused.status, refused.body]).toEqual([400, { non_field_errors: [why] }]);
    expect(lines.join('')).toContain('451 not now');
  });

  test('by a transport tells why it cannot be sent, too, and the log what the mail server said', async () => {
    const { admin } = mailing;
    mails.refuses = 451;
    lines.length = 0;
    const { body } = await admin.post('/events/transports/', { name: 'mail', mode: 'email' });
    const refused = await admin.post(`/events/transports/${body.pk}/test/`);
    expect(refused.body).toEqual({ non_field_errors: ['The mail server refused the message (451).'] });
    expect(lines.join('')).toContain('451 not now');
  });
});
