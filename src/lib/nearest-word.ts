/** No name of ours is longer, and the time to compare grows with the product of both lengths (denial of service). */
const maxLength = 64;

/** The candidate that a mistyped word most likely means, or null if none is close. */
export function nearestWord(word: string, candidates: readonly string[]): string | null {
  if (word.length > maxLength) return null;
  let nearest: string | null = null;
  let least = Math.max(2, Math.floor(word.length / 4)) + 1;
  for (const candidate of candidates) {
    // The distance is at least the difference of the lengths.
    if (Math.abs(word.length - candidate.length) >= least) continue;
    const distance = editDistance(word, candidate);
    if (distance < least) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

/** Levenshtein distance: insertions, deletions and substitutions of one character. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let line = 1; line <= from.length; line++) {
    const next = [line];
    for (let column = 1; column <= to.length; column++) {
      const replaced = (row[column - 1] ?? 0) + (from[line - 1] === to[column - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
