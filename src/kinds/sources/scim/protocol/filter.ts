import { ScimError } from './scim-error.ts';

/** The path of an attribute: `name.familyName`, or one of an extension with the URN of its schema. */
export interface AttributePath {
  readonly schema: string | null;
  readonly attribute: string;
  readonly sub: string | null;
}

export const comparisons = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const;
export type Comparison = (typeof comparisons)[number];
export type FilterValue = string | number | boolean | null;

/** A filter (RFC 7644, section 3.4.2.2). */
export type ScimFilter =
  | { readonly is: 'and' | 'or'; readonly left: ScimFilter; readonly right: ScimFilter }
  | { readonly is: 'not'; readonly filter: ScimFilter }
  | { readonly is: 'present'; readonly path: AttributePath }
  | { readonly is: 'compare'; readonly path: AttributePath; readonly by: Comparison; readonly value: FilterValue }
  /** `emails[type eq "work"]`: matches if the filter holds for an element of the attribute. */
  | { readonly is: 'element'; readonly path: AttributePath; readonly filter: ScimFilter };

/** The target of a PATCH operation: `members[value eq "7"].display`. */
export interface PatchPath extends AttributePath {
  readonly filter: ScimFilter | null;
}

const maxLength = 4_096;
const maxDepth = 32;
const maxTerms = 200;
// Sticky: reads one token at a time from where the last one ended, in linear time.
const token = /\s*(?:([()[\]])|("(?:[^"\\]|\\.)*")|([^\s()[\]"]+))/y;

export function parseFilter(text: string): ScimFilter {
  const reader = new Reader(text, 'invalidFilter');
  const filter = reader.either(0);
  reader.end();
  return filter;
}

/** The number of comparisons in a filter. */
export function countConditions(filter: ScimFilter): number {
  switch (filter.is) {
    case 'and':
    case 'or':
      return countConditions(filter.left) + countConditions(filter.right);
    case 'not':
    case 'element':
      return countConditions(filter.filter);
    default:
      return 1;
  }
}

export function parsePath(text: string): PatchPath {
  const reader = new Reader(text, 'invalidPath');
  const path = reader.path();
  let filter: ScimFilter | null = null;
  let { sub } = path;
  if (sub === null && reader.takes('[')) {
    filter = reader.either(0);
    reader.expect(']');
    const rest = reader.peek();
    if (rest?.startsWith('.')) {
      reader.next();
      sub = rest.slice(1);
      if (!isName(sub)) reader.fail(`"${rest}" is not the name of a member`);
    }
  }
  reader.end();
  return { ...path, sub, filter };
}

const isName = (text: string) => /^[A-Za-z$][\w$-]*$/.test(text);

class Reader {
  readonly #tokens: string[] = [];
  readonly #scimType: 'invalidFilter' | 'invalidPath';
  #at = 0;
  #terms = 0;

  constructor(text: string, scimType: 'invalidFilter' | 'invalidPath') {
    this.#scimType = scimType;
    if (text.length > maxLength) this.fail(`longer than ${maxLength} characters`);
    token.lastIndex = 0;
    const end = text.trimEnd().length;
    while (token.lastIndex < end) {
      const found = token.exec(text);
      if (found) this.#tokens.push(found[1] ?? found[2] ?? found[3] ?? '');
      else this.fail('a quotation mark is missing');
    }
  }

  fail(reason: string): never {
    const what = this.#scimType === 'invalidFilter' ? 'filter' : 'path';
    throw new ScimError(400, `The ${what} cannot be read: ${reason}.`, this.#scimType);
  }

  peek(): string | undefined {
    return this.#tokens[this.#at];
  }

  next(): string {
    const found = this.#tokens[this.#at];
    if (found === undefined) this.fail('it ends too early');
    this.#at += 1;
    return found;
  }

  takes(wanted: string): boolean {
    if (this.peek()?.toLowerCase() !== wanted) return false;
    this.#at += 1;
    return true;
  }

  expect(wanted: string): void {
    const found = this.next();
    if (found !== wanted) this.fail(`"${wanted}" was expected, not "${found}"`);
  }

  end(): void {
    const rest = this.peek();
    if (rest !== undefined) this.fail(`"${rest}" was not expected`);
  }

  /** `and` binds more tightly than `or`. */
  either(depth: number): ScimFilter {
    if (depth > maxDepth) this.fail(`nested deeper than ${maxDepth} levels`);
    let left = this.both(depth);
    while (this.takes('or')) left = { is: 'or', left, right: this.both(depth) };
    return left;
  }

  both(depth: number): ScimFilter {
    let left = this.term(depth);
    while (this.takes('and')) left = { is: 'and', left, right: this.term(depth) };
    return left;
  }

  term(depth: number): ScimFilter {
    this.#terms += 1;
    if (this.#terms > maxTerms) this.fail(`more than ${maxTerms} conditions`);
    if (this.peek()?.toLowerCase() === 'not' && this.#tokens[this.#at + 1] === '(') {
      this.next();
      return { is: 'not', filter: this.term(depth + 1) };
    }
    if (this.takes('(')) {
      const inner = this.either(depth + 1);
      this.expect(')');
      return inner;
    }
    const path = this.path();
    if (this.takes('[')) {
      const filter = this.either(depth + 1);
      this.expect(']');
      return { is: 'element', path, filter };
    }
    const operator = this.next().toLowerCase();
    if (operator === 'pr') return { is: 'present', path };
    const by = comparisons.find((each) => each === operator);
    if (!by) this.fail(`"${operator}" is no operator`);
    return { is: 'compare', path, by, value: this.value() };
  }

  path(): AttributePath {
    const written = this.next();
    const colon = written.lastIndexOf(':');
    // The version in a URN contains a dot (`…:2.0:User`), which is before the last colon.
    const [attribute = '', sub = null, ...more] = written.slice(colon + 1).split('.');
    if (!isName(attribute) || (sub !== null && !isName(sub)) || more.length > 0) {
      this.fail(`"${written}" is not the name of an attribute`);
    }
    return { schema: colon < 0 ? null : written.slice(0, colon), attribute, sub };
  }

  value(): FilterValue {
    const written = this.next();
    try {
      const value: unknown = JSON.parse(/^(?:true|false|null)$/i.test(written) ? written.toLowerCase() : written);
      if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
        return value;
    } catch {
      // Reported below, with the original text.
    }
    return this.fail(`"${written}" is no value; texts stand in quotation marks`);
  }
}
