import { readFileSync, writeFileSync } from 'node:fs';
import { foldName } from '../src/lib/fold-name.ts';

// Makes src/lib/confusables.json from the data of UTS 39:
//   node scripts/make-confusables.ts confusables.txt
// The file is https://www.unicode.org/Public/security/latest/confusables.txt.

const source = readFileSync(process.argv[2] ?? 'confusables.txt', 'utf8');
const text = (points: string) =>
  String.fromCodePoint(
    ...points
      .trim()
      .split(/\s+/)
      .map((point) => Number.parseInt(point, 16)),
  );
const isAscii = (name: string) => /^[\0-\x7f]*$/.test(name);

const prototypes = new Map<string, string>();
for (const line of source.split('\n')) {
  const [from, to] = line.replace(/#.*/, '').split(';');
  if (from && to) prototypes.set(text(from), text(to));
}

/** What one folded letter looks like, in small letters. ASCII stands for itself: `rn` is not `m`, `1` is not `l`. */
function lookOf(letter: string): string {
  if (isAscii(letter)) return letter;
  const small = prototypes.get(letter);
  const large = prototypes.get(letter.toUpperCase());
  // Letters of which only the capital looks like a Latin one are confused in capitals.
  const found = small !== undefined && isAscii(small) ? small : large !== undefined && isAscii(large) ? large : small;
  return found === 'rn' ? 'm' : (found ?? letter);
}

function stable(letter: string): string {
  let look = letter;
  for (let round = 0; round < 5; round += 1) {
    const next = [...foldName([...look].map(lookOf).join('')).normalize('NFD')].map(lookOf).join('');
    if (next === look) return look;
    look = next;
  }
  throw new Error(`${letter} has no stable look: ${look}`);
}

const rows = new Map<string, string>();
for (let point = 0x80; point <= 0x10ffff; point += 1) {
  if (point >= 0xd800 && point <= 0xdfff) continue;
  const letter = String.fromCodePoint(point);
  // Only what folded names can hold, once taken apart.
  if (/[\p{Z}\p{C}]/u.test(letter) || foldName(letter).normalize('NFD') !== letter) continue;
  const look = stable(letter);
  if (look !== letter) rows.set(look, (rows.get(look) ?? '') + letter);
}

const looks = [...rows].map(([look, letters]) => `${look} ${letters}`).sort();
const version = /Version: (\S+)/.exec(source)?.[1] ?? 'Unicode 15.0';
const notice = `Made by scripts/make-confusables.ts from confusables.txt (${version}) of UTS 39. \
© Unicode, Inc. Unicode License v3, https://www.unicode.org/license.txt`;
writeFileSync(
  new URL('../src/lib/confusables.json', import.meta.url),
  `${JSON.stringify({ notice, rows: looks }, null, 2)}\n`,
);
