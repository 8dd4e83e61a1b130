import { message } from '../lib/texts/message.ts';
import type { Database } from '../platform/db/database.ts';
import { integerSchema, objectSchema } from './document/json-schema.ts';
import type { Action } from './resource.ts';

interface Cache {
  count(db: Database): number;
  clear(db: Database): void;
}

interface CacheFacts {
  /** What is cached: `flows`. */
  readonly of: string;
  readonly app: string;
  /** The permissions to count entries and to clear the cache. */
  readonly view: string;
  readonly clear: string;
}

/** Count and clear a query cache of this process. Clearing is never needed: entries are always current. */
export function cacheActions(cache: Cache, { of, app, view, clear }: CacheFacts): Action[] {
  return [
    {
      name: 'cache_info',
      on: 'set',
      method: 'GET',
      page: { button: 'Cache size' },
      summary: `Count cached ${of}`,
      access: { permission: view },
      answer: { status: 200, schema: objectSchema({ count: integerSchema }), schemaName: 'Cache' },
      run: async ({ call }) => ({ count: cache.count(call.db) }),
    },
    {
      name: 'cache_clear',
      on: 'set',
      method: 'POST',
      page: { button: 'Clear the cache' },
      summary: `Clear the cache of ${of}`,
      access: { permission: clear },
      answer: { status: 204 },
      async run({ call, tx }) {
        const context = { message: message('The cache of {of} was cleared.', { of }) };
        await call.world.record(tx, call, { action: 'system_task_execution', app, context });
        call.db.afterCommit(tx, () => cache.clear(call.db));
      },
    },
  ];
}
