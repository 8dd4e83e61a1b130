import { sql } from 'kysely';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { jobsOf, quiet, runJob, until } from '../../support/jobs.ts';
import { startMailReceiver, startWebhookReceiver } from '../../support/receivers.ts';
import { describeOnBoth, type TestServer } from '../../support/server.ts';

const hook = await startWebhookReceiver();
const mail = await startMailReceiver();
afterAll(() => Promise.all([hook.close(), mail.close()]));
beforeEach(() => {
  hook.bodies.length = 0;
  hook.status = 200;
  mail.mails.length = 0;
  mail.refuses = null;
});

let count = 0;

/** A rule for events of an action of its own, a group with members, and the transports given. */
async function makeRule(
  server: TestServer,
  transports: Record<string, unknown>[],
  values: Record<string, unknown> = {},
) {
  count += 1;
  const name = `delivery-${count}`;
  const action = `custom_${name}`;
  const { admin } = server;
  const ada = await server.user([], { username: `ada-${name}`, email: `ada-${name}@example.com` });
  const bob = await server.user([], { username: `bob-${name}`, email: '' });
  const group = await admin.post('/core/groups/', { name, users: [ada.pk, bob.pk] });
  const made = [];
  for (const [index, transport] of transports.entries()) {
    const { body, status } = await admin.post('/events/transports/', { name: `${name}-${index}`, ...transport });
    expect(status).toBe(201);
    made.push(body.pk);
  }
  const rule = await admin.post('/events/rules/', {
    name,
    group: group.body.pk,
    severity: 'warning',
    transports: made,
    ...values,
  });
  expect(rule.status).toBe(201);
  const policy = await admin.post('/policies/expression/', {
    name,
    expression: `return request.context.event.action === ${JSON.stringify(action)};`,
  });
  const binding = await admin.post('/policies/bindings/', { target: rule.body.pk, policy: policy.body.pk, order: 0 });
  expect(binding.status).toBe(201);
  const fire = async (context: unknown = { message: `it is ${name}` }) => {
    const { status, body } = await admin.post('/events/events/', {
      action,
      app: 'test',
      context,
      client_ip: '192.0.2.1',
    });
    expect(status).toBe(201);
    return body;
  };
  return { name, ada, bob, group: group.body, transports: made, fire, policy: policy.body, binding: binding.body };
}

const bodiesOf = async (user: { api: TestServer['admin'] }) =>
  (await user.api.get('/events/notifications/')).body.results.map(({ body }: { body: string }) => body);

const failures = async (server: TestServer) =>
  (await server.admin.get('/events/events/?action=system_task_exception')).body.results;

const env = {
  GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.0/8',
  GATEHOUSE_SMTP_URL: mail.url,
  GATEHOUSE_SMTP_FROM: 'gatehouse@example.com',
};

describeOnBoth(
  'notifications',
  (server, kind) => {
    // Whatever a slow machine has left to be tried again would count in the next test.
    afterEach(async () => {
      await quiet(server());
      await server().world.db.write((tx) => sql`delete from jobs where kind = 'deliver_notification'`.execute(tx));
    });

    test('notifications are shown to direct members of the group only', async () => {
      const { ada, bob, group, fire, name } = await makeRule(server(), []);
      const child = await server().user();
      await server().admin.post('/core/groups/', { name: `${name}-child`, parent: group.pk, users: [child.pk] });
      const event = await fire();
      await quiet(server());
      for (const user of [ada, bob]) {
        const { body } = await user.api.get('/events/notifications/');
        expect(body.results).toMatchObject([
          { severity: 'warning', body: `it is ${name}`, seen: false, event: { pk: event.pk } },
        ]);
      }
      expect(await bodiesOf(child)).toEqual([]);
      expect(await jobsOf(server(), 'match_events')).toEqual([]);
    });

    test('are not for users who are no longer active, also where they would be the one for all', async () => {
      const once = { mode: 'email', send_once: true };
      const { ada, bob, fire, name } = await makeRule(server(), [{ mode: 'email' }, once, { mode: 'local' }]);
      const address = `bob-${name}@example.com`;
      expect((await server().admin.patch(`/core/users/${bob.pk}/`, { email: address })).status).toBe(200);
      expect((await server().admin.patch(`/core/users/${ada.pk}/`, { is_active: false })).status).toBe(200);
      await fire();
      await quiet(server());
      const sent = mail.mails.filter(({ to }) => to.some((one) => one.includes(name)));
      expect(sent.map(({ to }) => to)).toEqual([[address], [address]]);
      expect(await bodiesOf(bob)).toHaveLength(1);
      // Nor is a message that waited since they were.
      const { rows } = await sql<{ pk: string }>`select pk from events order by created desc limit 1`.execute(
        server().world.db.read,
      );
      const late = { pk: crypto.randomUUID(), event: rows[0]?.pk, severity: 'notice', user: ada.pk, transport: null };
      expect((await runJob(server(), 'deliver_notification', late)).message).toBe('The user is gone or not active.');
    });

    test('for all reach the first member with an address, and report a member without one', async () => {
      const once = { mode: 'email', send_once: true };
      const { ada, bob, fire, name } = await makeRule(server(), [once, { mode: 'email' }]);
      // The first member has no address.
      await server().admin.patch(`/core/users/${ada.pk}/`, { email: '' });
      await server().admin.patch(`/core/users/${bob.pk}/`, { email: `bob-${name}@example.com` });
      await fire();
      await quiet(server());
      const sent = mail.mails.filter(({ to }) => to.some((one) => one.includes(name)));
      expect(sent.map(({ to }) => to)).toEqual([[`bob-${name}@example.com`], [`bob-${name}@example.com`]]);
      const { body } = await server().admin.get('/events/system_tasks/?status=warning&name=deliver_notification');
      expect(
        body.results
          .map(({ messages, description }: Record<string, unknown>) => JSON.stringify([messages, description]))
          .join(),
      ).toContain('no e-mail address');
    });

    test('reach every member of a large group', async () => {
      const { fire, name } = await makeRule(server(), []);
      const { admin, world } = server();
      const { body: found } = await admin.get(`/core/groups/?name=${name}`);
      const groups = [found.results[0].pk];
      const numbers = Array.from({ length: 250 }, (_, number) => number);
      await Promise.all(numbers.map((n) => admin.post('/core/users/', { username: `${name}-${n}`, name, groups })));
      const event = await fire();
      await quiet(server());
      const { rows } = await sql<{ user: number }>`select "user" from notifications where event = ${event.pk}`.execute(
        world.db.read,
      );
      expect(rows).toHaveLength(252);
      expect(new Set(rows.map(({ user }) => user)).size).toBe(252);
    });

    test('are not sent by rules without bindings or group, for disabled bindings, or for dry runs', async () => {
      const { ada, fire, binding } = await makeRule(server(), []);
      await server().admin.patch(`/policies/bindings/${binding.pk}/`, { enabled: false });
      await fire();
      await quiet(server());
      await server().admin.patch(`/policies/bindings/${binding.pk}/`, { enabled: true });
      const other = await makeRule(server(), [], { group: null });
      await other.fire();
      const { body } = await server().admin.get('/events/events/?page_size=1');
      const { user, app, context, client_ip } = body.results[0];
      await server().admin.post('/events/events/?dry_run=true', {
        action: `custom_${ada.username.slice(4)}`,
        user,
        app,
        context,
        client_ip,
      });
      await quiet(server());
      expect(await bodiesOf(ada)).toEqual([]);
      expect(await bodiesOf(other.ada)).toEqual([]);
    });

    test('are sent for every event that the server records', async () => {
      const { ada, policy } = await makeRule(server(), []);
      await server().admin.patch(`/policies/expression/${policy.pk}/`, {
        expression: `const { event } = request.context;
          return event.action === 'model_created' && event.context.model.name === 'watched' && user.username === event.user.username;`,
      });
      await server().admin.post('/core/groups/', { name: 'unwatched' });
      await server().admin.post('/core/groups/', { name: 'watched' });
      await quiet(server());
      expect(await bodiesOf(ada)).toHaveLength(1);
    });

    test('webhooks post our JSON, that of a mapping, and that of chats', async () => {
      const mapping = await server().admin.post('/propertymappings/notification/', {
        name: `mapping-${server().kind}`,
        expression: 'return { text: notification.body, who: user.username, what: notification.event.action };',
      });
      const { fire, name, ada } = await makeRule(server(), [
        { mode: 'webhook', webhook_url: hook.url, send_once: true },
        { mode: 'webhook', webhook_url: hook.url, send_once: true, webhook_mapping: mapping.body.pk },
        { mode: 'webhook_slack', webhook_url: hook.url },
      ]);
      await fire();
      await quiet(server());
      expect(hook.bodies).toHaveLength(4);
      expect(hook.bodies).toContainEqual({
        body: `it is ${name}`,
        severity: 'warning',
        user_email: `${ada.username}@example.com`,
        user_username: ada.username,
        event_user_email: expect.any(String),
        event_user_username: 'admin',
        event: expect.objectContaining({ action: `custom_${name}`, context: expect.any(Object) }),
      });
      expect(hook.bodies).toContainEqual({ text: `it is ${name}`, who: ada.username, what: `custom_${name}` });
      const chats = hook.bodies.filter(({ attachments }) => attachments);
      expect(chats).toHaveLength(2);
      expect(chats[0].attachments[0]).toMatchObject({ title: `it is ${name}`, fallback: `it is ${name}` });
    });

    test('notifications are mailed to members with an address', async () => {
      const { fire, name } = await makeRule(server(), [{ mode: 'email' }]);
      await fire({ message: `it is ${name}\r\nBcc: eve@example.com` });
      await quiet(server());
      expect(mail.mails.map(({ to }) => to)).toEqual([[`ada-${name}@example.com`]]);
      const [headers = ''] = mail.mails[0]?.text.split('\r\n\r\n') ?? [];
      expect(headers).toContain('Subject: Gatehouse warning: it is');
      expect(headers).not.toMatch(/^Bcc/im);
    });

    test('failed deliveries are retried, end as failed tasks, and can be run again', async () => {
      const { db, clock } = server().world;
      hook.status = 500;
      const { fire, name } = await makeRule(server(), [{ mode: 'webhook', webhook_url: hook.url, send_once: true }]);
      await fire();
      const task = async () => {
        const { body } = await server().admin.get(`/events/system_tasks/?name=deliver_notification&search=${name}`);
        return body.results;
      };
      await until(async () => (await task())[0]?.status === 'warning');
      expect((await task())[0].messages).toMatchObject([{ event: `${name}-0: The receiver answered with 500.` }]);
      expect(await failures(server())).toEqual([]);
      await db.write((tx) =>
        sql`update jobs set attempt = 7, run_at = ${clock.now()} where kind = 'deliver_notification' and state = 'queued'`.execute(
          tx,
        ),
      );
      // Anything that is queued wakes the worker.
      await fire();
      await until(async () => (await task()).some(({ status }: { status: string }) => status === 'error'));
      const events = await failures(server());
      expect(events).toHaveLength(1);
      expect(events[0].context.message).toContain('The receiver answered with 500.');
      hook.status = 204;
      hook.bodies.length = 0;
      const failed = (await task()).find(({ status }: { status: string }) => status === 'error');
      expect((await server().admin.post(`/events/system_tasks/${failed.uuid}/run/`)).status).toBe(204);
      await until(() => hook.bodies.length > 0);
      expect(hook.bodies[0].body).toBe(`it is ${name}`);
    });

    test('are run again once at a time, however often a user asks for it', async () => {
      const { db, clock } = server().world;
      const gone = await startWebhookReceiver();
      await gone.close();
      const { fire } = await makeRule(server(), [{ mode: 'webhook', webhook_url: gone.url, send_once: true }]);
      await fire();
      await quiet(server());
      await db.write((tx) =>
        sql`update jobs set state = 'failed', finished = ${clock.now()} where kind = 'deliver_notification'`.execute(
          tx,
        ),
      );
      const { body } = await server().admin.get('/events/system_tasks/?name=deliver_notification');
      const [failed] = body.results;
      for (let at = 0; at < 5; at++) await server().admin.post(`/events/system_tasks/${failed.uuid}/run/`);
      await quiet(server());
      const jobs = await jobsOf(server(), 'deliver_notification');
      expect(jobs.map(({ state }) => state).toSorted()).toEqual(['failed', 'queued']);
    });

    test('wait for a receiver that is gone', async () => {
      const gone = await startWebhookReceiver();
      await gone.close();
      mail.refuses = 451;
      const { fire } = await makeRule(server(), [
        { mode: 'webhook', webhook_url: gone.url, send_once: true },
        { mode: 'email' },
      ]);
      await fire();
      await quiet(server());
      const jobs = (await jobsOf(server(), 'deliver_notification')).filter(({ state }) => state === 'queued');
      expect(jobs.map(({ attempt }) => attempt)).toEqual([1, 1]);
      expect(jobs.map(({ message }) => message).join()).toMatch(/cannot be reached/);
    });

    test('a mail that the server refuses for good is not tried again', async () => {
      mail.refuses = 550;
      const { fire } = await makeRule(server(), [{ mode: 'email' }]);
      await fire();
      await quiet(server());
      const refused = (await jobsOf(server(), 'deliver_notification')).filter(({ message }) => message.includes('550'));
      expect(refused.map(({ state }) => state)).toEqual(['failed']);
    });

    test('a mapping that fails is not tried again', async () => {
      const mapping = await server().admin.post('/propertymappings/notification/', {
        name: `bad-mapping-${server().kind}`,
        expression: 'return notification.nothing.at.all;',
      });
      const { fire } = await makeRule(server(), [
        { mode: 'webhook', webhook_url: hook.url, send_once: true, webhook_mapping: mapping.body.pk },
      ]);
      await fire();
      await quiet(server());
      expect((await jobsOf(server(), 'deliver_notification')).filter(({ state }) => state === 'failed')).toMatchObject([
        { message: expect.stringContaining('The mapping failed') },
      ]);
      expect(hook.bodies).toEqual([]);
      const { results } = (await server().admin.get('/events/events/?action=property_mapping_exception')).body;
      expect(results).toMatchObject([
        {
          context: {
            expression: 'return notification.nothing.at.all;',
            message: expect.stringContaining('The mapping failed'),
          },
        },
      ]);
      expect(JSON.stringify(await failures(server()))).not.toContain('The mapping failed');
    });

    test('events caused by rules cause no notifications', async () => {
      const { ada, fire, policy } = await makeRule(server(), []);
      const { body: rule } = await server().admin.get(`/events/rules/?search=${policy.name}`);
      const all = await server().admin.post('/policies/expression/', {
        name: `all-${policy.name}`,
        expression: 'return true;',
      });
      const bound = await server().admin.post('/policies/bindings/', {
        target: rule.results[0].pk,
        policy: all.body.pk,
        order: 1,
      });
      await server().admin.patch(`/policies/expression/${policy.pk}/`, { expression: 'return nothing.here;' });
      await quiet(server());
      const before = (await bodiesOf(ada)).length;
      await fire();
      await quiet(server());
      // The event that a user wrote, and the record of their writing it.
      expect((await bodiesOf(ada)).length).toBe(before + 2);
      const { body } = await server().admin.get('/events/events/?action=policy_exception');
      expect(body.pagination.count).toBeGreaterThan(0);
      await server().admin.delete(`/policies/bindings/${bound.body.pk}/`);
    });

    test('a transport is tested by a message to the caller', async () => {
      const { transports } = await makeRule(server(), [
        { mode: 'webhook', webhook_url: hook.url },
        { mode: 'email' },
        {},
      ]);
      const [webhook, email, local] = transports.map((pk) => `/events/transports/${pk}/test/`) as [
        string,
        string,
        string,
      ];
      expect((await server().admin.post(webhook)).body).toEqual({ messages: ['The receiver answered with 200.'] });
      expect(hook.bodies).toMatchObject([{ severity: 'notice', user_username: 'admin', event_user_username: null }]);
      expect((await server().admin.post(email)).status).toBe(200);
      expect(mail.mails).toHaveLength(1);
      expect((await server().admin.post(local)).status).toBe(200);
      expect((await bodiesOf({ api: server().admin }))[0]).toContain('Test notification');
      await server().admin.post(`${webhook}?dry_run=true`);
      expect(hook.bodies).toHaveLength(1);
      hook.status = 500;
      mail.refuses = 451;
      const failures = [
        [webhook, 'The receiver answered with 500.'],
        // The server's own words, "not now", may name people and addresses.
        [email, 'The mail server refused the message (451).'],
      ] as const;
      for (const [path, why] of failures) {
        const { status, body } = await server().admin.post(path);
        expect([status, body]).toEqual([400, { non_field_errors: [why] }]);
      }
      const viewer = await server().user(['svc_events.view_notificationtransport']);
      expect((await viewer.api.post(webhook)).status).toBe(403);
      expect((await server().nobody.post(webhook)).status).toBe(403);
    });

    // Ten seconds of waiting, for which no database matters.
    const giveUp = kind === 'sqlite' ? test : () => {};
    giveUp('a receiver that says nothing does not keep other jobs from their turn', async () => {
      hook.status = null;
      const { fire } = await makeRule(server(), [{ mode: 'webhook', webhook_url: hook.url, send_once: true }]);
      for (let at = 0; at < 12; at++) await fire();
      const messages = async () => (await jobsOf(server(), 'deliver_notification')).map(({ message }) => message);
      await until(async () => (await messages()).filter((text) => text !== '').length === 12);
      expect((await messages()).filter((text) => text.includes('tried again later')).length).toBeGreaterThanOrEqual(8);
      expect(hook.bodies.length).toBeLessThanOrEqual(4);
    });

    giveUp('a transport whose receiver says nothing is given up after a while', async () => {
      hook.status = null;
      const { transports } = await makeRule(server(), [{ mode: 'webhook', webhook_url: hook.url }]);
      const answer = await server().admin.post(`/events/transports/${transports[0]}/test/`);
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('took too long')]);
    });
  },
  { env },
);

describeOnBoth('e-mail without a mail server in the settings', (server) => {
  test('without a mail server, an e-mail transport falls back to local notifications', async () => {
    const { ada, bob, fire, name, transports } = await makeRule(server(), [{ mode: 'email' }]);
    await fire();
    await quiet(server());
    for (const user of [ada, bob]) expect(await bodiesOf(user)).toEqual([`it is ${name}`]);
    expect(await failures(server())).toEqual([]);
    const answer = await server().admin.post(`/events/transports/${transports[0]}/test/`);
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('GATEHOUSE_SMTP_URL')]);
  });

  test('does no harm to the rules of a fresh install', async () => {
    const { admin } = server();
    const { body } = await admin.post('/events/events/', {
      action: 'configuration_error',
      app: 'test',
      context: { message: 'something is set wrongly' },
      client_ip: '192.0.2.1',
    });
    await quiet(server());
    expect(await failures(server())).toEqual([]);
    const told = (await admin.get('/events/notifications/')).body.results;
    expect(told.filter(({ event }: { event: { pk: string } }) => event.pk === body.pk)).toMatchObject([
      { body: 'something is set wrongly', severity: 'alert' },
    ]);
  });
});
