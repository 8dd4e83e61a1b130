import { timingSafeEqual } from 'node:crypto';

/** Whether two texts are the same, in a time that tells nothing about where they differ. */
export function equalInConstantTime(a: string, b: string): boolean {
  // UTF-16, because UTF-8 writes every lone surrogate as the same bytes.
  const [one, other] = [Buffer.from(a, 'utf16le'), Buffer.from(b, 'utf16le')];
  // Of another length it is another text; then it is compared with itself, which takes as long.
  const isAsLong = one.length === other.length;
  return timingSafeEqual(isAsLong ? one : other, other) && isAsLong;
}
