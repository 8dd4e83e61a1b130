import { type RawBuilder, sql } from 'kysely';
import { isJsonObject } from '../../lib/json.ts';
import { mapInTurns } from '../../lib/map-in-turns.ts';
import type { Dialect } from '../../platform/db/dialect.ts';
import { nullIfUnreadable, sealContext } from '../../platform/keys.ts';
import { derivedField } from '../fields/computed.ts';
import { asStored, type Derive, type Field, fromJson, isShown, type ReadContext, type Row } from '../fields/field.ts';
import { joinedKeys } from '../fields/ref.ts';
import { integer, uuid } from '../fields/scalar.ts';
import { text } from '../fields/text.ts';
import type { Registry, Resource } from '../resource.ts';
import type { Plan, PlanColumn } from './row-plan.ts';

export interface PlanNeeds {
  readonly registry: Registry;
  readonly dialect: Dialect;
  /** Seeing an object is not enough to see its secrets: they require a permission of their own. */
  readonly maySeeSecrets: MaySee;
  /** Which nested rows of resources with `nestedPrivacy` the caller may view. */
  readonly mayView: MaySee;
  /** The `include_…` parameters that the caller has set to false. */
  readonly without?: ReadonlySet<string>;
}

/** All objects of a resource, none, or those in a subquery. */
export type MaySee = (resource: Resource) => boolean | RawBuilder<unknown>;

/** Of JSON; a shorter one is shown in a few milliseconds. */
const longText = 200_000;

/** Marks rows whose secrets the caller may see; absent if the caller may see all. */
const secretsColumn = '$secrets';

/** Marks nested rows that the caller may view; absent if the caller may view all. */
const viewColumn = '$view';

export function planOf(resource: Resource, view: string, needs: PlanNeeds, depth = 0): Plan {
  const fields = membersOf(resource, view).filter(([, { notNested }]) => depth === 0 || !notNested);
  const members = fields.map(([name, field]) => {
    const objects = objectsOf(field, fields, needs);
    return objects === null
      ? compile(resource, name, field, needs, depth)
      : { name, field, objects, column: null, read: null, derive: null };
  });
  const secrets = depth === 0 ? secretsOf(resource) : [];
  const seen = secrets.length > 0 ? needs.maySeeSecrets(resource) : true;
  const { nestedPrivacy } = resource;
  const viewable = depth > 0 && nestedPrivacy ? needs.mayView(resource) : true;
  const privateMembers = fields.filter(([name]) => nestedPrivacy?.members.includes(name));
  const hidePrivate = (row: Row, raw: Row): void => {
    if (viewable === true || raw[viewColumn]) return;
    for (const [name, { nullable, schema }] of privateMembers) row[name] = nullable ? null : emptyOf(schema);
  };
  const columns = [
    ...members.flatMap(({ column }) => (column ? [column] : [])),
    ...(seen === true ? [] : [{ alias: secretsColumn, expression: isAmong(resource, seen), json: false }]),
    ...(viewable === true ? [] : [{ alias: viewColumn, expression: isAmong(resource, viewable, depth), json: false }]),
  ];
  const stored = members.filter((member): member is Stored => member.read !== null);
  const keyLists = members.filter((member): member is KeyList => member.objects !== undefined);
  const lists = members.filter((member): member is NestedList => member.showAhead !== undefined);
  const derivedMembers = members.filter((member): member is Derived => member.derive !== null);
  const keyName = resource.keyName ?? 'pk';
  const shown = members.filter(({ field }) => isShown(field)).map(({ name }) => name);
  const hidden = members.filter(({ field }) => !isShown(field)).map(({ name }) => name);
  if (keyName !== 'pk') hidden.push('pk');
  // A template with all members in order, so that each row only needs its values.
  const blank: Row = Object.fromEntries([...shown, ...hidden].map((name) => [name, undefined]));
  const converted = stored.filter(({ read }) => read !== asStored);
  const columnless = members.findIndex(({ column }) => column === null);
  // JSON that the database built then lacks only derived members, which come last.
  const isNearlyDone =
    hidden.length === 0 &&
    viewable === true &&
    members.slice(columnless === -1 ? members.length : columnless).every(({ derive }) => derive !== null);
  const complete = (row: Row, context: ReadContext): Row => {
    // The column under `keyName` is the key.
    for (const { name, read } of converted) row[name] = read(row[name], context, true, row[keyName] as Key);
    for (const { name, derive } of derivedMembers) row[name] = derive(row, context);
    return row;
  };
  const readInto = (row: Row, raw: Row, context: ReadContext, nested: boolean): Row => {
    // The column under `keyName` is the key.
    for (const { name, read } of stored)
      row[name] = read === asStored ? raw[name] : read(raw[name], context, nested, raw[keyName] as Key);
    for (const { name, objects } of keyLists) row[name] = keysIn(row[objects]);
    // Code reads the key as `pk`, whatever name it is shown by.
    if (keyName !== 'pk') row.pk = raw[keyName];
    return row;
  };
  return {
    columns,
    list: sql.join(columns.map(({ expression, alias }) => sql`${expression} as ${sql.ref(alias)}`)),
    show: (raw, context, nested = false) => {
      if (nested && isNearlyDone) return complete(raw, context);
      const row = readInto({ ...blank }, raw, context, nested);
      hidePrivate(row, raw);
      for (const { name, derive } of derivedMembers) row[name] = derive(row, context);
      if (seen !== true && !raw[secretsColumn]) for (const [name, field] of secrets) row[name] = hiddenSecret(field);
      // Undefined members are omitted from JSON.
      for (const name of hidden) row[name] = undefined;
      return row;
    },
    load: (raw, context) => readInto({}, raw, context, false),
    async showAhead(rows, context) {
      for (const { name, showAhead } of lists)
        for (const { [name]: text } of rows)
          if (typeof text === 'string' && text.length > longText) await showAhead(text, context);
    },
  };
}

const isAmong = (resource: Resource, keys: false | RawBuilder<unknown>, depth = 0): RawBuilder<unknown> =>
  keys === false ? sql`0` : sql`case when ${resource.row(depth).col('pk')} in (${keys}) then 1 else 0 end`;

/** The secrets that a resource shows to those who may see them. */
export const secretsOf = ({ allFields }: Resource): [string, Field][] =>
  Object.entries(allFields).filter(([, field]) => field.secret && isShown(field));

/** The placeholder for a secret that the caller may not see. */
const hiddenSecret = ({ schema }: Field): unknown => (schema.type === 'string' ? '' : {});

/** The value of a private member; nested lists have no schema of their own here. */
function emptyOf({ type }: Field['schema']): unknown {
  if (type === 'string') return '';
  return type === 'object' ? {} : [];
}

/**
 * The fields of a view in order. `full` and `bare` include hidden columns, `listed` those that derived members may
 * read; a declared view names them.
 */
export function membersOf(resource: Resource, view: string): [string, Field][] {
  const key: [string, Field][] = [[resource.keyName ?? 'pk', keyField(resource)]];
  const all: [string, Field][] = [...key, ...Object.entries(resource.allFields)];
  if (view === 'full') return all;
  if (view === 'bare') return all.filter(([, { storage }]) => storage.in !== 'nested' || !storage.nest.unless);
  if (view === 'listed') return all.filter(([, { internal }]) => !internal);
  const declared = resource.views?.[view];
  if (!declared) throw new Error(`${resource.model} has no view "${view}"`);
  const { fields: names, fixed = {}, instead = {} } = declared;
  return all
    .filter(([name]) => names.includes(name))
    .map(([name, field]) => [
      name,
      Object.hasOwn(fixed, name) ? derivedField(field.schema, () => fixed[name]) : (instead[name] ?? field),
    ]);
}

export function keyField(resource: Resource): Field {
  const options = { readOnly: true, ...(resource.keyName === null && { writeOnly: true }) };
  if (resource.key === 'int') return integer(options);
  return resource.key === 'uuid' ? uuid(options) : text(options);
}

type Key = string | number;

interface Member {
  readonly name: string;
  readonly field: Field;
  readonly column: PlanColumn | null;
  readonly read: ((raw: unknown, context: ReadContext, nested: boolean, key: Key) => unknown) | null;
  readonly derive: Derive | null;
  /** The member whose nested objects include the keys that this one lists. */
  readonly objects?: string;
  /** Shows the objects of a long list some at a time, for `read` to find. */
  readonly showAhead?: (text: string, context: ReadContext) => Promise<void>;
}

type NestedList = Member & { readonly showAhead: NonNullable<Member['showAhead']> };
type KeyList = Member & { readonly objects: string };
type Stored = Member & { readonly read: NonNullable<Member['read']> };
type Derived = Member & { readonly derive: Derive };

/** The member that nests the objects whose keys a field lists, if any: then a set of keys needs no query of its own. */
function objectsOf({ storage }: Field, fields: readonly [string, Field][], needs: PlanNeeds): string | null {
  if (storage.in !== 'join' || storage.join.isOrdered) return null;
  const { table, own } = storage.join;
  const found = fields.find(([, other]) => {
    if (other.storage.in !== 'nested') return false;
    const { pairs, model, view, unless } = other.storage.nest;
    if (pairs?.table !== table || pairs.own !== own || (unless && needs.without?.has(unless))) return false;
    const target = needs.registry.require(model);
    return target.keyName === 'pk' && (view === 'full' || target.views?.[view]?.fields.includes('pk'));
  });
  return found?.[0] ?? null;
}

/** Sorted as the databases sort keys. */
const keysIn = (objects: unknown): Key[] =>
  Array.isArray(objects) ? objects.map(({ pk }) => pk).sort((a, b) => (a < b ? -1 : 1)) : [];

function readerOf(resource: Resource, name: string, field: Field): Member['read'] {
  // A secret that cannot be decrypted shows as null: it must not break the list, and can be set again.
  if (field.secret)
    return (raw, { world }, nested, key) =>
      nullIfUnreadable(() => field.fromColumn(raw, world, sealContext(resource.rootTable, name, key), nested));
  if (field.fromColumn === asStored) return asStored;
  if (field.fromColumn === fromJson)
    return (raw, context, nested) =>
      nested || typeof raw !== 'string' ? raw : readOnce(field, raw, context, JSON.parse);
  return (raw, { world }, nested) => field.fromColumn(raw, world, '', nested);
}

/** Neighbouring rows of a page often hold the same text: events that of their brand, tokens that of their provider. */
function readOnce(member: object, text: string, { last }: ReadContext, read: (text: string) => unknown): unknown {
  const known = last.get(member);
  if (known?.text === text) return known.value;
  const value = read(text);
  last.set(member, { text, value });
  return value;
}

function compile(resource: Resource, name: string, field: Field, needs: PlanNeeds, depth: number): Member {
  const row = resource.row(depth);
  const { storage } = field;
  const read = readerOf(resource, name, field);
  const member = (expression: RawBuilder<unknown>, json: boolean, reader = read): Member => ({
    name,
    field,
    column: { alias: name, expression, json },
    read: reader,
    derive: null,
  });

  switch (storage.in) {
    case 'column': {
      const column = storage.shownAs?.(row, needs.dialect) ?? row.col(name === resource.keyName ? 'pk' : name);
      const guarded = field.secret && depth > 0 ? guard(resource, column, needs, depth) : column;
      return member(guarded, storage.type === 'json');
    }
    case 'join': {
      const { join } = storage;
      return member(needs.dialect.jsonValues(joinedKeys(join, row), join.other), true);
    }
    case 'query':
      return member(storage.select(row, needs.dialect), storage.json);
    case 'nested': {
      const { nest } = storage;
      if (nest.unless && needs.without?.has(nest.unless)) return member(sql`null`, true, () => null);
      const target = needs.registry.require(nest.model);
      const plan = planOf(target, nest.view === 'full' ? 'listed' : nest.view, needs, depth + 1);
      const other = target.row(depth + 1);
      const order = nest.order ? sql` order by ${other.col(nest.order)}` : sql``;
      const rows = sql`select ${plan.list} from ${target.from(depth + 1)} where ${nest.where(other, row, name)}${order}`;
      const { dialect } = needs;
      const expression = nest.many ? dialect.jsonArray(rows, plan.columns) : dialect.jsonObject(rows, plan.columns);
      // Built by the database from the nested rows: one, or a list.
      const show = (value: unknown, context: ReadContext) =>
        Array.isArray(value)
          ? value.map((item) => plan.show(item, context, true))
          : isJsonObject(value) && plan.show(value, context, true);
      const nesting = member(expression, true, (raw, context, nested) => {
        if (raw === null) return null;
        if (nested) return show(raw, context);
        return readOnce(
          plan,
          String(raw),
          context,
          (text) => context.ahead.get(plan)?.get(text) ?? show(JSON.parse(text), context),
        );
      });
      if (!nest.many) return nesting;
      return {
        ...nesting,
        async showAhead(text, context) {
          const objects: Row[] = JSON.parse(text);
          const shown = await mapInTurns(objects, (object) => plan.show(object, context, true));
          const ahead = context.ahead.get(plan) ?? new Map<string, unknown>();
          context.ahead.set(plan, ahead.set(text, shown));
        },
      };
    }
    case 'nowhere':
      return { name, field, column: null, read: null, derive: storage.derive };
  }
}

/** Blanks a nested secret for callers who may not see the secrets of its object. */
function guard(
  resource: Resource,
  column: RawBuilder<unknown>,
  { maySeeSecrets }: PlanNeeds,
  depth: number,
): RawBuilder<unknown> {
  const visible = maySeeSecrets(resource);
  if (visible === true) return column;
  if (visible === false) return sql`''`;
  return sql`case when ${resource.row(depth).col('pk')} in (${visible}) then ${column} else '' end`;
}
