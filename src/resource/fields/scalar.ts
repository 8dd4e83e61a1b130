import { parseDuration } from '../../lib/duration.ts';
import { asText } from '../../lib/json.ts';
import { message } from '../../lib/texts/message.ts';
import { parseTimestamp } from '../../platform/clock.ts';
import { accept, asStored, type Common, complain, type Field, type Null, type Parsed } from './field.ts';

const int32 = { min: -2147483648, max: 2147483647 };

/** Whether a column of whole numbers can hold it. */
export const isInt32 = (value: unknown): boolean =>
  Number.isInteger(value) && Number(value) >= int32.min && Number(value) <= int32.max;
const yes = new Set<unknown>([
  true,
  1,
  'true',
  'True',
  'TRUE',
  't',
  'T',
  'y',
  'Y',
  'yes',
  'Yes',
  'YES',
  'on',
  'On',
  'ON',
  '1',
]);
const no = new Set<unknown>([
  false,
  0,
  'false',
  'False',
  'FALSE',
  'f',
  'F',
  'n',
  'N',
  'no',
  'No',
  'NO',
  'off',
  'Off',
  'OFF',
  '0',
]);

export function boolean<N extends boolean = false>(options: Common<boolean, N> = {}): Field<boolean | Null<N>> {
  return {
    kind: 'boolean',
    orderable: true,
    storage: { in: 'column', type: 'bool' },
    schema: { type: 'boolean' },
    ...options,
    parse(value) {
      if (yes.has(value)) return accept(true);
      return no.has(value) ? accept(false) : complain('Must be a valid boolean.');
    },
    toColumn: (value) => value,
    fromColumn: (raw) => (raw === null ? asStored(raw) : raw === true || raw === 1),
  };
}

export interface IntegerOptions<N extends boolean = boolean> extends Common<number, N> {
  readonly min?: number;
  readonly max?: number;
}

/** A 32-bit integer, or one of a narrower range. */
export function integer<N extends boolean = false>(options: IntegerOptions<N> = {}): Field<number | Null<N>> {
  const { min = int32.min, max = int32.max } = options;
  return {
    kind: 'integer',
    orderable: true,
    storage: { in: 'column', type: 'int' },
    schema: { type: 'integer', minimum: min, maximum: max },
    ...options,
    parse: (value) => parseWhole(value, min, max),
    toColumn: (value) => value,
    fromColumn: asStored,
  };
}

export function parseWhole(value: unknown, min = int32.min, max = int32.max): Parsed<number> {
  const isNumeric = typeof value === 'number' || (typeof value === 'string' && /^\s*[-+]?\d+(\.0*)?\s*$/.test(value));
  const number = isNumeric ? Number(value) : Number.NaN;
  if (!Number.isInteger(number)) return complain('A valid integer is required.');
  if (number > max) return complain(message('Ensure this value is less than or equal to {max}.', { max }));
  if (number < min) return complain(message('Ensure this value is greater than or equal to {min}.', { min }));
  return accept(number === 0 ? 0 : number);
}

export function real<N extends boolean = false>(options: Common<number, N> = {}): Field<number | Null<N>> {
  return {
    kind: 'real',
    orderable: true,
    storage: { in: 'column', type: 'real' },
    schema: { type: 'number' },
    ...options,
    parse: (value) => {
      const number =
        typeof value === 'number' || (typeof value === 'string' && value.trim()) ? Number(value) : Number.NaN;
      return Number.isFinite(number) ? accept(number) : complain('A valid number is required.');
    },
    toColumn: (value) => value,
    fromColumn: asStored,
  };
}

const timeComplaint =
  'Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z].';

/** A time with microsecond precision. */
export function time<N extends boolean = false>(options: Common<string, N> = {}): Field<string | Null<N>> {
  return {
    kind: 'time',
    orderable: true,
    storage: { in: 'column', type: 'time' },
    schema: { type: 'string', format: 'date-time' },
    requestSchema: { type: 'string', format: 'date-time', minLength: 1 },
    ...options,
    parse: (value) => {
      const parsed = typeof value === 'string' ? parseTimestamp(value.trim()) : null;
      return parsed ? accept(parsed) : complain(timeComplaint);
    },
    toColumn: (value) => value,
    // In the JSON it builds, PostgreSQL writes the zone as an offset.
    fromColumn: (raw, _world, _context, nested) =>
      asStored(nested && typeof raw === 'string' && !raw.endsWith('Z') ? parseTimestamp(raw) : raw),
  };
}

interface DurationOptions<N extends boolean> extends Common<string, N> {
  /** Refuses zero and negative lengths. */
  readonly aboveZero?: boolean;
}

export const notAboveZero = 'This must be a length of time above zero.';

/** A duration as text: `hours=1;minutes=30`. */
export function duration<N extends boolean = false>({
  aboveZero = false,
  ...options
}: DurationOptions<N> = {}): Field<string | Null<N>> {
  return {
    kind: 'duration',
    orderable: true,
    storage: { in: 'column', type: 'text' },
    schema: { type: 'string' },
    requestSchema: { type: 'string', minLength: 1 },
    ...options,
    parse(value) {
      const length = typeof value === 'string' ? parseDuration(value.trim()) : null;
      if (typeof value !== 'string' || length === null)
        return complain(`${asText(value)} is not in the correct format of 'hours=3;minutes=1'.`);
      return aboveZero && length <= 0 ? complain(notAboveZero) : accept(value.trim());
    },
    toColumn: (value) => value,
    fromColumn: asStored,
  };
}

/** An identifier that the server generates. */
export function uuid<N extends boolean = false>(options: Common<string, N> = {}): Field<string | Null<N>> {
  return {
    kind: 'uuid',
    orderable: true,
    storage: { in: 'column', type: 'uuid' },
    schema: { type: 'string', format: 'uuid' },
    ...options,
    parse: (value) => (isUuid(value) ? accept(canonicalUuid(value)) : complain('Must be a valid UUID.')),
    toColumn: (value) => value,
    fromColumn: asStored,
  };
}

const uuidPattern = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const canonicalPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
export const isUuid = (value: unknown): value is string => typeof value === 'string' && uuidPattern.test(value);

/** The canonical form: lower case, with dashes. */
export function canonicalUuid(text: string): string {
  if (canonicalPattern.test(text)) return text;
  const hex = text.replaceAll('-', '').toLowerCase();
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
