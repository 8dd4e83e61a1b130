import { sql } from 'kysely';
import { isJsonObject } from '../../lib/json.ts';
import type { Query } from '../../platform/db/database.ts';
import type { Field, Fields } from '../fields/field.ts';
import { isRef } from '../fields/ref.ts';
import { isUuid } from '../fields/scalar.ts';
import type { Registry, Resource } from '../resource.ts';

/** The resource that a reference points to, if its objects have slugs. */
export function sluggedTarget(field: Field, registry: Registry): Resource | null {
  if (!isRef(field) || field.keyType !== 'uuid') return null;
  const target = registry.find(field.model);
  return target?.allFields.slug?.unique && target.key === 'uuid' ? target : null;
}

const isSlug = (value: unknown): value is string =>
  typeof value === 'string' && /^[-\w]{1,200}$/.test(value) && !isUuid(value);

/** The key of the object with this slug, or null. */
export async function keyOfSlug(target: Resource, slug: string, db: Query): Promise<string | null> {
  const row = target.row();
  const { rows } = await sql<{ pk: string }>`select ${row.col('pk')} as pk from ${target.from()}
    where ${row.col('slug')} = ${slug}`.execute(db);
  return rows[0]?.pk ?? null;
}

/** Replaces slugs in a body by keys. An unknown slug stays and is refused as an invalid key. */
export async function withKeys(fields: Fields, body: unknown, db: Query, registry: Registry): Promise<unknown> {
  if (!isJsonObject(body)) return body;
  const changed: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(body)) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    const slugs = [value].flat().filter(isSlug);
    const target = field && slugs.length > 0 ? sluggedTarget(field, registry) : null;
    if (!target) continue;
    const keys = new Map<unknown, string | null>();
    for (const slug of new Set(slugs.slice(0, maxSlugs))) keys.set(slug, await keyOfSlug(target, slug, db));
    const resolved = (one: unknown) => keys.get(one) ?? one;
    changed[name] = Array.isArray(value) ? value.map(resolved) : resolved(value);
  }
  return { ...body, ...changed };
}

/** Each slug costs a statement; longer lists must use keys. */
const maxSlugs = 100;
