import { type RawBuilder, sql } from 'kysely';
import {
  allVerbs,
  type Declaration,
  type Derived,
  type Filter,
  type KeyType,
  type NoFields,
  type Reach,
  type StoredRow,
  type Verb,
} from './define.ts';
import type { Field, Fields, Row, RowAlias } from './fields/field.ts';
import { derivedField } from './fields/shown.ts';
import { stringSchema } from './json-schema.ts';
import { filterTable } from './query.ts';

/** A declaration with everything that follows from it worked out once; `R` is its row. */
export interface Resource<R = Row> extends Declaration<Fields, Fields, KeyType, R> {
  readonly app: string;
  readonly modelName: string;
  readonly operationPrefix: string;
  readonly lookup: string;
  readonly keyName: string | null;
  readonly verbs: readonly Verb[];
  readonly reaches: Reach | undefined;
  /** All fields: the family's, the descriptive ones, its own. */
  readonly allFields: Fields;
  readonly filterTable: Readonly<Record<string, Filter>>;
  /** The table a row begins in; deleting there takes the rest along. */
  readonly rootTable: string;
  permission(verb: 'view' | 'add' | 'change' | 'delete'): string;
  /** The right to see secrets of its objects; a resource that shows none has no use for it. */
  readonly secretPermission: string;
  /** The row under an alias; base columns are found in the base table. */
  row(depth?: number): RowAlias;
  from(depth?: number): RawBuilder<unknown>;
}

/** The row of a resource. */
export type RowOf<T extends Resource> = T extends Resource<infer R> ? R : never;

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
  return {
    ...declaration,
    app,
    modelName,
    operationPrefix: path.split('/').filter(Boolean).join('_'),
    lookup: declaration.lookup ?? 'pk',
    keyName: declaration.keyName === undefined ? 'pk' : declaration.keyName,
    verbs: declaration.verbs ?? allVerbs,
    reaches: declaration.reaches ?? family?.reaches,
    allFields,
    filterTable: filterTable(allFields, declaration.filters),
    rootTable: family?.table ?? declaration.table,
    permission: (verb) => `${app}.${verb}_${modelName}`,
    secretPermission: `${app}.view_${modelName}_secret`,
    row(depth = 0) {
      const suffix = depth === 0 ? '' : String(depth);
      const alias = `t${suffix}`;
      return {
        alias,
        col: (name) =>
          sql.ref(baseNames.has(name) || (family && name === 'kind') ? `b${suffix}.${name}` : `${alias}.${name}`),
      };
    },
    from(depth = 0) {
      const suffix = depth === 0 ? '' : String(depth);
      const own = sql`${sql.table(declaration.table)} as ${sql.ref(`t${suffix}`)}`;
      if (!family) return own;
      const base = sql.ref(`b${suffix}`);
      return sql`${own} join ${sql.table(family.table)} as ${base} on ${sql.ref(`b${suffix}.pk`)} = ${sql.ref(`t${suffix}.pk`)}`;
    },
  };
}

function descriptive(component: string, [singular, plural]: readonly [string, string], model: string): Fields {
  const fixed = (value: string): Field => derivedField(stringSchema, () => value);
  return {
    component: fixed(component),
    verbose_name: fixed(singular),
    verbose_name_plural: fixed(plural),
    meta_model_name: fixed(model),
  };
}
