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
export const randomToken: () => string = tokenSource();

/** Draws for many tokens at once, which takes hardly longer than for one; what was given out is wiped. */
function tokenSource(): () => string {
  const length = 32;
  const drawn = Buffer.alloc(64 * length);
  let used = drawn.length;
  return () => {
    if (used === drawn.length) {
      randomFillSync(drawn);
      used = 0;
    }
    const bytes = drawn.subarray(used, used + length);
    used += length;
    const token = bytes.toString('base64url');
    bytes.fill(0);
    return token;
  };
}

export function randomUuid(): string {
  return randomUUID();
}
