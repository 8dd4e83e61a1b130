import { randomBytes, randomInt, randomUUID } from 'node:crypto';

const lettersAndDigits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Unguessable text: each character is drawn evenly from the alphabet, which must not repeat one. */
export function randomText(length: number, alphabet: string = lettersAndDigits): string {
  const characters = [...new Set(alphabet)];
  if (characters.length < 2 || characters.join('') !== alphabet) {
    throw new RangeError('the alphabet needs two or more characters, each once');
  }
  return Array.from({ length }, () => characters[randomInt(characters.length)]).join('');
}

/** 256 bits that nobody can guess, in 43 characters that need no escaping anywhere. */
export function randomToken(): string {
  return randomBytes(32).toString('base64url');
}

export function randomUuid(): string {
  return randomUUID();
}
