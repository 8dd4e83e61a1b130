import confusables from './confusables.json' with { type: 'json' };
import { foldName } from './fold-name.ts';

/** What letters look like: each row has a look, then the letters with it. */
const looks = new Map(
  confusables.rows.flatMap((row) => {
    const [look = '', letters = ''] = row.split(' ');
    return [...letters].map((letter) => [letter, look] as const);
  }),
);

/**
 * The key by which a user name or an address is unique and looked up, against homograph attacks: case-folded, with
 * letters beyond ASCII replaced by those that they look like (the skeleton of UTS 39). ASCII letters stand for
 * themselves, unlike in UTS 39, where `bob1` is `bobl` and `rn` is `m`: people choose such names side by side, and
 * fonts distinguish them.
 */
export function nameKey(name: string): string {
  const folded = foldName(name);
  if (isAscii(folded)) return folded;
  const look = Array.from(folded.normalize('NFD'), (letter) => looks.get(letter) ?? letter).join('');
  return look.normalize('NFD');
}

/** Whether two texts are the same name. Equal keys are not enough: they include names that only look alike. */
export const isSameName = (one: string, other: string): boolean => foldName(one) === foldName(other);

const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text);

/** The result of SQL `lower` on both databases. */
export const lowerAscii = (text: string): string => text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
