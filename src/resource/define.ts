import { type RawBuilder, sql } from 'kysely';
import { memoize } from '../lib/memoize.ts';
import { stringSchema } from './document/json-schema.ts';
import { derivedField } from './fields/computed.ts';
import type { Field, Fields, RowAlias } from './fields/field.ts';
import { filterTable } from './list/query.ts';
import type { KeyType, NoFields, StoredRow } from './read/stored-row.ts';
import type { Action, Declaration, Derived, Resource } from './resource.ts';
import { allVerbs } from './verb.ts';

/** Bounds that no declaration reaches. */
const maxDepth = 20;
const maxColumns = 200;

export function defineResource<F extends Fields, K extends KeyType, G extends Fields = NoFields>(
  declaration: Declaration<F, G, K>,
): Resource<StoredRow<F, G, K>> {
  const { path, model, family, fields, derived = {}, component, names } = declaration;
  const [app = '', modelName = ''] = model.split('.');
  const baseNames = new Set(Object.keys(family?.fields ?? {}));
  const allFields: Fields = {
    ...family?.fields,
    ...(component !== undefined && descriptive(component, names, model)),
    ...fields,
    ...Object.fromEntries(
      Object.entries(derived).map(([name, { schema, from, optional = false }]: [string, Derived]) => [
        name,
        { ...derivedField(schema, from), ...(optional && { required: false }) },
      ]),
    ),
  };
  // Memoized, and text instead of `sql.ref`: a list names its columns many times, and a reference takes 1 to 2 µs to
  // make and as long again to render.
  const rowAt = memoize(maxDepth, (depth: number): RowAlias => {
    const suffix = depth === 0 ? '' : String(depth);
    const isOfBase = (name: string) => baseNames.has(name) || (family && name === 'kind');
    return {
      alias: `t${suffix}`,
      col: memoize(maxColumns, (name: string) => sql.raw(`"${isOfBase(name) ? 'b' : 't'}${suffix}".${quoted(name)}`)),
    };
  });
  const fromAt = memoize(maxDepth, (depth: number): RawBuilder<unknown> => {
    const suffix = depth === 0 ? '' : String(depth);
    const own = `"${declaration.table}" as "t${suffix}"`;
    const base = family && ` join "${family.table}" as "b${suffix}" on "b${suffix}"."pk" = "t${suffix}"."pk"`;
    return sql.raw(`${own}${base ?? ''}`);
  });
  return {
    ...declaration,
    app,
    modelName,
    operationPrefix: path.split('/').filter(Boolean).join('_'),
    lookup: declaration.lookup ?? 'pk',
    keyName: declaration.keyName === undefined ? 'pk' : declaration.keyName,
    verbs: declaration.verbs ?? allVerbs,
    reaches: declaration.reaches ?? family?.reaches,
    signsIn: declaration.signsIn ?? family?.signsIn,
    allFields,
    filterTable: filterTable(allFields, declaration.filters),
    rootTable: family?.table ?? declaration.table,
    permission: (verb) => `${app}.${verb}_${modelName}`,
    secretPermission: `${app}.view_${modelName}_secret`,
    row: (depth = 0) => rowAt(depth),
    from: (depth = 0) => fromAt(depth),
  };
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

function descriptive(component: string, [singular, plural]: readonly [string, string], model: string): Fields {
  const fixed = (value: string): Field => derivedField(stringSchema, () => value);
  return {
    component: fixed(component),
    verbose_name: fixed(singular),
    verbose_name_plural: fixed(plural),
    meta_model_name: fixed(model),
  };
}

/** An action on the whole set. Infers the types of its body and of what it prepares. */
export const defineAction = <B extends Fields = NoFields, Prepared = unknown>(
  action: Action<unknown, B, Prepared>,
): Action<unknown> => action;

/** An action on a row with the members in `R`: `actionOn<{ pk: string }>()({ … })`. */
export const actionOn =
  <R>() =>
  <B extends Fields = NoFields, Prepared = unknown>(action: Action<R, B, Prepared>): Action<R> =>
    action;
