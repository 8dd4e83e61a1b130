import type { Words } from '../../../lib/texts/message.ts';
import { type Common, complain, type Field, type Parsed } from '../../../resource/fields/field.ts';
import { list, record } from '../../../resource/fields/structured.ts';
import { choice, text, tooLong } from '../../../resource/fields/text.ts';

export interface RedirectUri {
  readonly matching_mode: 'strict' | 'regex';
  readonly url: string;
}

/** Schemes that a browser runs or opens locally instead of sending a request (XSS). */
const harmfulScheme = /^(javascript|vbscript|data|blob|file|about):/i;
/** Browsers skip these characters before they parse the scheme. */
const skipped = /[\s\p{Cc}]+/gu;

/** Each anonymous request is compared with all of them. */
const maxUris = 1_000;
const maxPatterns = 20;
/** Requests with a longer redirect_uri are rejected. */
const maxLength = 2_000;

/** The redirect URIs of a client. An empty list allows none. */
export function redirectUris(options: Common<readonly RedirectUri[], false> = {}): Field<readonly RedirectUri[]> {
  const uris = list(
    record({
      matching_mode: choice(['strict', 'regex'], {
        labels: { regex: 'Regular expression', strict: 'Exactly this' },
      }),
      url: text({ check: (url) => lengthComplaint(url) ?? schemeComplaint(url) }),
    }),
    { help: 'Each URL is compared as it is (strict) or matched as a regular expression (regex).', ...options },
  );
  return { ...uris, parse: (value) => checkPatterns(uris.parse(value)) };
}

const lengthComplaint = (url: string): Words | null => (url.length > maxLength ? tooLong(maxLength) : null);

function schemeComplaint(url: string): string | null {
  return isHarmfulUrl(url) ? `URLs of this scheme are not allowed: ${url}` : null;
}

/** Whether a browser would run or open the URL instead of sending a request. */
export const isHarmfulUrl = (url: string): boolean => harmfulScheme.test(url.replace(skipped, ''));

function checkPatterns(parsed: Parsed<readonly RedirectUri[]>): Parsed<readonly RedirectUri[]> {
  if (!('value' in parsed)) return parsed;
  const patterns = parsed.value.filter(({ matching_mode }) => matching_mode === 'regex');
  if (parsed.value.length > maxUris) return complain(`Ensure this field has no more than ${maxUris} elements.`);
  if (patterns.length > maxPatterns) {
    return complain(
      `At most ${maxPatterns} redirect URIs may be regular expressions: each request is compared with all of them. Combine some with "|", or list the URIs themselves.`,
    );
  }
  const broken = patterns.filter(({ url }) => !isPattern(url));
  return broken.length > 0 ? complain(...broken.map(({ url }) => `Invalid Regex Pattern: ${url}`)) : parsed;
}

function isPattern(text: string): boolean {
  try {
    new RegExp(text);
    return true;
  } catch {
    // The RegExp constructor throws for invalid patterns.
    return false;
  }
}

/** The origin of the first plain redirect URI, as a guess for the launch URL. */
export function guessLaunchUrl(uris: readonly RedirectUri[]): string {
  const [first] = uris;
  const url = first?.matching_mode === 'strict' ? URL.parse(first.url) : null;
  return url && (url.protocol === 'https:' || url.protocol === 'http:') ? url.origin : '';
}

/** Whether pages of this origin belong to a client: the origin of one of its plain redirect URIs, to the letter. */
export function isOriginOf(origin: string, uris: readonly RedirectUri[]): boolean {
  return uris.some(({ matching_mode, url }) => matching_mode === 'strict' && webOrigin(url) === origin);
}

function webOrigin(text: string): string | null {
  const url = URL.parse(text);
  return url && (url.protocol === 'https:' || url.protocol === 'http:') ? url.origin : null;
}
