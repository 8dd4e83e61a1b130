import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createLruCache } from '../lib/lru-cache.ts';

/** A parsed User-Agent. Unknown parts are '', unknown families 'Other'. */
export interface UserAgent {
  readonly device: { readonly brand: string; readonly family: string; readonly model: string };
  readonly os: {
    readonly family: string;
    readonly major: string;
    readonly minor: string;
    readonly patch: string;
    readonly patch_minor: string;
  };
  readonly user_agent: {
    readonly family: string;
    readonly major: string;
    readonly minor: string;
    readonly patch: string;
  };
  /** The text, truncated to the parsed part. */
  readonly string: string;
}

export interface UserAgentParser {
  parse(text: string): UserAgent;
}

const maxTextLength = 1024;
const maxCached = 1000;

type Rule = Readonly<Record<string, string>>;
const sections = ['user_agent_parsers', 'os_parsers', 'device_parsers'] as const;
type Section = (typeof sections)[number];
type Rules = Readonly<Record<Section, readonly Rule[]>>;

/** For each value, the rule member with its replacement, and the pattern's group to use if there is none. */
type Shape = readonly (readonly [replacement: string, group: number])[];

const userAgentShape: Shape = [
  ['family_replacement', 1],
  ['v1_replacement', 2],
  ['v2_replacement', 3],
  ['v3_replacement', 4],
];
const osShape: Shape = [
  ['os_replacement', 1],
  ['os_v1_replacement', 2],
  ['os_v2_replacement', 3],
  ['os_v3_replacement', 4],
  ['os_v4_replacement', 5],
];
/** A missing brand has no fallback group. */
const deviceShape: Shape = [
  ['device_replacement', 1],
  ['brand_replacement', Number.POSITIVE_INFINITY],
  ['model_replacement', 1],
];

/** Follows the uap-core specification. Patterns are loaded on first use, and each is compiled when first tried. */
export function createUserAgentParser(): UserAgentParser {
  const cache = createLruCache<UserAgent>(maxCached);
  let matchers: Record<'userAgent' | 'os' | 'device', (text: string) => string[]> | null = null;

  return {
    parse(text) {
      const cut = text.slice(0, maxTextLength);
      const cached = cache.get(cut);
      if (cached) return cached;
      matchers ??= createMatchers(readRules());
      const [family = '', major = '', minor = '', patch = ''] = matchers.userAgent(cut);
      const [osFamily = '', osMajor = '', osMinor = '', osPatch = '', osPatchMinor = ''] = matchers.os(cut);
      const [deviceFamily = '', brand = '', model = ''] = matchers.device(cut);
      const result: UserAgent = Object.freeze({
        device: Object.freeze({ brand, family: deviceFamily || 'Other', model }),
        os: Object.freeze({
          family: osFamily || 'Other',
          major: osMajor,
          minor: osMinor,
          patch: osPatch,
          patch_minor: osPatchMinor,
        }),
        user_agent: Object.freeze({ family: family || 'Other', major, minor, patch }),
        string: cut,
      });
      cache.set(cut, result);
      return result;
    },
  };
}

function createMatchers(rules: Rules) {
  return {
    userAgent: createMatcher(rules.user_agent_parsers, userAgentShape),
    os: createMatcher(rules.os_parsers, osShape),
    device: createMatcher(rules.device_parsers, deviceShape),
  };
}

/** The values of the first matching rule, in the order of the shape; empty if none matches. */
function createMatcher(rules: readonly Rule[], shape: Shape): (text: string) => string[] {
  const patterns: RegExp[] = [];
  return (text) => {
    for (const [index, rule] of rules.entries()) {
      patterns[index] ??= new RegExp(rule.regex ?? '', rule.regex_flag);
      const match = patterns[index].exec(text);
      if (match) return shape.map(([name, group]) => (fillReplacement(rule[name], match) ?? match[group] ?? '').trim());
    }
    return [];
  };
}

function fillReplacement(replacement: string | undefined, match: RegExpExecArray): string | undefined {
  return replacement?.replace(/\$([1-9])/g, (_, group) => match[Number(group)] ?? '');
}

function readRules(): Rules {
  return parseRules(readFileSync(createRequire(import.meta.url).resolve('uap-core/regexes.yaml'), 'utf8'));
}

/**
 * Parses the subset of YAML that uap-core uses: three lists of flat maps with quoted values. It takes 5 ms, whereas a
 * full YAML parser takes 200 ms, and the first sign-in would have to wait for it. Anything else is refused.
 */
export function parseRules(yaml: string): Rules {
  const rules: Record<Section, Record<string, string>[]> = {
    user_agent_parsers: [],
    os_parsers: [],
    device_parsers: [],
  };
  let section: Record<string, string>[] | null = null;
  for (const [index, line] of yaml.split(/\r?\n/).entries()) {
    if (/^\s*(?:#|$)/.test(line)) continue;
    const heading = /^(\w+):\s*$/.exec(line)?.[1];
    const [, dash, key, quoted] = /^ {2}( {2}|- )(\w+): *('(?:[^']|'')*'|"[^"\\]*")\s*(?:#.*)?$/.exec(line) ?? [];
    const listed = sections.find((name) => name === heading);
    if (listed) {
      section = rules[listed];
    } else if (section && key !== undefined && quoted !== undefined) {
      if (dash === '- ') section.push({});
      const rule = section.at(-1);
      if (rule) rule[key] = unquote(quoted);
    } else {
      throw new Error(`line ${index + 1} of the user agent patterns has an unknown shape: ${line}`);
    }
  }
  return rules;
}

function unquote(quoted: string): string {
  const inner = quoted.slice(1, -1);
  return quoted.startsWith("'") ? inner.replaceAll("''", "'") : inner;
}
