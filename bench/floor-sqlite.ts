import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { withStablePlan } from '../src/platform/db/sqlite/plan.ts';
import { cacheSizes } from '../src/platform/db/sqlite/sqlite.ts';
import type { FloorStore } from './floor.ts';
import { type Recipe, render, type Step } from './recipe.ts';

// As the server opens it: one connection writes, durably, another reads, with the cache that most of the server's reads
// have.
const always = `pragma cache_size = -${cacheSizes.writer}; pragma temp_store = memory`;

export function sqliteFloor(path: string): FloorStore {
  const writer = new DatabaseSync(path, { timeout: 10_000 });
  writer.exec(`pragma synchronous = full; pragma foreign_keys = on; pragma recursive_triggers = on; ${always}`);
  const reader = new DatabaseSync(path, { readOnly: true, timeout: 10_000 });
  reader.exec(always);
  const begin = writer.prepare('begin immediate');
  const commit = writer.prepare('commit');
  const prepared = new Map<string, StatementSync>();

  function statementOf(connection: DatabaseSync, sql: string): StatementSync {
    const name = `${connection === writer ? 'write' : 'read'} ${sql}`;
    let statement = prepared.get(name);
    if (!statement) {
      // As the server prepares it; arrays take the least time.
      statement = connection.prepare(withStablePlan(sql));
      statement.setReturnArrays(true);
      prepared.set(name, statement);
    }
    return statement;
  }

  function prepareAll(connection: DatabaseSync, steps: readonly Step[]) {
    const ready = steps.map(({ sql, parameters }) => {
      const statement = statementOf(connection, sql);
      return { statement, parameters, returnsRows: statement.columns().length > 0 };
    });
    return (keys: readonly string[], name: string) => {
      for (const { statement, parameters, returnsRows } of ready) {
        const values = parameters.map((parameter) =>
          'fixed' in parameter ? toValue(parameter.fixed) : render(parameter, keys, name),
        );
        if (returnsRows) statement.all(...values);
        else statement.run(...values);
      }
    };
  }

  return {
    prepare({ authentication, work, isWrite }: Recipe) {
      const authenticate = prepareAll(reader, authentication);
      const runWork = prepareAll(isWrite ? writer : reader, work);
      return (keys, name) => {
        authenticate(keys, name);
        if (!isWrite) return runWork(keys, name);
        begin.run();
        try {
          runWork(keys, name);
          commit.run();
        } catch (error) {
          writer.exec('rollback');
          throw error;
        }
      };
    },
  };
}

const toValue = (value: unknown): SQLInputValue =>
  typeof value === 'boolean' ? Number(value) : (value as SQLInputValue);
