import { randomFillSync, randomInt, randomUUID } from 'node:crypto';

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
export const randomToken: () => string = drawing(32, 'base64url');

/** What no two requests share. */
export const requestId: () => string = drawing(16, 'hex');

/** Draws for many at once, which takes hardly longer than for one; what was given out is wiped. */
function drawing(length: number, encoding: 'base64url' | 'hex'): () => string {
  const drawn = Buffer.alloc(64 * length);
  let used = drawn.length;
  return () => {
    if (used === drawn.length) {
      randomFillSync(drawn);
      used = 0;
    }
    const text = drawn.toString(encoding, used, used + length);
    drawn.fill(0, used, used + length);
    used += length;
    return text;
  };
}

export function randomUuid(): string {
  return randomUUID();
}
