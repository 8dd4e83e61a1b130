import { type RawBuilder, sql } from 'kysely';
import type { Dialect } from '../../../../platform/db/dialect.ts';
import type { AttributePath } from '../protocol/filter.ts';
import { at, type Leaf, type Place, type Scope } from './filter-sql.ts';
import type { ResourceType } from './resource-type.ts';
import { type Attribute, findAttribute } from './schemas.ts';

const core = /^urn:ietf:params:scim:schemas:core:/i;
const documentColumn = sql.ref('t.attributes');

/** An attribute in the stored document. */
interface Stored {
  readonly path: readonly string[];
  readonly attribute: Attribute | undefined;
}

/** What filters can ask of the records of a type: columns where there are, else the stored document. */
export function recordScope(type: ResourceType, dialect: Dialect): Scope {
  return {
    places(path) {
      const mapped = mappedOf(type, path, dialect);
      if (mapped) return [at(mapped.leaf), ...(mapped.also ?? [])];
      const { path: steps, attribute } = storedOf(type, path);
      if (!attribute || attribute.multiValued)
        return [elementPlace(documentColumn, steps, attribute, path.sub, dialect)];
      return [at({ is: 'json', column: documentColumn, path: [...steps, ...subOf(attribute, path.sub)] })];
    },
    someElement(path, holds) {
      const own = mappedOf(type, { ...path, sub: null }, dialect)?.elements;
      if (own) return own(holds);
      const { path: steps, attribute } = storedOf(type, path);
      return someElement({ column: documentColumn, path: steps, attribute }, dialect, 0, holds);
    },
  };
}

/** Where an attribute is sorted by. */
export function sortLeaf(type: ResourceType, path: AttributePath, dialect: Dialect): Leaf {
  const mapped = mappedOf(type, path, dialect);
  if (mapped) return mapped.leaf;
  const { path: steps, attribute } = storedOf(type, path);
  return { is: 'json', column: documentColumn, path: [...steps, ...subOf(attribute, path.sub)] };
}

function mappedOf(type: ResourceType, { schema, attribute, sub }: AttributePath, dialect: Dialect) {
  if (schema !== null && !core.test(schema)) return undefined;
  return type.mapped(dialect)[(sub === null ? attribute : `${attribute}.${sub}`).toLowerCase()];
}

function storedOf({ schema, extensions }: ResourceType, path: AttributePath): Stored {
  if (path.schema === null || core.test(path.schema)) {
    const attribute = findAttribute(schema.attributes, path.attribute);
    return { path: [attribute?.name ?? path.attribute], attribute };
  }
  const wanted = path.schema.toLowerCase();
  const extension = extensions.find(({ id }) => id.toLowerCase() === wanted);
  const attribute = findAttribute(extension?.attributes ?? [], path.attribute);
  return { path: [extension?.id ?? path.schema, attribute?.name ?? path.attribute], attribute };
}

/** Without a member, a complex attribute stands for its value. */
function subOf(attribute: Attribute | undefined, sub: string | null): readonly string[] {
  if (sub === null) return attribute?.type === 'complex' ? ['value'] : [];
  return [findAttribute(attribute?.subAttributes ?? [], sub)?.name ?? sub];
}

/** The elements of a list in the document. Those of an attribute that no schema has may be plain values. */
function elementPlace(
  column: RawBuilder<unknown>,
  path: readonly string[],
  attribute: Attribute | undefined,
  sub: string | null,
  dialect: Dialect,
): Place {
  const leaf = (steps: readonly string[]): Leaf => ({ is: 'json', column: sql.ref('e0.value'), path: steps });
  return (holds) => {
    const condition =
      attribute || sub !== null
        ? holds(leaf(subOf(attribute, sub)))
        : sql`(${holds(leaf([]))} or ${holds(leaf(['value']))})`;
    return sql`exists (select 1 from ${dialect.jsonElements(column, path)} as e0 where ${condition})`;
  };
}

interface List extends Stored {
  readonly column: RawBuilder<unknown>;
}

function someElement(
  { column, path, attribute }: List,
  dialect: Dialect,
  depth: number,
  holds: Parameters<Scope['someElement']>[1],
) {
  const alias = `e${depth}`;
  const value = sql.ref(`${alias}.value`);
  const nameOf = (name: string) => findAttribute(attribute?.subAttributes ?? [], name)?.name ?? name;
  const scope: Scope = {
    places: ({ attribute: name, sub }) => [
      at({ is: 'json', column: value, path: [nameOf(name), ...(sub === null ? [] : [sub])] }),
    ],
    someElement: ({ attribute: name }, inner) =>
      someElement({ column: value, path: [nameOf(name)], attribute: undefined }, dialect, depth + 1, inner),
  };
  return sql<boolean>`exists (select 1 from ${dialect.jsonElements(column, path)} as ${sql.ref(alias)} where ${holds(scope)})`;
}
