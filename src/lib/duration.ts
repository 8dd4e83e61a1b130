export const hourMs = 3_600_000;

const millisecondsPer: ReadonlyMap<string, number> = new Map([
  ['microseconds', 0.001],
  ['milliseconds', 1],
  ['seconds', 1000],
  ['minutes', 60_000],
  ['hours', hourMs],
  ['days', 86_400_000],
  ['weeks', 604_800_000],
]);

const part = /^\s*([a-z]+)\s*=\s*([+-]?\d{1,15}(?:\.\d{1,15})?)\s*$/i;

/** Beyond the range of dates, so surely a typo. */
const maxMilliseconds = 999_999_999 * 86_400_000;

/**
 * Parses `hours=1;minutes=30` into milliseconds. Parts may be negative (a SAML assertion is valid from `minutes=-5`)
 * and decimal, and add up. Null for anything else, for unknown or repeated units, and for absurd lengths.
 */
export function parseDuration(text: string): number | null {
  let sum = 0;
  const seen = new Set<string>();
  for (const piece of text.split(';')) {
    const [, name = '', value] = part.exec(piece) ?? [];
    const unit = name.toLowerCase();
    const factor = millisecondsPer.get(unit);
    if (factor === undefined || seen.has(unit)) return null;
    seen.add(unit);
    sum += Number(value) * factor;
  }
  return Math.abs(sum) <= maxMilliseconds ? sum : null;
}
