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

const randomPart = drawing(10, 'hex');

/**
 * A uuid of version 7 (RFC 9562 §5.7), which begins with the time: those of many rows that are written one after the other stand side by side
 * in an index, so that few of its pages change. For keys that may tell when they were made.
 */
export function orderedUuid(): string {
  const time = Date.now().toString(16).padStart(12, '0');
  const random = randomPart();
  const variant = '89ab'[Number.parseInt(random.charAt(0), 16) & 3];
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(1, 4)}-${variant}${random.slice(4, 7)}-${random.slice(7, 19)}`;
}
