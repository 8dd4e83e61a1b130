import { emailPattern } from '../../lib/email.ts';
import { isWebUrl } from '../../lib/is-web-url.ts';
import { asText } from '../../lib/json.ts';
import { nearestWord } from '../../lib/nearest-word.ts';
import { message, type Words } from '../../lib/texts/message.ts';
import { accept, asStored, type Common, complain, type Field, type Null, type Parsed } from './field.ts';
import { hasUnseen, isStorable, unstorable } from './well-formed.ts';

export interface TextOptions<N extends boolean = boolean> extends Common<string, N>, TextRules {}

export interface TextRules {
  readonly max?: number;
  /** Whether the empty string is allowed; by default it is not. */
  readonly blank?: boolean;
  /** Whether to trim white space; by default true. */
  readonly trim?: boolean;
  /** Refuses numbers instead of converting them: for secrets. */
  readonly strict?: boolean;
  readonly format?: 'slug' | 'email' | 'uri' | 'url';
  /** Returns a complaint, or null. */
  readonly check?: (text: string) => Words | null;
}

const slugPattern = /^[-a-zA-Z0-9_]+$/;

const formats = {
  slug: {
    test: (text: string) => slugPattern.test(text),
    complaint: 'Enter a valid "slug" consisting of letters, numbers, underscores or hyphens.',
    schema: { pattern: '^[-a-zA-Z0-9_]+$' },
  },
  email: {
    test: (text: string) => emailPattern.test(text) && !hasUnseen(text),
    complaint: 'Enter a valid email address.',
    schema: { format: 'email' },
  },
  uri: { test: isWebUrl, complaint: 'Enter a valid URL.', schema: { format: 'uri' } },
  /** A web address or a path on this server. */
  url: { test: (text: string) => text.startsWith('/') || isWebUrl(text), complaint: 'Enter a valid URL.', schema: {} },
};

export function text<N extends boolean = false>(options: TextOptions<N> = {}): Field<string | Null<N>> {
  const { max, blank = false, format } = options;
  const shape = { type: 'string', ...(max && { maxLength: max }), ...(format && !blank && formats[format].schema) };
  return {
    kind: 'text',
    orderable: true,
    storage: { in: 'column', type: 'text' },
    schema: { type: 'string', ...(max && { maxLength: max }) },
    requestSchema: blank ? shape : { ...shape, minLength: 1 },
    ...options,
    parse: (value) => parseText(value, options),
    toColumn: (value) => value,
    fromColumn: asStored,
  };
}

export const tooLong = (max: number): Words => message('Ensure this field has no more than {max} characters.', { max });

export function parseText(value: unknown, options: TextRules): Parsed<string> {
  if (typeof value !== 'string' && (options.strict || typeof value !== 'number'))
    return complain('Not a valid string.');
  const given = String(value);
  const text = options.trim === false ? given : given.trim();
  if (text === '') return options.blank ? accept('') : complain('This field may not be blank.');
  if (!isStorable(text)) return complain(unstorable);
  const complaints: Words[] = [];
  if (options.max && [...text].length > options.max) {
    complaints.push(tooLong(options.max));
  }
  if (options.format && !formats[options.format].test(text)) complaints.push(formats[options.format].complaint);
  const complaint = options.check?.(text);
  if (complaint) complaints.push(complaint);
  return complaints.length > 0 ? complain(...complaints) : accept(text);
}

export const slug = (options: TextOptions<false> = {}): Field<string> => text({ max: 50, ...options, format: 'slug' });

export interface ChoiceOptions<V, N extends boolean = boolean> extends Common<V, N> {
  /** Values in the contract that this server does not support yet. */
  readonly planned?: readonly string[];
}

/** One of a closed list of texts. */
export function choice<const V extends string, N extends boolean = false>(
  values: readonly V[],
  options: ChoiceOptions<V, N> = {},
): Field<V | Null<N>> {
  return {
    kind: 'choice',
    orderable: true,
    storage: { in: 'column', type: 'text' },
    schema: { type: 'string', enum: values },
    ...options,
    parse(value) {
      const given = asText(value);
      const chosen = typeof value === 'object' ? undefined : values.find((one) => one === given);
      return chosen === undefined ? complain(noChoice(given, values, options.planned)) : accept(chosen);
    },
    toColumn: (value) => value,
    fromColumn: asStored,
  };
}

/** A longer list would bury the message. */
const maxListed = 20;

/** Lists the allowed choices, or the nearest ones if there are many. */
export function noChoice(given: string, values: readonly string[], planned: readonly string[] = []): string {
  const refusal = `"${given}" is not a valid choice.`;
  const words = planned.includes(given) ? `${refusal} This server does not support it yet.` : refusal;
  return `${words}${choicesFor(given, values)}`;
}

/** The valid choices, or of many the one that was probably meant; appended to a refusal. */
export function choicesFor(given: string, values: readonly string[]): string {
  if (values.length <= maxListed) return ` Valid choices: ${values.join(', ')}.`;
  const nearest = nearestWord(given, values);
  return nearest === null ? '' : ` Did you mean "${nearest}"?`;
}
