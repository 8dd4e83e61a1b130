import { sql } from 'kysely';
import { Invalid } from '../../lib/problem.ts';
import type { Query } from '../../platform/db/database.ts';
import { missingObject } from '../../resource/fields/ref.ts';
import { isUuid } from '../../resource/fields/scalar.ts';
import { parseKey } from '../../resource/read/read.ts';
import type { Registry } from '../../resource/resource.ts';

/** An object's key in the form that grants store. Refuses malformed keys and missing objects. */
export async function requireObjectKey(tx: Query, registry: Registry, model: string, text: string): Promise<string> {
  const resource = registry.find(model);
  if (resource?.key === 'uuid' && !isUuid(text)) throw Invalid.whole(`“${text}” is not a valid UUID.`);
  const key = resource && parseKey(resource, text);
  if (!resource || key === null || key === undefined) throw Invalid.field('object_pk', missingObject(text));
  const { rows } = await sql`select 1 from ${resource.from()} where ${resource.row().col('pk')} = ${key}`.execute(tx);
  if (rows.length === 0) throw Invalid.field('object_pk', missingObject(text));
  return String(key);
}
