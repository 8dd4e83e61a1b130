import { randomBytes, randomInt, randomUUID } from 'node:crypto';

const lettersAndDigits = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'];

/** Unguessable text, drawn uniformly from the alphabet, by default letters and digits. */
export function randomText(length: number, alphabet?: string): string {
  const characters = alphabet === undefined ? lettersAndDigits : charactersOf(alphabet);
  return Array.from({ length }, () => characters[randomInt(characters.length)]).join('');
}

function charactersOf(alphabet: string): readonly string[] {
  const characters = [...new Set(alphabet)];
  if (characters.length < 2 || characters.join('') !== alphabet) {
    throw new RangeError('the alphabet needs two or more characters, each once');
  }
  return characters;
}

/** 256 random bits as 43 characters that never need escaping. */
export const randomToken = (): string => randomBytes(32).toString('base64url');

export const requestId = (): string => randomUUID().replaceAll('-', '');

export function randomUuid(): string {
  return randomUUID();
}

/**
 * A UUID of version 7 (RFC 9562 §5.7), ordered by time: consecutive rows are neighbours in an index, so few pages
 * change. For keys that may reveal their time.
 */
export function orderedUuid(): string {
  const time = Date.now().toString(16).padStart(12, '0');
  // Versions 4 and 7 have the variant and the random bits in the same places.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}
