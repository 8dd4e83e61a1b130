import { timingSafeEqual } from 'node:crypto';

/** Compares two texts in constant time, so that a timing attack does not reveal where they differ. */
export function equalInConstantTime(a: string, b: string): boolean {
  // UTF-16, because UTF-8 encodes every lone surrogate as the same bytes.
  const [one, other] = [Buffer.from(a, 'utf16le'), Buffer.from(b, 'utf16le')];
  // Different lengths mean different texts; still compare with itself, which takes as long.
  const isAsLong = one.length === other.length;
  return timingSafeEqual(isAsLong ? one : other, other) && isAsLong;
}
