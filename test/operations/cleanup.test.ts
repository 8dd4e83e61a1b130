import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { addMilliseconds, systemClock } from '../../src/platform/clock.ts';
import { randomText, randomUuid } from '../../src/platform/random.ts';
import { eventsDuring } from '../support/events.ts';

import { quiet, runJob } from '../support/jobs.ts';
import { describeOnBoth, type TestServer } from '../support/server.ts';

const past = addMilliseconds(systemClock.now(), -60_000);
const future = addMilliseconds(systemClock.now(), 3_600_000);

async function count({ world }: TestServer, table: string): Promise<number> {
  const { rows } = await sql<{ found: number | string }>`select count(*) as found from ${sql.table(table)}`.execute(
    world.db.read,
  );
  return Number(rows[0]?.found);
}

describeOnBoth('the clean-up job', (server) => {
  async function token(intent: string, values: Record<string, unknown> = {}) {
    const identifier = `t-${randomText(8)}`;
    const created = await server().admin.post('/core/tokens/', { identifier, intent, expires: future });
    expect(created.status).toBe(201);
    const { expires = past, expiring = true } = values;
    await server().world.db.write((tx) =>
      sql`update tokens set expires = ${expires}, expiring = ${expiring} where identifier = ${identifier}`.execute(tx),
    );
    return identifier;
  }

  const stored = async (identifier: string) =>
    (
      await sql<{
        key_hash: string;
        expires: string;
      }>`select key_hash, expires from tokens where identifier = ${identifier}`.execute(server().world.db.read)
    ).rows[0];

  test('gives an expired API token a new key and expiry, and records an event', async () => {
    const identifier = await token('api');
    const lasting = await token('api', { expires: future });
    const endless = await token('api', { expiring: false });
    const [before, lastingBefore, endlessBefore] = [
      await stored(identifier),
      await stored(lasting),
      await stored(endless),
    ];
    await quiet(server());
    const events = await eventsDuring(server(), () => runJob(server(), 'clean_expired_models'));
    expect(events.map(({ action, context }) => [action, context.message])).toEqual([
      ['secret_rotate', `Token ${identifier}'s secret was rotated.`],
    ]);
    const after = await stored(identifier);
    expect(after?.key_hash).not.toBe(before?.key_hash);
    expect((after?.expires ?? '') > systemClock.now()).toBe(true);
    expect(await stored(lasting)).toEqual(lastingBefore);
    expect(await stored(endless)).toEqual(endlessBefore);
  });

  test('deletes other expired tokens and keeps unexpired ones', async () => {
    const gone = await token('app_password');
    const endless = await token('app_password', { expiring: false });
    const lasting = await token('app_password', { expires: future });
    expect((await runJob(server(), 'clean_expired_models')).message).toContain('1 tokens removed');
    expect(await stored(gone)).toBeUndefined();
    expect(await stored(endless)).toBeDefined();
    expect(await stored(lasting)).toBeDefined();
  });

  test('deletes expired rows of every other kind, in more than one batch', async () => {
    const { db } = server().world;
    const user = await server().user();
    const { body: flow } = await server().admin.get('/flows/instances/default-authentication-flow/');
    const rows = async (expires: string) =>
      db.write(async (tx) => {
        const now = systemClock.now();
        await sql`insert into authenticated_sessions (pk, token_hash, "user", created, last_ip, last_user_agent, last_used, expires)
          values (${randomUuid()}, ${randomText(20)}, ${user.pk}, ${now}, '', '', ${now}, ${expires})`.execute(tx);
        await sql`insert into invitations (pk, name, expires, fixed_data, created_by, single_use) values
          (${randomUuid()}, 'i', ${expires}, '{}', ${user.pk}, false)`.execute(tx);
        await sql`insert into policy_reputation_scores (pk, identifier, ip, ip_geo_data, ip_asn_data, score, updated, expires)
          values (${randomUuid()}, ${randomText(9)}, '192.0.2.1', '{}', '{}', 1, ${now}, ${expires})`.execute(tx);
        await sql`insert into flow_plans (pk, token_hash, flow, context, created, expires)
          values (${randomUuid()}, ${randomText(20)}, ${flow.pk}, '', ${now}, ${expires})`.execute(tx);
      });
    const tables = ['authenticated_sessions', 'invitations', 'policy_reputation_scores', 'flow_plans'];
    const before = Object.fromEntries(
      await Promise.all(tables.map(async (table) => [table, await count(server(), table)])),
    );
    await rows(past);
    await rows(future);
    await db.write(async (tx) => {
      for (let made = 0; made < 620; made += 1) {
        await sql`insert into events (pk, "user", username, action, app, context, created, expires, brand, words)
          values (${randomUuid()}, '{}', 'clean-up', 'login', 'x', '{}', ${past}, ${past}, '{}', '')`.execute(tx);
      }
    });
    const { message } = await runJob(server(), 'clean_expired_models');
    expect(message).toContain('620 events removed');
    for (const table of tables) expect([table, await count(server(), table)]).toEqual([table, before[table] + 1]);
  });

  test('deletes notifications that were seen or whose event was deleted', async () => {
    const { db, clock } = server().world;
    const user = await server().user();
    const { body } = await server().admin.get('/events/events/?page_size=1');
    const event = body.results[0].pk;
    const notify = (name: string, eventPk: string | null, seen: boolean) =>
      db.write((tx) =>
        sql`insert into notifications (pk, severity, body, created, event, "user", seen)
          values (${randomUuid()}, 'notice', ${name}, ${clock.now()}, ${eventPk}, ${user.pk}, ${seen})`.execute(tx),
      );
    await notify('seen', event, true);
    await notify('orphaned', null, false);
    await notify('new', event, false);
    await runJob(server(), 'notification_cleanup');
    const { body: left } = await user.api.get('/events/notifications/');
    expect(left.results.map((notification: { body: string }) => notification.body)).toEqual(['new']);
  });

  test('deletes jobs that ended a week ago', async () => {
    await runJob(server(), 'notification_cleanup');
    const { db, clock } = server().world;
    await db.write((tx) =>
      sql`update jobs set finished = ${addMilliseconds(clock.now(), -8 * 86_400_000)} where kind = 'notification_cleanup' and state = 'done'`.execute(
        tx,
      ),
    );
    await runJob(server(), 'job_cleanup');
    const { rows } = await sql`select state from jobs where kind = 'notification_cleanup'`.execute(db.read);
    expect(rows).toEqual([{ state: 'queued' }]);
  });

  test('is scheduled at start-up, and an idle server sends no statements', async () => {
    const { db, clock } = server().world;
    type Queued = { kind: string; run_at: string };
    const queued = async () =>
      (await sql<Queued>`select kind, run_at from jobs where state = 'queued' order by kind`.execute(db.read)).rows;
    // One that runs just now is queued again when it is done.
    await expect
      .poll(async () => (await queued()).map(({ kind }) => kind))
      .toEqual([
        ...(db.analyze ? ['analyze_database'] : []),
        'check_service_connections',
        'clean_expired_models',
        'delete_events_of_users',
        'deploy_outposts',
        ...(db.emptyPendingLists ? ['empty_pending_lists'] : []),
        'job_cleanup',
        'ldap_source_sync_all',
        'notification_cleanup',
        'oauth2_find_ended_sessions',
        'oauth_source_refresh',
        'recount_events',
        'roll_up_events',
        'saml_find_ended_sessions',
        'saml_temporary_users',
        'sync_all',
      ]);
    const rows = await queued();
    const cleaning = rows.find(({ kind }) => kind === 'clean_expired_models');
    expect((cleaning?.run_at ?? '') <= addMilliseconds(clock.now(), 5 * 60_000)).toBe(true);
    await quiet(server());
    const statementsMeanwhile = async () => {
      let statements = 0;
      const stop = db.onStatement(() => {
        statements += 1;
      });
      await sleep(400);
      stop();
      return statements;
    };
    await expect.poll(statementsMeanwhile).toBe(0);
  });

  test('counts its runs in the metrics', async () => {
    const { text } = await server().nobody.send('GET', '/-/metrics');
    expect(text).toMatch(/^gatehouse_jobs\{state="queued"\} [1-9]/m);
    expect(text).toMatch(/^gatehouse_jobs\{state="failed"\} 0$/m);
    expect(text).toMatch(/^gatehouse_job_attempts_total\{kind="clean_expired_models",outcome="done"\} [1-9]/m);
  });
});
