import { asText, isJsonObject } from '../../../../lib/json.ts';
import type { AttributePath, Comparison, FilterValue, ScimFilter } from './filter.ts';

/** A document, or an element of one of its attributes. */
export type ScimObject = Readonly<Record<string, unknown>>;

/** The member's name as the object spells it: names in SCIM are case-insensitive. */
export function memberName(object: ScimObject, name: string): string {
  if (Object.hasOwn(object, name)) return name;
  const wanted = name.toLowerCase();
  return Object.keys(object).find((key) => key.toLowerCase() === wanted) ?? name;
}

export function member(object: ScimObject, name: string): unknown {
  const key = memberName(object, name);
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Whether the filter holds for the object. One matching value of an attribute is enough. */
export function matches(filter: ScimFilter, object: ScimObject): boolean {
  switch (filter.is) {
    case 'and':
      return matches(filter.left, object) && matches(filter.right, object);
    case 'or':
      return matches(filter.left, object) || matches(filter.right, object);
    case 'not':
      return !matches(filter.filter, object);
    case 'present':
      return valuesAt(object, filter.path).some(
        (value) => value !== '' && (!isJsonObject(value) || Object.keys(value).length > 0),
      );
    case 'element':
      return valuesAt(object, filter.path).some((value) => matches(filter.filter, asElement(value)));
    case 'compare':
      return compareAny(valuesAt(object, filter.path), filter.by, filter.value);
  }
}

/** A plain value in a list can be filtered as `value`. */
export const asElement = (value: unknown): ScimObject => (isJsonObject(value) ? value : { value });

function valuesAt(object: ScimObject, { schema, attribute, sub }: AttributePath): unknown[] {
  const extension = schema === null ? undefined : member(object, schema);
  const found = member(isJsonObject(extension) ? extension : object, attribute);
  const list = (Array.isArray(found) ? found : [found]).filter((value) => value !== undefined && value !== null);
  if (sub === null) return list;
  return list.map((value) => member(asElement(value), sub)).filter((value) => value !== undefined && value !== null);
}

function compareAny(values: readonly unknown[], by: Comparison, wanted: FilterValue): boolean {
  if (by === 'ne') return !compareAny(values, 'eq', wanted);
  if (wanted === null) return by === 'eq' && values.length === 0;
  return values.some((value) => compare(isJsonObject(value) ? value.value : value, by, wanted));
}

function compare(value: unknown, by: Comparison, wanted: string | number | boolean): boolean {
  const [one, other] =
    typeof value === 'number' && typeof wanted === 'number' ? [value, wanted] : [fold(value), fold(wanted)];
  switch (by) {
    case 'eq':
      return one === other;
    case 'co':
      return String(one).includes(String(other));
    case 'sw':
      return String(one).startsWith(String(other));
    case 'ew':
      return String(one).endsWith(String(other));
    case 'gt':
      return one > other;
    case 'ge':
      return one >= other;
    case 'lt':
      return one < other;
    case 'le':
      return one <= other;
    case 'ne':
      return one !== other;
  }
}

/** Texts are compared without case. */
export const fold = (value: unknown): string => asText(value).toLowerCase();
