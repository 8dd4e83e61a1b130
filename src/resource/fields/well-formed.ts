/** Whether both databases can store the text: no NUL, no unpaired surrogates. */
export const isStorable = (text: string): boolean => !text.includes('\u0000') && text.isWellFormed();

/** Replaces what cannot be stored, in text that callers do not send on purpose. */
export const storableText = (text: string): string => text.replaceAll('\u0000', '\ufffd').toWellFormed();

/** Controls, marks of direction and what has no width: names that differ only in such characters look alike. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

export const hasUnseen = (text: string): boolean => unseen.test(text);

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

/** The type name of a JSON value that clients of the contract expect. */
export function typeName(value: unknown): string {
  if (value === null) return 'NoneType';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'string') return 'str';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float';
  return 'dict';
}
