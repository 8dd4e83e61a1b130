import { sql } from 'kysely';
import { checkReadsDirectory } from '../../core/access/directory-readers.ts';
import { Invalid } from '../../lib/problem.ts';
import { actionOn } from '../../resource/define.ts';
import {
  arrayOf,
  integerSchema,
  objectSchema,
  orNull,
  stringSchema,
  timeSchema,
} from '../../resource/document/json-schema.ts';
import { canonicalUuid, isUuid } from '../../resource/fields/scalar.ts';
import type { ObjectType } from './facts.ts';
import { keyOf, type ObjectKey } from './scope.ts';

const pageSize = 100;
const noUuid = 'Enter a valid UUID.';
const states = ['all', 'outstanding', 'failed'];

const entrySchema = objectSchema({
  id: { type: 'string', format: 'uuid' },
  user: orNull(integerSchema),
  group: orNull({ type: 'string', format: 'uuid' }),
  remote_id: orNull(stringSchema),
  outstanding: integerSchema,
  due: orNull(timeSchema),
  attempts: integerSchema,
  error: stringSchema,
  last_sent: orNull(timeSchema),
  requests: arrayOf({ type: 'object', additionalProperties: true }),
});

interface LedgerRow {
  readonly id: string;
  readonly user: number | null;
  readonly group: string | null;
  readonly remote_id: string | null;
  readonly outstanding: number;
  readonly due: string | null;
  readonly attempts: number;
  readonly error: string;
  readonly last_sent: string | null;
  readonly requests: string;
}

/** For each object the last request, its response and what is outstanding. */
export const ledgerAction = actionOn<{ pk: number }>()({
  name: 'sync/ledger',
  on: 'row',
  method: 'GET',
  page: { noButton: 'The page Maintenance lists it under Provisioning.' },
  summary: 'List what was sent and what is outstanding',
  access: 'change',
  query: {
    state: { type: 'string', enum: states },
    user: integerSchema,
    group: { type: 'string', format: 'uuid' },
    after: { type: 'string', format: 'uuid' },
  },
  answer: { status: 200, schema: objectSchema({ results: arrayOf(entrySchema) }), schemaName: 'SyncLedger' },
  async run({ call, row }) {
    checkReadsDirectory(call.actor);
    const { query } = call.request;
    const { dialect, read } = call.db;
    const conditions = [sql`provider = ${row.pk}`];
    if (query.get('state') === 'outstanding') conditions.push(sql`due is not null`);
    if (query.get('state') === 'failed') conditions.push(sql`error <> ''`);
    for (const type of ['user', 'group'] as const) {
      const text = query.get(type);
      if (text) conditions.push(sql`${sql.ref(type)} = ${keyIn(type, text)}`);
    }
    const after = query.get('after');
    if (after) conditions.push(sql`${dialect.toText(sql.ref('pk'))} > ${uuidIn('after', after)}`);
    const { rows } = await sql<LedgerRow>`select pk as id, "user", "group", remote_id, pending as outstanding, due,
      attempts, error, last_sent, requests from sync_objects where ${sql.join(conditions, sql` and `)}
      order by ${dialect.toText(sql.ref('pk'))} limit ${pageSize}`.execute(read);
    return { results: rows.map((entry) => ({ ...entry, requests: JSON.parse(entry.requests) })) };
  },
});

function keyIn(type: ObjectType, text: string): ObjectKey {
  const key = keyOf(type, text);
  if (key === null) throw Invalid.field(type, type === 'user' ? 'Enter a number.' : noUuid);
  return key;
}

function uuidIn(name: string, text: string): string {
  if (!isUuid(text)) throw Invalid.field(name, noUuid);
  return canonicalUuid(text);
}
