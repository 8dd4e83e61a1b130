import { copyJson, isJsonObject, isSameJson, memberOf } from './json.ts';

interface Root {
  document: unknown;
}

/** Applies a JSON Patch (RFC 6902) to a copy of the document. Throws a RangeError that names the operation. */
export function applyJsonPatch(document: unknown, operations: unknown): unknown {
  if (!Array.isArray(operations)) throw new RangeError('A JSON patch is a list of operations.');
  const root: Root = { document: copyJson(document) };
  operations.forEach((operation, at) => {
    try {
      apply(root, operation);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw new RangeError(`Operation ${at + 1} of the JSON patch cannot be applied: ${error.message}`);
    }
  });
  return root.document;
}

type Apply = (root: Root, path: readonly string[], operation: unknown) => void;

const operationsByName = new Map<unknown, Apply>([
  ['add', (root, path, operation) => add(root, path, valueIn(operation))],
  ['remove', (root, path) => void remove(root, path)],
  [
    'replace',
    (root, path, operation) => {
      remove(root, path);
      add(root, path, valueIn(operation));
    },
  ],
  ['copy', (root, path, operation) => add(root, path, copyJson(read(root, pointer(operation, 'from'))))],
  [
    'move',
    (root, path, operation) => {
      const from = pointer(operation, 'from');
      if (path.length > from.length && from.every((part, at) => part === path[at]))
        throw new RangeError('a value cannot be moved into itself');
      add(root, path, remove(root, from));
    },
  ],
  [
    'test',
    (root, path, operation) => {
      if (!isSameJson(read(root, path), valueIn(operation))) throw new RangeError('the value is another');
    },
  ],
]);

function apply(root: Root, operation: unknown): void {
  const applyOne = operationsByName.get(memberOf(operation, 'op'));
  if (!applyOne) throw new RangeError('op is none of add, remove, replace, copy, move and test');
  applyOne(root, pointer(operation, 'path'), operation);
}

function valueIn(operation: unknown): unknown {
  const value = memberOf(operation, 'value');
  if (value === undefined) throw new RangeError('it has no value');
  return copyJson(value);
}

/** RFC 6901. The document is a member of the root, so that it has a parent itself. */
function pointer(operation: unknown, member: string): string[] {
  const text = memberOf(operation, member);
  if (typeof text !== 'string' || !/^(?:\/|$)/.test(text)) throw new RangeError(`${member} is not a JSON pointer`);
  const parts = text.split('/').slice(1);
  return ['document', ...parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))];
}

function read(root: Root, path: readonly string[]): unknown {
  let value: unknown = root;
  for (const part of path) {
    value = Array.isArray(value) && !isIndex(part, value.length - 1) ? undefined : memberOf(value, part);
    if (value === undefined) throw new RangeError('there is no value at the path');
  }
  return value;
}

function add(root: Root, path: readonly string[], value: unknown): void {
  const parent = read(root, path.slice(0, -1));
  const key = path.at(-1) ?? '';
  if (!Array.isArray(parent)) define(parent, key, value);
  else if (key === '-') parent.push(value);
  else if (isIndex(key, parent.length)) parent.splice(Number(key), 0, value);
  else throw new RangeError('there is no such place in the list');
}

function remove(root: Root, path: readonly string[]): unknown {
  const value = read(root, path);
  const parent = read(root, path.slice(0, -1));
  const key = path.at(-1) ?? '';
  if (Array.isArray(parent)) parent.splice(Number(key), 1);
  else if (isJsonObject(parent)) Reflect.deleteProperty(parent, key);
  return value;
}

/** Assigning `__proto__` would set the prototype. */
function define(parent: unknown, key: string, value: unknown): void {
  if (!isJsonObject(parent)) throw new RangeError('there is no object or list at the path');
  Object.defineProperty(parent, key, { value, writable: true, enumerable: true, configurable: true });
}

const isIndex = (text: string, last: number): boolean => /^(?:0|[1-9]\d{0,8})$/.test(text) && Number(text) <= last;
