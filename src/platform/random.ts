import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { memoize } from '../lib/memoize.ts';

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
export const randomToken: () => string = drawing(32, (bytes) => bytes.toString('base64url'));

/** What no two requests share. */
export const requestId: () => string = drawing(16, (bytes) => bytes.toString('hex'));

/** Draws for many at once, which takes hardly longer than for one. */
function drawing(length: number, write: (bytes: Buffer) => string): () => string {
  let drawn: string[] = [];
  return () => {
    if (drawn.length === 0) drawn = draw(length, write);
    return drawn.pop() as string;
  };
}

function draw(length: number, write: (bytes: Buffer) => string): string[] {
  const bytes = randomBytes(drawnAtOnce * length);
  return Array.from({ length: drawnAtOnce }, (_, index) => write(bytes.subarray(index * length, (index + 1) * length)));
}

export function randomUuid(): string {
  return randomUUID();
}

/** All of an ordered uuid but the time. */
const randomPart = drawing(10, (bytes) => {
  const text = bytes.toString('hex');
  const variant = '89ab'[Number(bytes[0]) & 3];
  return `-7${text.slice(2, 5)}-${variant}${text.slice(5, 8)}-${text.slice(8)}`;
});

const timePart = memoize(2, (milliseconds: number) => {
  const time = milliseconds.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}`;
});

/**
 * A uuid of version 7 (RFC 9562 §5.7), which begins with the time: those of many rows that are written one after the other stand side by side
 * in an index, so that few of its pages change. For keys that may tell when they were made.
 */
export function orderedUuid(): string {
  return timePart(Date.now()) + randomPart();
}
