import { sql } from 'kysely';
import { checkReadsDirectory } from '../../core/access/directory-readers.ts';
import { Invalid } from '../../lib/problem.ts';
import { actionOn } from '../../resource/define.ts';
import { canonicalUuid, isUuid } from '../../resource/fields/scalar.ts';
import { arrayOf, integerSchema, objectSchema, orNull, stringSchema, timeSchema } from '../../resource/json-schema.ts';

const pageSize = 100;
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

/** For each object what was sent last, what came back and what is outstanding. */
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
    const user = query.get('user');
    if (user) conditions.push(sql`"user" = ${userKey(user)}`);
    const group = query.get('group');
    if (group) conditions.push(sql`"group" = ${uuidIn('group', group)}`);
    const after = query.get('after');
    if (after) conditions.push(sql`${dialect.toText(sql.ref('pk'))} > ${uuidIn('after', after)}`);
    const { rows } = await sql<{
      requests: string;
    }>`select pk as id, "user", "group", remote_id, pending as outstanding, due,
      attempts, error, last_sent, requests from sync_objects where ${sql.join(conditions, sql` and `)}
      order by ${dialect.toText(sql.ref('pk'))} limit ${pageSize}`.execute(read);
    return { results: rows.map((entry) => ({ ...entry, requests: JSON.parse(entry.requests) })) };
  },
});

function userKey(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw Invalid.field('user', 'Enter a number.');
  return Number(text);
}

function uuidIn(name: string, text: string): string {
  if (!isUuid(text)) throw Invalid.field(name, 'Enter a valid UUID.');
  return canonicalUuid(text);
}
