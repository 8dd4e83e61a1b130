import pg from 'pg';

const oid = { int8: 20, json: 114, jsonb: 3802, timestamptz: 1184 };

// Values arrive as SQLite gives them: JSON as text, timestamps as our own text, counts as numbers.
const parsers = new Map<number, (text: string) => unknown>([
  [oid.int8, Number],
  [oid.json, (text) => text],
  [oid.jsonb, (text) => text],
  [oid.timestamptz, toTimestamp],
]);

// pg's types describe the overload for text only.
export const postgresTypes = {
  getTypeParser: (type: number, format?: 'text' | 'binary') =>
    (format !== 'binary' && parsers.get(type)) || pg.types.getTypeParser(type, format as 'text'),
} as pg.CustomTypesConfig;

const parts =
  /^(?<date>[^ ]+) (?<clock>\d\d:\d\d:\d\d)(?:\.(?<fraction>\d+))?(?<sign>[+-])(?<hours>\d\d)(?::(?<minutes>\d\d))?(?::(?<seconds>\d\d))?$/;

/** `2026-01-02 03:04:05.678+00` as `2026-01-02T03:04:05.678000Z`, in any time zone. */
export function toTimestamp(text: string): string {
  const found = parts.exec(text)?.groups;
  if (!found) throw new RangeError(`PostgreSQL gave a time that cannot be read: ${text}`);
  const { date, clock, fraction = '', sign, hours, minutes = 0, seconds = 0 } = found;
  const micros = fraction.padEnd(6, '0');
  const offsetMs = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000;
  if (offsetMs === 0) return `${date}T${clock}.${micros}Z`;
  const local = Date.parse(`${date}T${clock}Z`);
  const moment = new Date(sign === '+' ? local - offsetMs : local + offsetMs).toISOString();
  return `${moment.slice(0, -'.000Z'.length)}.${micros}Z`;
}

/** A parameter as PostgreSQL reads it. */
export function toParameter(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return `{${value.map(toElement).join(',')}}`;
  if (typeof value !== 'object') return String(value);
  throw new TypeError('a parameter of a statement must be a text, a number, a boolean, null or a list of these');
}

function toElement(value: unknown): string {
  const text = toParameter(value);
  if (text === null) return 'NULL';
  return Array.isArray(value) ? text : `"${text.replace(/[\\"]/g, '\\$&')}"`;
}
