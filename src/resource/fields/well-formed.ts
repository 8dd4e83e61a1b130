/** Text both databases can store: no NUL, no half of a surrogate pair. */
export const isStorable = (text: string): boolean => !text.includes('\u0000') && text.isWellFormed();

/** The text with what cannot be stored replaced, for what a caller sends without being asked. */
export const storableText = (text: string): string => text.replaceAll('\u0000', '\ufffd').toWellFormed();

/** The first complaint about text anywhere inside a JSON value, or null. */
export function findUnstorable(value: unknown): string | null {
  if (typeof value === 'string') return isStorable(value) ? null : unstorable;
  if (Array.isArray(value)) return firstOf(value);
  if (typeof value === 'object' && value !== null) {
    return firstOf(Object.keys(value)) ?? firstOf(Object.values(value));
  }
  return null;
}

export const unstorable = 'Null characters are not allowed.';

function firstOf(values: readonly unknown[]): string | null {
  for (const value of values) {
    const found = findUnstorable(value);
    if (found) return found;
  }
  return null;
}

/** The name a caller of the reference interface expects for the type of a JSON value. */
export function typeName(value: unknown): string {
  if (value === null) return 'NoneType';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'string') return 'str';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float';
  return 'dict';
}
