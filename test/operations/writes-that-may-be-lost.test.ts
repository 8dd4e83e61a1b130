import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Query } from '../../src/platform/db/database.ts';
import { openBrowser, signInFlow } from '../support/flow-client.ts';
import { adminPassword, describeOnBoth } from '../support/server.ts';

describeOnBoth('writes that a loss of power may undo', (server) => {
  /** What the database was told to wait for. */
  async function waits(tx: Query): Promise<boolean> {
    if (server().kind === 'sqlite') {
      const { rows } = await sql<{ synchronous: number }>`pragma synchronous`.execute(tx);
      return rows[0]?.synchronous === 2;
    }
    const { rows } = await sql<{ source: string }>`select source from pg_settings
      where name = 'synchronous_commit'`.execute(tx);
    // Whatever the database is configured to do is done, unless the transaction says otherwise.
    return rows[0]?.source !== 'session';
  }

  test('do not wait for the disk; all others do, before, after and beside them', async () => {
    const { db } = server().world;
    const mayBeLost = true;
    const fails = async () => {
      throw new Error('given up');
    };
    expect(await db.write(waits)).toBe(true);
    expect(await db.write(waits, { mayBeLost })).toBe(false);
    await expect(db.write(fails, { mayBeLost })).rejects.toThrow('given up');
    expect(await db.write(waits)).toBe(true);
    const [before, , after] = await Promise.all([db.write(waits), db.write(waits, { mayBeLost }), db.write(waits)]);
    expect([before, after]).toEqual([true, true]);
  });

  test('of all that signing in writes, the session waits', async () => {
    // Beside a job that waits for the disk, everything does.
    await server().app.jobs.stop();
    const waited: string[] = [];
    const { db } = server().world;
    const { write } = db;
    const watched: typeof write = (work, options) =>
      write(async (tx) => {
        const isDurable = await waits(tx);
        const seen: string[] = [];
        const stop = db.onStatement(({ sql: text }) => seen.push(text));
        const value = await work(tx);
        stop();
        if (isDurable) waited.push(...seen.filter((text) => /^insert/.test(text)));
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
