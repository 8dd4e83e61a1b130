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
          : sql<{ name: string }>`select substring(indexdef from 'USING gin [(]([a-z_]+) ') as name from pg_indexes
              where schemaname = current_schema() and tablename = ${rootTable} and indexdef like '%gin_trgm_ops%'`;
      const names = (await columns.execute(world.db.read)).rows.map(({ name }) => name);
      expect(names.toSorted(), model).toEqual([...search].sort());
    }
  });

  test('are there for all tables that are counted', () => {
    for (const { model, counted, search, hasSearchIndex } of server().app.engine.registry.resources)
      if (counted && search) expect(hasSearchIndex, model).toBe(true);
  });
});
