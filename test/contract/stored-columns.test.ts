import { expect, test } from 'vitest';
import { isRef } from '../../src/resource/fields/ref.ts';
import { describeOnBoth, startServer } from '../support/server.ts';
import { columnsWithoutField } from './columns-without-field.ts';
import { columnsByTable } from './stored.ts';

describeOnBoth('the columns of the database', (server) => {
  test('are exactly those that resources declare', async () => {
    const { app, world } = server();
    const tables = await columnsByTable(world.db);
    const declared = new Map<string, Set<string>>();
    const declare = (table: string, column: string) =>
      declared.set(table, (declared.get(table) ?? new Set(['pk'])).add(column));
    for (const { allFields, family, table, target } of app.engine.registry.resources) {
      if (family) declare(family.table, 'kind');
      if (target && target !== 'pk') declare(family?.table ?? table, target);
      declare(table, 'pk');
      for (const [name, field] of Object.entries(allFields)) {
        const home = family && Object.hasOwn(family.fields, name) ? family.table : table;
        if (field.storage.in === 'column' || field.kind === 'embedded') declare(home, name);
        if (field.storage.in === 'join') {
          declare(field.storage.join.table, field.storage.join.own);
          declare(field.storage.join.table, field.storage.join.other);
          if (field.storage.join.isOrdered) declare(field.storage.join.table, 'position');
        }
        if (isRef(field))
          expect(app.engine.registry.find(field.model), `${name} refers to ${field.model}`).toBeDefined();
      }
    }
    const joins = new Set(
      app.engine.registry.resources.flatMap(({ allFields }) =>
        Object.values(allFields).flatMap(({ storage }) => (storage.in === 'join' ? [storage.join.table] : [])),
      ),
    );
    const problems: string[] = [];
    for (const [table, columns] of declared) {
      const stored = new Set(tables[table] ?? []);
      for (const column of columns) {
        const isKeyOfPairs = joins.has(table) && column === 'pk';
        if (!stored.has(column) && !isKeyOfPairs) problems.push(`${table}.${column} is declared and not stored`);
      }
      for (const column of stored) {
        const isKnown = columns.has(column) || columnsWithoutField[table]?.includes(column);
        if (!isKnown) problems.push(`${table}.${column} is stored and not declared`);
      }
    }
    expect(problems).toEqual([]);
  });
});

describeOnBoth('a reference', (server) => {
  test('is nullable in the OpenAPI document exactly when its column is', async () => {
    const { app, world } = server();
    const tables = await world.db.read.introspection.getTables();
    const isNullable = (table: string, column: string) =>
      tables.find(({ name }) => name === table)?.columns.find(({ name }) => name === column)?.isNullable;
    for (const { allFields, family, table, model } of app.engine.registry.resources) {
      for (const [name, field] of Object.entries(allFields)) {
        if (!isRef(field) || field.storage.in === 'join') continue;
        // A kind may ask for a reference that others of its family do without.
        if (family?.fields[name] && family.fields[name] !== field) continue;
        const home = family && Object.hasOwn(family.fields, name) ? family.table : table;
        expect([model, name, field.nullable ?? false]).toEqual([model, name, isNullable(home, name)]);
      }
    }
  });
});

test('both databases have the same tables and columns', async () => {
  const servers = [await startServer('sqlite'), await startServer('postgres')];
  const [sqlite, postgres] = await Promise.all(servers.map(({ world }) => columnsByTable(world.db)));
  await Promise.all(servers.map((server) => server.close()));
  const sorted = (tables: Record<string, string[]> = {}) =>
    Object.entries(tables)
      .map(([table, columns]) => `${table}: ${columns.toSorted().join(' ')}`)
      .sort();
  expect(sorted(sqlite)).toEqual(sorted(postgres));
});
