import { createHash } from 'node:crypto';
import pg from 'pg';
import type { FloorStore } from './floor.ts';
import { type Recipe, render, type Step } from './recipe.ts';

const connections = 10;

export function postgresFloor(url: string): FloorStore {
  const readers = new pg.Pool({ connectionString: url, max: connections, options: '-c timezone=UTC' });
  const writers = new pg.Pool({ connectionString: url, max: connections, options: '-c timezone=UTC' });

  async function runAll(
    query: pg.Pool | pg.PoolClient,
    steps: readonly NamedStep[],
    keys: readonly string[],
    name: string,
  ) {
    for (const { text, parameters, statement } of steps) {
      const values = parameters.map((parameter) =>
        'fixed' in parameter ? parameter.fixed : render(parameter, keys, name),
      );
      await query.query({ text, values, ...(statement && { name: statement }) });
    }
  }

  return {
    prepare({ authentication, work, isWrite }: Recipe) {
      const authenticate = authentication.map(named);
      const workSteps = work.map(named);
      return async (keys, name) => {
        await runAll(readers, authenticate, keys, name);
        if (!isWrite) return runAll(readers, workSteps, keys, name);
        const client = await writers.connect();
        try {
          await client.query('begin');
          await runAll(client, workSteps, keys, name);
          await client.query('commit');
        } finally {
          client.release();
        }
      };
    },
  };
}

interface NamedStep {
  readonly text: string;
  readonly parameters: Step['parameters'];
  readonly statement: string | null;
}

/** A named statement is planned for any value after a few runs; a search needs the plan for its own. */
function named({ sql, parameters }: Step): NamedStep {
  const isSearch = / ilike /i.test(sql);
  return { text: sql, parameters, statement: isSearch ? null : createHash('sha1').update(sql).digest('hex') };
}
