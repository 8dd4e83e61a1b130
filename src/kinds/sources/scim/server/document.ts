import { isJsonObject } from '../../../../lib/json.ts';
import type { ScimObject } from '../protocol/matches.ts';
import { ScimError } from '../protocol/scim-error.ts';
import { type Attribute, findAttribute, type Schema } from './schemas.ts';

/** Whose attributes a document may have. */
interface Schemas {
  readonly schema: Schema;
  readonly extensions: readonly Schema[];
}

/** Members that are the server's alone, whatever a client sends; passwords are not taken. */
const serverOwned = new Set(['id', 'meta', 'groups', 'password']);

export const isServerOwned = (name: string): boolean => serverOwned.has(name.toLowerCase());

/**
 * The document of a client in the spelling of the schema: names as they are declared, lists where lists belong,
 * booleans that came as text. Without members that only the server sets. Members that no schema has stay as they are.
 * Lists and elements that are `settled` are not gone through again.
 */
export function canonicalDocument(
  { schema, extensions }: Schemas,
  body: unknown,
  settled: WeakSet<object> = new WeakSet(),
): ScimObject {
  if (!isJsonObject(body)) throw new ScimError(400, 'The body must be an object.', 'invalidSyntax');
  const members: [string, unknown][] = [];
  for (const [name, value] of Object.entries(body)) {
    if (isServerOwned(name) || isNothing(value)) continue;
    const extension = extensions.find(({ id }) => id.toLowerCase() === name.toLowerCase());
    if (extension) members.push([extension.id, membersOf(extension.attributes, value, extension.id, settled)]);
    // Some clients put the core attributes below the name of their schema.
    else if (name.toLowerCase() === schema.id.toLowerCase()) {
      members.push(...Object.entries(membersOf(schema.attributes, value, schema.id, settled)));
    } else members.push(canonicalMember([...common, ...schema.attributes], name, value, settled));
  }
  return Object.fromEntries(members);
}

/** Values of one attribute. Members of a group are rows, not values. */
const maxValues = 100;
/** Of a document as JSON, in UTF-16 code units. Real ones have a few thousand. */
const maxLength = 65_536;

/**
 * Filters look at all values of all documents for each of their conditions, so both are bounded. Stored documents over
 * the limit may stay, but not grow.
 */
export function checkSize(document: ScimObject, before: ScimObject = {}): void {
  const { members: _, ...values } = document;
  checkValues(values, before, 0);
  if (JSON.stringify(values).length > Math.max(maxLength, JSON.stringify(before).length)) {
    throw new ScimError(400, `The resource is longer than ${maxLength} characters.`, 'tooMany');
  }
}

function checkValues(object: ScimObject, before: unknown, depth: number): void {
  for (const [name, value] of Object.entries(object)) {
    const stored = isJsonObject(before) ? before[name] : undefined;
    if (Array.isArray(value) && value.length > Math.max(maxValues, Array.isArray(stored) ? stored.length : 0)) {
      throw new ScimError(400, `The attribute ${name.slice(0, 100)} has more than ${maxValues} values.`, 'tooMany');
    }
    // Extensions have lists of their own.
    if (isJsonObject(value) && depth === 0) checkValues(value, stored, depth + 1);
  }
}

export const isNothing = (value: unknown): value is null | undefined => value === null || value === undefined;

/** Attributes that resources of all schemas have. */
const common: readonly Attribute[] = [
  { name: 'externalId', description: '' },
  { name: 'schemas', description: '', multiValued: true },
];

function membersOf(attributes: readonly Attribute[], value: unknown, of: string, settled: WeakSet<object>): ScimObject {
  if (!isJsonObject(value)) throw wrongType(of, 'an object');
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => !isNothing(member))
      .map(([name, member]) => canonicalMember(attributes, name, member, settled)),
  );
}

function canonicalMember(
  attributes: readonly Attribute[],
  name: string,
  value: unknown,
  settled: WeakSet<object>,
): [string, unknown] {
  const attribute = findAttribute(attributes, name);
  if (!attribute) return [name, value];
  if (!attribute.multiValued) return [attribute.name, canonicalValue(attribute, value, settled)];
  if (Array.isArray(value) && settled.has(value)) return [attribute.name, value];
  const given: readonly unknown[] = Array.isArray(value) ? value : [value];
  const list = given.filter((one) => one !== null).map((one) => canonicalElement(attribute, one, settled));
  settled.add(list);
  return [attribute.name, list];
}

function canonicalElement(attribute: Attribute, value: unknown, settled: WeakSet<object>): unknown {
  if (isJsonObject(value) && settled.has(value)) return value;
  const canonical = canonicalValue(attribute, value, settled);
  if (isJsonObject(canonical)) settled.add(canonical);
  return canonical;
}

function canonicalValue(attribute: Attribute, value: unknown, settled: WeakSet<object>): unknown {
  const { name, type = 'string', subAttributes = [] } = attribute;
  if (type === 'complex') {
    // `manager: "7"` and `emails: ["a@b.example"]` mean the value.
    const object = isJsonObject(value) || !findAttribute(subAttributes, 'value') ? value : { value };
    return membersOf(subAttributes, object, name, settled);
  }
  if (type === 'boolean') {
    if (typeof value === 'string' && /^(true|false)$/i.test(value)) return value.toLowerCase() === 'true';
    if (typeof value !== 'boolean') throw wrongType(name, 'true or false');
    return value;
  }
  // Accept numbers as text: some clients send employee numbers so.
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') throw wrongType(name, 'a text');
  return value;
}

const wrongType = (name: string, what: string) =>
  new ScimError(400, `The attribute ${name} must be ${what}.`, 'invalidValue');

/** The member as a text, or undefined. */
export function textMember(object: unknown, name: string): string | undefined {
  const value = isJsonObject(object) ? object[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}

export const listMember = (object: ScimObject, name: string): readonly unknown[] => {
  const value = object[name];
  return Array.isArray(value) ? value : [];
};
