import type { Json } from '../../../lib/json.ts';
import type { Complaints } from '../../../lib/problem.ts';
import type { Parsed, Row } from '../../../resource/fields/field.ts';
import { boolean, real, time } from '../../../resource/fields/scalar.ts';
import { parseText, text } from '../../../resource/fields/text.ts';
import type { RenderedPrompt } from './show-prompt.ts';

/** These display something and take no input. */
const shownOnly: ReadonlySet<string> = new Set(['static', 'separator']);
/** The server decides these values and ignores what the client sends. */
const fixed: ReadonlySet<string> = new Set(['text_read_only', 'text_area_read_only', 'hidden']);
/** Types whose value people cannot change. */
export const takesNoInput: ReadonlySet<string> = new Set([...shownOnly, ...fixed]);
const maxFileLength = 2_000_000;

const parsers: Readonly<Record<string, (value: unknown) => Parsed<Json>>> = {
  email: (value) => text({ max: 254, format: 'email' }).parse(value),
  number: (value) => real().parse(value),
  checkbox: (value) => boolean().parse(value),
  date: (value) => (isDay(value) ? { value } : { complaint: ['Date has wrong format. Use YYYY-MM-DD.'] }),
  'date-time': (value) => time().parse(value),
  password: (value) => parseText(value, { trim: false, strict: true }),
  file: (value) =>
    typeof value === 'string' && value.length <= maxFileLength && /^data:[\w.+/=;-]{0,255},/.test(value)
      ? { value }
      : { complaint: ['The submitted data was not a file.'] },
  'xak-locale': (value) => text({ max: 35, check: localeComplaint }).parse(value),
};

export interface PromptAnswers {
  readonly values: Readonly<Record<string, Json>>;
  readonly complaints: Complaints;
}

/** Whether the input contains an answer to one of these prompts. */
export const isForPrompts = (prompts: readonly RenderedPrompt[], given: Row): boolean =>
  given.component !== undefined || prompts.some(({ field_key }) => Object.hasOwn(given, field_key));

/** Reads the answers to one screen's prompts and ignores everything else. */
export function readAnswers(prompts: readonly RenderedPrompt[], given: Row): PromptAnswers {
  const values = new Map<string, Json>();
  const complaints: Complaints = {};
  for (const prompt of prompts) {
    if (shownOnly.has(prompt.type)) continue;
    const parsed = readAnswer(prompt, Object.hasOwn(given, prompt.field_key) ? given[prompt.field_key] : undefined);
    if ('complaint' in parsed) complaints[prompt.field_key] = parsed.complaint;
    else values.set(prompt.field_key, parsed.value);
  }
  // Two are a password and its repetition. With more of them, one is the old password: which one, only policies can
  // say.
  const passwords = prompts.filter(({ type }) => type === 'password').map(({ field_key }) => values.get(field_key));
  if (passwords.length === 2 && passwords[0] !== passwords[1]) complaints.non_field_errors = ["Passwords don't match."];
  return { values: Object.fromEntries(values), complaints };
}

function readAnswer({ type, required, initial_value, choices }: RenderedPrompt, given: unknown): Parsed<Json> {
  if (fixed.has(type)) return { value: initial_value };
  if (given === undefined || given === null || given === '') {
    if (type === 'checkbox' && !required) return { value: false };
    if (required) return { complaint: [given === '' ? 'This field may not be blank.' : 'This field is required.'] };
    return { value: type === 'number' ? null : '' };
  }
  if (choices) {
    const isOne = typeof given === 'string' && choices.includes(given);
    return isOne ? { value: given } : { complaint: ['This is not a valid choice.'] };
  }
  return (parsers[type] ?? ((value) => text({ blank: !required }).parse(value)))(given);
}

function isDay(value: unknown): value is string {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return false;
  const day = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(value);
}

const localeComplaint = (name: string): string | null =>
  /^[a-z]{2,8}([-_][a-z0-9]{2,8})*$/i.test(name) ? null : 'This is not a valid choice.';
