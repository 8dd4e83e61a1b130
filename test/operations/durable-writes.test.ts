import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import type { Query } from '../../src/platform/db/database.ts';
import { openBrowser, signInFlow } from '../support/flow-client.ts';
import { adminPassword, describeOnBoth, hasPostgres, startServer } from '../support/server.ts';

describeOnBoth('writes that need not be durable', (server) => {
  test('signing in waits for the disk to have the session and the event, but not the state of the flow', async () => {
    // Beside a job that waits for the disk, everything does.
    await server().app.jobs.stop();
    const waited: string[] = [];
    const { db } = server().world;
    const { write } = db;
    const watched: typeof write = (work, options) =>
      write(async (tx) => {
        const seen: string[] = [];
        const stop = db.onStatement(({ sql: text }) => seen.push(text));
        const value = await work(tx);
        stop();
        if (options?.durable !== false) waited.push(...seen.filter((text) => /^insert/.test(text)));
        return value;
      }, options);
    const browser = openBrowser(server());
    await browser.show(signInFlow);
    Object.assign(db, { write: watched });
    await browser.answer(signInFlow, { uid_field: 'admin' });
    await browser.answer(signInFlow, { password: adminPassword });
    Object.assign(db, { write });
    expect(waited.some((text) => text.includes('authenticated_sessions'))).toBe(true);
    expect(waited.some((text) => text.includes('into events'))).toBe(true);
    expect(waited.some((text) => text.includes('flow_plans'))).toBe(false);
    expect((await browser.get('/core/users/me/')).body.user.username).toBe('admin');
  });
});

describe.skipIf(!hasPostgres)('on PostgreSQL', () => {
  test('transactions wait for the disk as configured, except those that need not be durable', async () => {
    const server = await startServer('postgres');
    const { db } = server.world;
    async function waits(tx: Query): Promise<boolean> {
      const { rows } = await sql<{ source: string }>`select source from pg_settings
        where name = 'synchronous_commit'`.execute(tx);
      return rows[0]?.source !== 'session';
    }
    expect(await db.write(waits)).toBe(true);
    expect(await db.write(waits, { durable: false })).toBe(false);
    expect(await db.write(waits)).toBe(true);
    await server.close();
  });
});
