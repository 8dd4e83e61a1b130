import { isJsonObject } from '../../lib/json.ts';
import { memoizeWeakly } from '../../lib/memoize.ts';
import { everyCredential } from '../../resource/access/credentials.ts';
import {
  anyButNull,
  arrayOf,
  integerSchema,
  type JsonSchema,
  objectSchema,
  orNull,
  stringSchema,
} from '../../resource/document/json-schema.ts';
import { ReplyWith } from '../../resource/document/operations.ts';
import { defineEndpoint, type Endpoint } from '../../resource/endpoint.ts';
import { boolean } from '../../resource/fields/scalar.ts';
import { json, list } from '../../resource/fields/structured.ts';
import { type BulkWrite, createRunBulk } from '../../resource/write/bulk.ts';

const maxWrites = 100;

const writeSchema: JsonSchema = {
  type: 'object',
  properties: {
    path: { ...stringSchema, description: 'The path of the object below `/api/v3`: `/core/groups/<key>/`.' },
    changes: { type: 'object', additionalProperties: true, description: 'The members to change, as for a PATCH.' },
    delete: { type: 'boolean', description: 'True to delete the object instead.' },
    if_match: { ...stringSchema, description: 'Write only when the object is still as it was read, by its ETag.' },
  },
  required: ['path'],
};

const resultSchema: JsonSchema = {
  ...objectSchema({
    path: stringSchema,
    status: { ...integerSchema, description: 'What the same write by itself would have been answered with.' },
    body: { ...orNull(anyButNull), description: 'The object, the complaints or the error; null after a deletion.' },
    used_by: {
      ...arrayOf({ $ref: '#/components/schemas/UsedBy' }),
      description: 'Of a deletion in a dry run: what refers to the object, and what the deletion would do to it.',
    },
  }),
  required: ['path', 'status', 'body'],
};

/** Changes and deletes many objects of any kind. */
export function bulkEndpoint(): Endpoint {
  const runBulkBy = memoizeWeakly(createRunBulk);
  return defineEndpoint({
    id: 'admin_bulk_create',
    method: 'POST',
    path: '/admin/bulk/',
    summary: 'Change or delete many objects of any kind, each as by a request of its own',
    access: 'authenticated',
    // Each write has rules of its own.
    credentials: everyCredential,
    body: {
      writes: list(json({ schema: writeSchema, check: complaintOf }), {
        max: maxWrites,
        notEmpty: true,
        help: `What to write, in this order; ${maxWrites} at most.`,
      }),
      atomic: boolean({
        default: false,
        help: 'Write all or nothing: the first write that is refused undoes those before it.',
      }),
    },
    bodySchema: 'BulkRequest',
    answer: { status: 200, schema: objectSchema({ results: arrayOf(resultSchema) }), schemaName: 'BulkResponse' },
    opensTransactions: true,
    async run({ call, engine, values }) {
      const { results, faults } = await runBulkBy(engine)(call, values.writes.map(writeOf), values.atomic);
      const body = { results };
      return faults.length === 0 ? body : new ReplyWith(200, body, undefined, new AggregateError(faults));
    },
  });
}

function complaintOf(value: unknown): string | null {
  if (!isJsonObject(value)) return 'Expected an object.';
  const { path, changes, delete: isDelete = false, if_match } = value;
  if (typeof path !== 'string') return 'path: Not a valid string.';
  if (typeof isDelete !== 'boolean') return 'delete: Must be a valid boolean.';
  if (changes !== undefined && !isJsonObject(changes)) return 'changes: Expected an object.';
  if (isDelete === (changes !== undefined)) return 'Give either changes or delete.';
  if (if_match !== undefined && typeof if_match !== 'string') return 'if_match: Not a valid string.';
  return null;
}

/** Reads a write that was checked. */
function writeOf({ path, changes, delete: isDelete, if_match }: Readonly<Record<string, unknown>>): BulkWrite {
  return {
    path: String(path),
    delete: isDelete === true,
    ...(isJsonObject(changes) && { changes }),
    ...(typeof if_match === 'string' && { if_match }),
  };
}
