import { randomBytes, randomInt, randomUUID } from 'node:crypto';

const drawnAtOnce = 64;
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

/** Draws for many at once, which takes hardly longer than for one. */
function drawing(length: number, encoding: 'base64url' | 'hex'): () => string {
  let drawn: string[] = [];
  return () => {
    if (drawn.length === 0) drawn = draw(length, encoding);
    return drawn.pop() as string;
  };
}

function draw(length: number, encoding: 'base64url' | 'hex'): string[] {
  const bytes = randomBytes(drawnAtOnce * length);
  return Array.from({ length: drawnAtOnce }, (_, index) =>
    bytes.toString(encoding, index * length, (index + 1) * length),
  );
}

export function randomUuid(): string {
  return randomUUID();
}
