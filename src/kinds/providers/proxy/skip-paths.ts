import type { Sandbox } from '../../../platform/sandbox/sandbox.ts';

const maxPatterns = 50;
const maxPattern = 500;
const maxTarget = 2_000;

/** The patterns of `skip_path_regex`, one per line. Blank lines match nothing. */
export const skipPatterns = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

export function skipPathsComplaint(text: string): string | null {
  const patterns = skipPatterns(text);
  if (patterns.length > maxPatterns) return `At most ${maxPatterns} patterns are allowed.`;
  for (const pattern of patterns) {
    if (pattern.length > maxPattern) return `A pattern may have ${maxPattern} characters at most.`;
    try {
      new RegExp(pattern);
    } catch {
      return `Invalid Regex Pattern: ${pattern}`;
    }
  }
  return null;
}

/** What servers resolve, decode or cut off, each in its own way: such a path may lead elsewhere than it seems to. */
const ambiguous = /\/\/|\/\.{1,2}(?:\/|$)|[;#\\\s\p{Cc}]|%(?:23|25|2e|2f|3b|3f|5c|0[0-9a-f]|1[0-9a-f]|7f)/iu;

/**
 * Whether a request needs no sign-in. In the sandbox, whose time is limited: a pattern that takes too long matches
 * nothing. `target` has no query: the client chooses it, and it does not select the resource. The path has to match as
 * sent, decoded, and in any case, since applications normalize paths differently.
 */
export function isSkipped(sandbox: Sandbox, patterns: readonly string[], path: string, target: string): boolean {
  if (patterns.length === 0 || target.length > maxTarget || ambiguous.test(path)) return false;
  const plain = decoded(target);
  if (plain === null) return false;
  const result = sandbox.run(matchAll, {
    globals: { patterns: [...patterns], targets: [...new Set([target, plain])] },
  });
  return result.ok && result.value === true;
}

const matchAll = `return patterns.some((pattern) =>
  ['', 'i'].every((flags) => targets.every((target) => new RegExp(pattern, flags).test(target))));`;

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    // Invalid escapes, which servers read in different ways.
    return null;
  }
}
