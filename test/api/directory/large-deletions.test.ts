import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/platform/clock.ts';
import { createLog } from '../../../src/platform/log.ts';
import { until } from '../../support/jobs.ts';
import { unique } from '../../support/make-walk.ts';
import { newKey, numbered } from '../../support/many-rows.ts';
import { makeRelying, post, tokensFor } from '../../support/oauth2.ts';
import { describeOnBoth, type TestServer } from '../../support/server.ts';

const many = 1_700;

describeOnBoth(
  'deleting objects that many rows hang on',
  (server) => {
    test('hides the events of a deleted user at once and deletes them in batches', async () => {
      const { admin, user, app } = server();
      const [robot, other] = [await user(), await user()];
      await addEvents(server(), robot, many);
      await addEvents(server(), other, 3);
      const eventsOf = async ({ username }: { username: string }) =>
        (await admin.get(`/events/events/?username=${username}&action=login`)).body.pagination.count;
      expect(await eventsOf(robot)).toBe(many);

      expect((await admin.delete(`/core/users/${robot.pk}/`)).status).toBe(204);
      // The transaction of the deletion takes one batch; the job does not run yet.
      expect(await countRows(server(), 'events', sql`user_pk = ${robot.pk}`)).toBe(many - 500);
      expect(await eventsOf(robot)).toBe(0);
      const [hidden] = await keysOf(server(), robot.pk);
      expect((await admin.get(`/events/events/${hidden}/`)).status).toBe(404);
      expect((await admin.get(`/events/events/export/?username=${robot.username}&action=login`)).text).not.toContain(
        hidden,
      );
      expect(await eventsOf(other)).toBe(3);

      await app.jobs.start();
      await until(async () => (await countRows(server(), 'user_deletions', sql`1 = 1`)) === 0);
      expect(await countRows(server(), 'events', sql`user_pk = ${robot.pk}`)).toBe(0);
      expect(await eventsOf(other)).toBe(3);
      await app.jobs.stop();
    });
  },
  { clock: { now: systemClock.now }, log: createLog({ level: 'fatal' }) },
);

describeOnBoth(
  'deleting an OAuth2 provider with many tokens',
  (server) => {
    test('refuses the tokens at once and deletes them in batches', async () => {
      const { admin, user, app, as } = server();
      const [person, relying, other] = [await user(), await makeRelying(server()), await makeRelying(server())];
      const tokens = await tokensFor(server(), relying, person.pk, {
        scope: ['openid', 'offline_access', 'gatehouse/api'],
      });
      const kept = await tokensFor(server(), other, person.pk);
      await copyTokens(server(), relying.provider.pk, many);
      const listed = async () => (await admin.get('/oauth2/access_tokens/?page_size=1')).body.pagination.count;
      expect((await as(tokens.access_token).get('/core/users/me/')).status).toBe(200);
      expect(await listed()).toBe(many + 2);

      expect((await admin.delete(`/providers/oauth2/${relying.provider.pk}/`)).status).toBe(204);
      expect(await countRows(server(), 'oauth2_access_tokens', sql`provider = ${relying.provider.pk}`)).toBe(many + 1);
      expect(await listed()).toBe(1);
      expect((await as(tokens.access_token).get('/core/users/me/')).status).toBe(403);
      expect((await as(tokens.access_token).get('/application/o/userinfo/')).status).toBe(401);
      const introspected = await post(
        server(),
        'introspect',
        { token: tokens.access_token },
        { authorization: other.basic },
      );
      expect(introspected.body).toEqual({ active: false });
      const refresh = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token };
      expect((await post(server(), 'token', refresh, { authorization: relying.basic })).status).toBe(401);
      expect((await post(server(), 'token', refresh, { authorization: other.basic })).status).toBe(400);

      await app.jobs.start();
      await until(async () => {
        const tables = ['oauth2_access_tokens', 'oauth2_refresh_tokens'];
        const left = tables.map((table) => countRows(server(), table, sql`provider = ${relying.provider.pk}`));
        return (await Promise.all(left)).every((count) => count === 0);
      });
      expect((await as(kept.access_token).get('/application/o/userinfo/')).status).toBe(200);
      await app.jobs.stop();
    });
  },
  { clock: { now: systemClock.now } },
);

describeOnBoth(
  'deleting an OAuth2 provider along with another object',
  (server) => {
    test('deletes its tokens, whatever takes the provider along', async () => {
      const { admin, user, app } = server();
      const person = await user();
      const deleted: number[] = [];
      for (const way of ['family', 'flow']) {
        const { provider, ...rest } = await makeRelying(server());
        await tokensFor(server(), { provider, ...rest }, person.pk, { scope: ['openid', 'offline_access'] });
        const flow = { name: unique('flow'), slug: unique('flow'), title: 'Go on', designation: 'authorization' };
        const { body: made } = await admin.post('/flows/instances/', flow);
        const at = `/providers/oauth2/${provider.pk}/`;
        expect((await admin.patch(at, { authorization_flow: made.pk })).status).toBe(200);
        const path = way === 'flow' ? `/flows/instances/${made.slug}/` : `/providers/all/${provider.pk}/`;
        expect((await admin.delete(path)).status).toBe(204);
        expect((await admin.get(at)).status).toBe(404);
        deleted.push(provider.pk);
      }
      const left = () => countRows(server(), 'oauth2_refresh_tokens', sql`provider in (${sql.join(deleted)})`);
      expect(await left()).toBe(2);
      await app.jobs.start();
      await until(async () => (await left()) === 0);
      await app.jobs.stop();
    });
  },
  { clock: { now: systemClock.now } },
);

async function countRows({ world: { db } }: TestServer, table: string, where: ReturnType<typeof sql>): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.table(table)} where ${where}`.execute(
    db.read,
  );
  return Number(rows[0]?.n);
}

async function keysOf({ world: { db } }: TestServer, user: number): Promise<string[]> {
  const { rows } = await sql<{ pk: string }>`select pk from events where user_pk = ${user} limit 5`.execute(db.read);
  return rows.map(({ pk }) => pk);
}

async function addEvents({ world: { db, clock } }: TestServer, user: { pk: number; username: string }, count: number) {
  const now = clock.now();
  await db.write((tx) =>
    sql`insert into events (pk, "user", action, app, context, brand, created, expires, user_pk, username, words)
      ${numbered(db.dialect, 1, count)} select ${newKey(db.dialect)}, '{}', 'login', 'svc_core', '{}', '{}', ${now},
      '2999-01-01T00:00:00.000000Z', ${user.pk}, ${user.username}, '' from n`.execute(tx),
  );
}

async function copyTokens({ world: { db } }: TestServer, provider: number, count: number) {
  for (const table of ['oauth2_access_tokens', 'oauth2_refresh_tokens'])
    await db.write((tx) =>
      sql`insert into ${sql.table(table)} (provider, "user", session, created, auth_time, expires, expiring, scope, family,
          terms, token_hash, id_token, revoked)
        ${numbered(db.dialect, 1, count)} select provider, "user", session, created, auth_time, expires, expiring, scope,
          family, terms, token_hash || '-' || i, id_token, revoked
          from n, ${sql.table(table)} where provider = ${provider}`.execute(tx),
    );
}
