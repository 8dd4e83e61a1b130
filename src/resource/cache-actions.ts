import type { Database } from '../platform/db/database.ts';
import { integerSchema, objectSchema } from './json-schema.ts';
import type { Action } from './resource.ts';

interface Cache {
  count(db: Database): number;
  clear(db: Database): void;
}

interface CacheFacts {
  /** Of what: `flows`. */
  readonly of: string;
  readonly app: string;
  /** The permissions to see how much is kept, and to have it forgotten. */
  readonly view: string;
  readonly clear: string;
}

/** How much this process keeps of what it has read, and to make it forget that. It is never needed: what is kept is right. */
export function cacheActions(cache: Cache, { of, app, view, clear }: CacheFacts): Action[] {
  return [
    {
      name: 'cache_info',
      on: 'set',
      method: 'GET',
      summary: `Count what is kept in memory of ${of}`,
      access: { permission: view },
      answer: { status: 200, schema: objectSchema({ count: integerSchema }), schemaName: 'Cache' },
      run: async ({ call }) => ({ count: cache.count(call.db) }),
    },
    {
      name: 'cache_clear',
      on: 'set',
      method: 'POST',
      summary: `Forget what is kept in memory of ${of}`,
      access: { permission: clear },
      answer: { status: 204 },
      async run({ call, tx }) {
        const context = { message: `What was kept in memory of ${of} was forgotten.` };
        await call.world.record(tx, call, { action: 'system_task_execution', app, context });
        call.db.afterCommit(tx, () => cache.clear(call.db));
      },
    },
  ];
}
