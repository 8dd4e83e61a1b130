import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { newKey, numbered } from '../../support/many-rows.ts';
import { describeOnSqlite } from '../../support/server.ts';

const groups = 2_000;

describeOnSqlite('a member of thousands of groups with attributes', (server) => {
  test('opens pages and gets tokens without holding up others', async () => {
    const { pk, api } = await server().user();
    const { db } = server().world;
    await db.write(async (tx) => {
      await sql`insert into groups (pk, name, is_superuser, attributes)
        ${numbered(db.dialect, 1, groups)} select ${newKey(db.dialect)}, 'many ' || i, false,
          '{"k' || i || '": ' || i || ', "list": [' || i || '], "settings": {"k' || i || '": 1}}' from n`.execute(tx);
      await sql`insert into user_groups ("user", "group") select ${pk}, pk from groups where name like 'many %'`.execute(
        tx,
      );
    });
    const before = process.threadCpuUsage();
    const { status, body } = await api.get('/core/users/me/');
    const { user, system } = process.threadCpuUsage(before);
    expect(status).toBe(200);
    expect(body.user.groups).toHaveLength(groups);
    expect(Object.keys(body.user.settings)).toHaveLength(groups);
    // Took over a second when each group copied what was merged before it.
    expect((user + system) / 1e6).toBeLessThan(0.5);
  });
});
