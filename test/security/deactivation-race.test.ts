import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { openBrowser, signInFlow } from '../support/flow-client.ts';
import { hasPostgres, startServer } from '../support/server.ts';

// Needs a row that is locked meanwhile, so PostgreSQL.
describe.skipIf(!hasPostgres)('a user who is deactivated while they sign in', () => {
  test('gets no session, although the password was right', async () => {
    const server = await startServer('postgres');
    const { admin, user, world } = server;
    const { db } = world;
    const person = await user();
    await admin.post(`/core/users/${person.pk}/set_password/`, { password: 'right horse' });
    const browser = openBrowser(server);
    await browser.show(signInFlow);
    await browser.answer(signInFlow, { uid_field: person.username });
    const waitsForUser = async () => {
      const { rows } = await sql`select 1 from pg_stat_activity where wait_event_type = 'Lock'
        and datname = current_database() and query like '%from users%'`.execute(db.read);
      return rows.length > 0;
    };
    let answering: ReturnType<typeof browser.answer> | undefined;
    await db.write(async (tx) => {
      await sql`update users set is_active = false where pk = ${person.pk}`.execute(tx);
      // Whatever it reads shows an active user until this is committed.
      answering = browser.answer(signInFlow, { password: 'right horse' });
      await expect.poll(waitsForUser).toBe(true);
    });
    expect((await answering)?.body).toMatchObject({ component: 'xak-stage-access-denied' });
    expect((await browser.get('/core/users/me/')).status).toBe(403);
    const { rows } = await sql`select 1 from authenticated_sessions where "user" = ${person.pk}`.execute(db.read);
    expect(rows).toEqual([]);
    await server.close();
  });
});
