import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { describeOnBoth } from '../support/server.ts';

describeOnBoth('the search indexes of the database', (server, kind) => {
  // A search trusts the index to find all rows that hold a term.
  test('have exactly the columns that are searched', async () => {
    const { app, world } = server();
    const indexed = app.engine.registry.resources.filter(({ hasSearchIndex }) => hasSearchIndex);
    expect(indexed.length).toBeGreaterThan(1);
    for (const { model, rootTable, search = [] } of indexed) {
      const columns =
        kind === 'sqlite'
          ? sql<{ name: string }>`select name from pragma_table_info(${`${rootTable}_search`})`
          : sql<{ name: string }>`select pg_get_indexdef(i.indexrelid, n, true) as name from pg_index as i,
              generate_series(1, i.indnatts) as n where i.indrelid = cast(${rootTable} as regclass)
              and pg_get_indexdef(i.indexrelid) like '%gin_trgm_ops%'`;
      const names = (await columns.execute(world.db.read)).rows.map(({ name }) => name);
      expect(names.toSorted(), model).toEqual([...search].sort());
    }
  });
});
