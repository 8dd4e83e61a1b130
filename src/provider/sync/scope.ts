import { type RawBuilder, sql } from 'kysely';
import { foldName } from '../../lib/fold-name.ts';
import { lowerAscii, nameKey } from '../../lib/name-key.ts';
import type { Query } from '../../platform/db/database.ts';
import { canonicalUuid, isUuid } from '../../resource/fields/scalar.ts';
import type { ObjectType } from './facts.ts';
import type { Target } from './target.ts';

/** Accounts of programs. */
const serviceTypes = ['service_account', 'internal_service_account'];

/** Whether a user (by the alias `o`) belongs to what the provider sends. Groups all do. */
function inScope(target: Pick<Target, 'leavesServiceAccounts' | 'filterGroup'>, type: ObjectType): RawBuilder<unknown> {
  if (type === 'group') return sql`1 = 1`;
  const conditions: RawBuilder<unknown>[] = [sql`1 = 1`];
  if (target.leavesServiceAccounts) conditions.push(sql`o.type not in (${sql.join(serviceTypes)})`);
  if (target.filterGroup !== null) {
    conditions.push(
      sql`exists (select 1 from user_groups f where f."user" = o.pk and f."group" = ${target.filterGroup})`,
    );
  }
  return sql.join(conditions, sql` and `);
}

const tableOf = (type: ObjectType) => sql.table(type === 'user' ? 'users' : 'groups');

export type ObjectKey = number | string;

/** The key of an object in a text from a caller; null if it is none. */
export function keyOf(type: ObjectType, text: string): ObjectKey | null {
  if (type === 'group') return isUuid(text) ? canonicalUuid(text) : null;
  return /^\d{1,9}$/.test(text) ? Number(text) : null;
}

/** Those of the keys whose objects are in scope. */
export async function keysInScope(
  query: Query,
  target: Target,
  type: ObjectType,
  keys: readonly ObjectKey[],
): Promise<ObjectKey[]> {
  if (keys.length === 0) return [];
  const { rows } = await sql<{ pk: ObjectKey }>`select o.pk from ${tableOf(type)} o
    where o.pk in (${sql.join(keys)}) and ${inScope(target, type)}`.execute(query);
  return rows.map(({ pk }) => pk);
}

/** The next keys in scope after this one; an empty text is the beginning. */
export async function pageOfScope(
  query: Query,
  target: Target,
  type: ObjectType,
  after: string,
  limit: number,
): Promise<ObjectKey[]> {
  const position = type === 'user' ? Number(after) : after;
  const past = after === '' ? sql`1 = 1` : sql`o.pk > ${position}`;
  const { rows } = await sql<{ pk: ObjectKey }>`select o.pk from ${tableOf(type)} o
    where ${past} and ${inScope(target, type)} order by o.pk limit ${limit}`.execute(query);
  return rows.map(({ pk }) => pk);
}

export async function countScope(query: Query, target: Target, type: ObjectType): Promise<number> {
  const { rows } = await sql<{ objects: number | string }>`select count(*) as objects from ${tableOf(type)} o
    where ${inScope(target, type)}`.execute(query);
  return Number(rows[0]?.objects ?? 0);
}

/** The condition for rows of the ledger whose objects were deleted or have left the scope. */
export const isStale = (target: Target, type: ObjectType): RawBuilder<unknown> =>
  sql`sync_objects.${sql.ref(type)} is not null and not exists (select 1 from ${tableOf(type)} o
    where o.pk = sync_objects.${sql.ref(type)} and ${inScope(target, type)})`;

/**
 * Objects in scope by one of the names that targets know them by, folded (`foldName`): user names and addresses, or
 * names of groups. A name that several have identifies none of them.
 */
export async function scopeByNames(
  query: Query,
  target: Target,
  type: ObjectType,
  names: readonly string[],
): Promise<Map<string, ObjectKey>> {
  if (names.length === 0) return new Map();
  const wanted = new Set(names.map(foldName));
  const columns = type === 'user' ? ['email', 'username'] : ['name'];
  const found = new Map<string, ObjectKey>();
  for (const column of columns) {
    const condition =
      type === 'user'
        ? sql`o.${sql.ref(`${column}_key`)} in (${sql.join(names.map(nameKey))})`
        : sql`lower(o.${sql.ref(column)}) in (${sql.join(names.map(lowerAscii))})`;
    const { rows } = await sql<{ pk: ObjectKey; name: string }>`select o.pk, o.${sql.ref(column)} as name
      from ${tableOf(type)} o where ${condition} and ${inScope(target, type)}`.execute(query);
    for (const [name, sharers] of Map.groupBy(rows, (row) => foldName(row.name))) {
      const [object] = sharers;
      if (!object || !wanted.has(name)) continue;
      if (sharers.length === 1) found.set(name, object.pk);
      else found.delete(name);
    }
  }
  return found;
}
