import { OAuthError } from './oauth-error.ts';

/** The parameters of a request. One that is empty counts as one that was not sent (RFC 6749 §3.1, §3.2). */
export interface Params {
  get(name: string): string | undefined;
  /** Throws `invalid_request` when it is missing. */
  require(name: string): string;
  /** For parameters that may be repeated. */
  all(name: string): readonly string[];
  entries(): (readonly [string, string])[];
}

/** RFC 8707 §2, RFC 8693 §2.1 */
const repeatable: ReadonlySet<string> = new Set(['resource', 'audience']);
const maxValueLength = 65_536;

/**
 * Reads form-encoded text. Throws `invalid_request` for repeated or malformed parameters, unless `onFlaw` does not:
 * then malformed ones are ignored, and of repeated ones the first applies.
 */
export function parseParams(
  text: string | URLSearchParams,
  onFlaw: (flaw: OAuthError, name: string) => void = throwError,
): Params {
  const values = new Map<string, string[]>();
  for (const [name, value] of typeof text === 'string' ? new URLSearchParams(text) : text) {
    if (value === '') continue;
    const known = values.get(name);
    const flaw = flawOf(name, value, known !== undefined);
    if (flaw !== null) onFlaw(new OAuthError('invalid_request', `${shown(name)} ${flaw}.`), name);
    else if (known) known.push(value);
    else values.set(name, [value]);
  }
  const get = (name: string) => values.get(name)?.[0];
  return {
    get,
    require(name) {
      const value = get(name);
      if (value === undefined) throw new OAuthError('invalid_request', `${name} is missing.`);
      return value;
    },
    all: (name) => values.get(name) ?? [],
    entries: () => [...values].flatMap(([name, all]) => all.map((value) => [name, value] as const)),
  };
}

const throwError = (flaw: OAuthError): never => {
  throw flaw;
};

function flawOf(name: string, value: string, isKnown: boolean): string | null {
  if (value.length > maxValueLength) return 'is too long';
  if (value.includes('\u0000') || name.includes('\u0000')) return 'holds a character that no parameter may hold';
  return isKnown && !repeatable.has(name) ? 'is given twice' : null;
}

const shown = (name: string): string => `The parameter ${name.slice(0, 50)}`;

/** The words of a space-separated list, each once, in their order. */
export const words = (text: string | undefined): string[] => [...new Set((text ?? '').split(' ').filter(Boolean))];
