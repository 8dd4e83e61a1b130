import { type RawBuilder, sql } from 'kysely';
import { isJsonObject } from '../../lib/json.ts';
import { parseTimestamp } from '../../platform/clock.ts';
import {
  integerSchema,
  type JsonSchema,
  stringSchema,
  timeSchema,
  uuidSchema,
} from '../../resource/document/json-schema.ts';
import { canonicalUuid, isUuid } from '../../resource/fields/scalar.ts';
import { choicesFor } from '../../resource/fields/text.ts';
import { findUnstorable } from '../../resource/fields/well-formed.ts';
import { notAvailable } from '../../resource/list/query.ts';
import type { Filter } from '../../resource/resource.ts';

// Databases refuse larger conditions.
const maxMembers = 50;
const maxMemberDepth = 32;

/** `attributes={"team":"blue","home__city":"Bern"}`: matches rows whose attributes have these values. */
export const attributesFilter: Filter = {
  schema: stringSchema,
  condition({ texts, row, dialect }) {
    const wanted = parseObject(texts.at(-1) ?? '');
    if (typeof wanted === 'string') return { complaint: wanted };
    const complaint = findUnstorable(wanted);
    if (complaint) return { complaint };
    const members = leaves(wanted, []);
    if (members.length === 0) return null;
    if (members.length > maxMembers || members.some(([path]) => path.length > maxMemberDepth)) {
      return { complaint: 'Value has too many members.' };
    }
    const conditions = members.map(([path, value]) => dialect.jsonEquals(row.col('attributes'), path, value));
    return sql`(${sql.join(conditions, sql` and `)})`;
  },
};

function parseObject(text: string): Record<string, unknown> | string {
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) return value;
    return 'Value must be key:value mapping.';
  } catch {
    return 'Failed to parse JSON.';
  }
}

/** Descends into objects, so that members absent from the filter do not matter. */
function leaves(value: Readonly<Record<string, unknown>>, above: readonly string[]): [string[], unknown][] {
  return Object.entries(value).flatMap(([name, inner]): [string[], unknown][] => {
    const path = [...above, ...name.split('__')];
    return isJsonObject(inner) ? leaves(inner, path) : [[path, inner]];
  });
}

interface Membership {
  readonly table: string;
  readonly own: string;
  readonly other: string;
}

type By = 'name' | 'uuid' | 'int';
const itemSchema: Record<By, JsonSchema> = { name: stringSchema, uuid: uuidSchema, int: integerSchema };

/**
 * Matches rows linked to any of the named objects, by key or by one of their columns. A missing object is an error; for
 * names, only for callers who may view all (user enumeration).
 */
export function linkedFilter(join: Membership, model: string, column: string, by: By): Filter {
  return {
    schema: { type: 'array', items: itemSchema[by] },
    many: true,
    async condition({ texts, row, call, registry }) {
      const { table, permission } = registry.require(model);
      const keys = new Map<string, string | number>();
      for (const text of texts) {
        const key = readKey(text, by);
        if (key === null) return { complaint: by === 'uuid' ? `“${text}” is not a valid UUID.` : notAvailable(text) };
        keys.set(text, key);
      }
      const found = await sql<{ value: string | number; pk: unknown }>`
        select ${sql.ref(column)} as value, pk from ${sql.table(table)} where ${sql.ref(column)} in (${sql.join([...keys.values()])})`.execute(
        call.db.read,
      );
      const present = new Set(found.rows.map(({ value }) => value));
      const absent = texts.find((text) => !present.has(keys.get(text) ?? ''));
      if (absent !== undefined) {
        // Otherwise a caller who may view one group could test names for accounts (user enumeration).
        const isTold = by !== 'name' || call.actor?.holds(permission('view'));
        return isTold ? { complaint: notAvailable(absent) } : sql`1 = 0`;
      }
      const others = sql.join(found.rows.map(({ pk }) => pk));
      return sql`${row.col('pk')} in (select ${sql.ref(join.own)} from ${sql.table(join.table)} where ${sql.ref(join.other)} in (${others}))`;
    },
  };
}

function readKey(text: string, by: By): string | number | null {
  if (by === 'name') return text;
  if (by === 'uuid') return isUuid(text) ? canonicalUuid(text) : null;
  return /^\d{1,9}$/.test(text) ? Number(text) : null;
}

/** Matches rows whose column starts with the text, case-sensitively. */
export function startsWithFilter(column: string): Filter {
  return {
    schema: stringSchema,
    condition({ texts, row }): RawBuilder<unknown> {
      const text = texts.at(-1) ?? '';
      return sql`substr(${row.col(column)}, 1, ${[...text].length}) = ${text}`;
    },
  };
}

/** Matches rows in a folder or below it: their path is the text, or begins with it and a slash. */
export function folderFilter(column: string): Filter {
  return {
    schema: stringSchema,
    condition({ texts, row }): RawBuilder<unknown> {
      const folder = texts.at(-1) ?? '';
      const path = row.col(column);
      return sql`(${path} = ${folder} or substr(${path}, 1, ${[...folder].length + 1}) = ${`${folder}/`})`;
    },
  };
}

/** Matches rows whose moment is before the given one, or missing. */
export function notSinceFilter(column: string): Filter {
  return {
    schema: timeSchema,
    condition({ texts, row }) {
      // A plus sign in a query is a space.
      const moment = parseTimestamp((texts.at(-1) ?? '').replace(' ', '+'));
      if (moment === null) return { complaint: 'Enter a valid date/time.' };
      return sql`(${row.col(column)} is null or ${row.col(column)} < ${moment})`;
    },
  };
}

/** Matches rows whose column has one of the given values, from a closed list. */
export function choicesFilter(column: string, values: readonly string[]): Filter {
  return {
    schema: { type: 'array', items: { type: 'string', enum: values } },
    many: true,
    condition({ texts, row }) {
      const unknown = texts.find((text) => !values.includes(text));
      if (unknown !== undefined) return { complaint: `${notAvailable(unknown)}${choicesFor(unknown, values)}` };
      return sql`${row.col(column)} in (${sql.join(texts)})`;
    },
  };
}
