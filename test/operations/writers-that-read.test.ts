import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { describeOnBoth } from '../support/server.ts';

describeOnBoth('transactions that also read outside the transaction', (server) => {
  test('do not deadlock when many run at once', async () => {
    const { db } = server().world;
    const work = Array.from({ length: 50 }, (_, number) =>
      db.write(async (tx) => {
        await sql`insert into roles (pk, name) values (${crypto.randomUUID()}, ${`role ${number}`})`.execute(tx);
        const { rows } = await sql<{ count: number }>`select count(*) as count from users`.execute(db.read);
        return Number(rows[0]?.count);
      }),
    );
    expect(new Set(await Promise.all(work))).toEqual(new Set([1]));
  });
});
