import { asObject, asText, isJsonObject } from '../../../../lib/json.ts';
import { type AttributePath, type PatchPath, parsePath, type ScimFilter } from './filter.ts';
import { asElement, fold, matches, member, memberName, type ScimObject } from './matches.ts';
import { ScimError } from './scim-error.ts';

const maxOperations = 1_000;
/**
 * What a PATCH costs is the product of its operations and of the members, elements and conditions that each goes
 * through. This much takes about a second; writing takes longer than comparing.
 */
const maxVisits = 2_000_000;
const visitsToRewrite = 4;

export interface PatchOperation {
  readonly op: 'add' | 'replace' | 'remove';
  readonly path: PatchPath | null;
  readonly value: unknown;
}

/** Parses the body of a PATCH (RFC 7644, section 3.5.2). Operations may be capitalized, as some large senders do. */
export function readOperations(body: unknown): PatchOperation[] {
  const list = isJsonObject(body) ? member(body, 'Operations') : undefined;
  if (!Array.isArray(list)) throw new ScimError(400, 'The body has no Operations.', 'invalidSyntax');
  if (list.length > maxOperations) throw new ScimError(400, `At most ${maxOperations} operations at once.`, 'tooMany');
  return list.map((entry) => {
    const op = isJsonObject(entry) ? asText(member(entry, 'op')).toLowerCase() : '';
    if (!isJsonObject(entry) || (op !== 'add' && op !== 'replace' && op !== 'remove')) {
      throw new ScimError(400, 'An operation must be one of add, replace and remove.', 'invalidSyntax');
    }
    const path = member(entry, 'path');
    if (path !== undefined && typeof path !== 'string')
      throw new ScimError(400, 'A path must be a text.', 'invalidPath');
    if (op === 'remove' && !path) throw new ScimError(400, 'An operation that removes needs a path.', 'noTarget');
    return { op, path: path ? parsePath(path) : null, value: member(entry, 'value') };
  });
}

/**
 * Returns the document after all operations; the original stays unchanged. If one fails, none applies. `normalize`
 * normalizes the document after each, so that the next one finds lists where the schema has lists.
 */
export function applyPatch(
  document: ScimObject,
  operations: readonly PatchOperation[],
  normalize: (document: ScimObject) => ScimObject = (same) => same,
): ScimObject {
  const visit = countVisits();
  return runsOf(operations).reduce((changed, run) => normalize(applyRun(changed, run, visit)), document);
}

/**
 * Consecutive operations that add elements to one list, or remove them from it by their values: one pass does for all
 * of them.
 */
function runsOf(operations: readonly PatchOperation[]): PatchOperation[][] {
  const runs: PatchOperation[][] = [];
  let last: string | null = null;
  for (const operation of operations) {
    const list = listOf(operation);
    if (list !== null && list === last) runs.at(-1)?.push(operation);
    else runs.push([operation]);
    last = list;
  }
  return runs;
}

function listOf({ op, path, value }: PatchOperation): string | null {
  if (!path || path.schema !== null || path.sub !== null) return null;
  const isOfElements =
    op === 'add' ? path.filter === null && Array.isArray(value) : removedValue({ op, path }) !== null;
  return isOfElements ? `${op} ${path.attribute}` : null;
}

/** The value in `members[value eq "7"]`. */
function removedValue({ op, path }: Pick<PatchOperation, 'op' | 'path'>): string | null {
  const filter = path?.filter;
  if (op !== 'remove' || filter?.is !== 'compare' || filter.by !== 'eq' || typeof filter.value !== 'string')
    return null;
  const { schema, attribute, sub } = filter.path;
  return schema === null && sub === null && attribute === 'value' ? fold(filter.value) : null;
}

function applyRun(document: ScimObject, run: readonly PatchOperation[], visit: Visit): ScimObject {
  const [first] = run;
  const current = first?.path && member(document, first.path.attribute);
  if (!first?.path || run.length === 1 || !Array.isArray(current))
    return run.reduce((changed, operation) => applyOne(changed, operation, visit), document);
  if (first.op === 'add') return applyOne(document, { ...first, value: run.flatMap(({ value }) => value) }, visit);
  const gone = new Set(run.map(removedValue));
  visit(current.length + run.length);
  const left = current.filter((element) => !gone.has(fold(asElement(element).value)));
  return setMember(document, first.path.attribute, emptyToNothing(left));
}

/** Called with how much is about to be looked at; throws when that is too much in all. */
type Visit = (count: number) => void;

function countVisits(): Visit {
  let visits = 0;
  return (count) => {
    visits += count;
    if (visits > maxVisits) throw new ScimError(400, 'These are too many changes at once: send fewer.', 'tooMany');
  };
}

function applyOne(document: ScimObject, { op, path, value }: PatchOperation, visit: Visit): ScimObject {
  if (path) return atPath(document, path, op, value, visit);
  if (!isJsonObject(value)) throw new ScimError(400, 'Without a path, the value must be an object.', 'invalidValue');
  return Object.entries(value).reduce((changed, [name, part]) => applyMember(changed, name, op, part, visit), document);
}

/** Without a path, the keys of the value are paths, or the URN of an extension with its members. */
function applyMember(
  document: ScimObject,
  name: string,
  op: PatchOperation['op'],
  value: unknown,
  visit: Visit,
): ScimObject {
  if (!isSchemaUrn(name) || !isJsonObject(value)) return atPath(document, parsePath(name), op, value, visit);
  return Object.entries(value).reduce(
    (changed, [attribute, part]) =>
      atPath(changed, { schema: name, attribute, sub: null, filter: null }, op, part, visit),
    document,
  );
}

const coreSchema = /^urn:ietf:params:scim:schemas:core:/i;
const isSchemaUrn = (name: string) => name.toLowerCase().startsWith('urn:');

function atPath(
  document: ScimObject,
  path: PatchPath,
  op: PatchOperation['op'],
  value: unknown,
  visit: Visit,
): ScimObject {
  if (path.schema !== null && !coreSchema.test(path.schema)) {
    visit(Object.keys(document).length * visitsToRewrite);
    const extension = member(document, path.schema);
    const inner = changeAttribute(asObject(extension), path, op, value, visit);
    return setMember(document, path.schema, Object.keys(inner).length > 0 ? inner : undefined);
  }
  return changeAttribute(document, path, op, value, visit);
}

function changeAttribute(
  object: ScimObject,
  path: PatchPath,
  op: PatchOperation['op'],
  value: unknown,
  visit: Visit,
): ScimObject {
  const current = member(object, path.attribute);
  visit(
    Object.keys(object).length * visitsToRewrite + (Array.isArray(current) ? current.length : 1) * visitsOf(path, op),
  );
  return setMember(object, path.attribute, withOnePrimary(current, changeValue(current, path, op, value)));
}

function changeValue(current: unknown, path: PatchPath, op: PatchOperation['op'], value: unknown): unknown {
  if (path.filter) return changeElements(current, path, path.filter, op, value);
  if (path.sub !== null) return changeSub(current, path.sub, op, value);
  if (op === 'remove') return removed(current, value);
  return op === 'add' ? added(current, value) : value;
}

/** An element that becomes the primary one takes over from the others (RFC 7644 §3.5.2): of several, the last. */
function withOnePrimary(before: unknown, after: unknown): unknown {
  if (!Array.isArray(after) || after.filter(isPrimary).length < 2) return after;
  const old = new Set(Array.isArray(before) ? before : []);
  const chosen = after.findLast((element) => isPrimary(element) && !old.has(element));
  if (chosen === undefined) return after;
  return after.map((element) =>
    element === chosen || !isPrimary(element) ? element : setMember(asElement(element), 'primary', false),
  );
}

/** Some senders write booleans as text. */
const isPrimary = (element: unknown): boolean =>
  isJsonObject(element) && asText(member(element, 'primary')).toLowerCase() === 'true';

/** `remove` with a value removes those elements; some senders use this instead of a filter. */
function removed(current: unknown, value: unknown): unknown {
  if (!Array.isArray(current) || value === undefined || value === null) return undefined;
  const gone = new Set((Array.isArray(value) ? value : [value]).map(elementKey));
  return emptyToNothing(current.filter((element) => !gone.has(elementKey(element))));
}

/** Appends the values that a list does not contain yet; merges objects. */
function added(current: unknown, value: unknown): unknown {
  if (Array.isArray(current)) {
    const all: unknown[] = [...current];
    const places = new Map(current.map((element, place) => [elementKey(element), place]));
    for (const element of Array.isArray(value) ? value : [value]) {
      const key = elementKey(element);
      const place = places.get(key);
      if (place === undefined) places.set(key, all.push(element) - 1);
      // Another element with this value may become primary.
      else if (isPrimary(element) && !isPrimary(all[place]))
        all[place] = setMember(asElement(all[place]), 'primary', true);
    }
    return all;
  }
  return isJsonObject(current) && isJsonObject(value) ? { ...current, ...value } : value;
}

/** Elements are the same if their value and type are. Members are users by default. */
function elementKey(element: unknown): string {
  const { value, type } = asElement(element);
  return value === undefined
    ? JSON.stringify(element)
    : JSON.stringify([value, type === 'User' ? null : (type ?? null)]);
}

function changeSub(current: unknown, sub: string, op: PatchOperation['op'], value: unknown): unknown {
  if (Array.isArray(current)) return current.map((element) => setSub(asElement(element), sub, op, value));
  return emptyToNothing(setSub(asObject(current), sub, op, value));
}

function setSub(object: ScimObject, sub: string, op: PatchOperation['op'], value: unknown): ScimObject {
  if (op === 'remove') return setMember(object, sub, undefined);
  return setMember(object, sub, op === 'add' ? added(member(object, sub), value) : value);
}

/** For each element. */
function visitsOf({ filter, sub }: PatchPath, op: PatchOperation['op']): number {
  const isRewritten = sub !== null || (filter !== null && op !== 'remove');
  return (filter ? conditionsOf(filter) : 1) + (isRewritten ? visitsToRewrite : 0);
}

function conditionsOf(filter: ScimFilter): number {
  if (filter.is === 'and' || filter.is === 'or') return conditionsOf(filter.left) + conditionsOf(filter.right);
  return filter.is === 'not' || filter.is === 'element' ? conditionsOf(filter.filter) : 1;
}

function changeElements(
  current: unknown,
  { sub }: AttributePath,
  filter: ScimFilter,
  op: PatchOperation['op'],
  value: unknown,
): unknown {
  const elements = [current ?? []].flat();
  const isTarget = elements.map((element) => matches(filter, asElement(element)));
  if (!isTarget.includes(true)) {
    if (op === 'remove') return current;
    if (op === 'replace') throw new ScimError(400, 'No element matches the filter of the path.', 'noTarget');
    const created = { ...elementOfFilter(filter), ...(sub === null ? asElement(value) : { [sub]: value }) };
    return [...elements, created];
  }
  if (op === 'remove' && sub === null) return emptyToNothing(elements.filter((_, index) => !isTarget[index]));
  return elements.map((element, index) => {
    if (!isTarget[index]) return element;
    if (sub !== null) return setSub(asElement(element), sub, op, value);
    return isJsonObject(element) && isJsonObject(value) ? { ...element, ...value } : value;
  });
}

/** The element that a filter describes, if it can be read as one: `type eq "work" and primary eq true`. */
function elementOfFilter(filter: ScimFilter): ScimObject {
  if (filter.is === 'and') return { ...elementOfFilter(filter.left), ...elementOfFilter(filter.right) };
  if (filter.is === 'compare' && filter.by === 'eq' && filter.path.sub === null)
    return { [filter.path.attribute]: filter.value };
  throw new ScimError(400, 'No element matches the filter of the path.', 'noTarget');
}

const emptyToNothing = (value: readonly unknown[] | ScimObject): unknown =>
  Object.keys(value).length > 0 ? value : undefined;

/** Sets the member, or removes it if the value is undefined or null. */
function setMember(object: ScimObject, name: string, value: unknown): ScimObject {
  const key = memberName(object, name);
  if (value === undefined || value === null) {
    const { [key]: _gone, ...rest } = object;
    return rest;
  }
  if (key === '__proto__') throw new ScimError(400, 'That attribute cannot be set.', 'invalidPath');
  return { ...object, [key]: value };
}
