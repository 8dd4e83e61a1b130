/** A time in UTC as `YYYY-MM-DDTHH:MM:SS.ffffffZ`: always 27 characters, so that text order is time order. */
export type Timestamp = string;

export interface Clock {
  now(): Timestamp;
}

const earliest: Timestamp = '0001-01-01T00:00:00.000000Z';
const latest: Timestamp = '9999-12-31T23:59:59.999999Z';
const earliestMilliseconds = Date.parse('0001-01-01T00:00:00.000Z');
const latestMilliseconds = Date.parse('9999-12-31T23:59:59.999Z');

const wholeCalendar = latestMilliseconds - earliestMilliseconds + 1;

const dateTime =
  /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(?::(\d{2})(?:\.(\d{1,6}))?)?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))?$/;

export const systemClock: Clock = { now: () => toTimestamp(Date.now()) };

/** Throws a RangeError if the date is invalid or outside the years 0001 to 9999. */
export function toTimestamp(date: Date | number): Timestamp {
  const milliseconds = Math.floor(Number(date));
  if (!(milliseconds >= earliestMilliseconds && milliseconds <= latestMilliseconds)) {
    throw new RangeError('the time is outside the years 0001 to 9999');
  }
  return `${new Date(milliseconds).toISOString().slice(0, -1)}000Z`;
}

/** A Date has millisecond precision: the last three digits of the timestamp are dropped. */
export const fromTimestamp = (text: Timestamp): Date => new Date(millisecondsOf(text));

/** Valid if it is what we would write for that time. */
function millisecondsOf(text: Timestamp): number {
  const milliseconds = Date.parse(text);
  const isValid =
    milliseconds >= earliestMilliseconds &&
    milliseconds <= latestMilliseconds &&
    withMicroseconds(milliseconds, Number(text.slice(23, 26))) === text;
  if (!isValid) throw new RangeError('the text is not a timestamp');
  return milliseconds;
}

/** Keeps fractions of a millisecond; results outside the calendar are clamped. */
export function addMilliseconds(timestamp: Timestamp, milliseconds: number): Timestamp {
  if (Number.isNaN(milliseconds)) throw new RangeError('the number of milliseconds is not a number');
  const start = millisecondsOf(timestamp);
  const bounded = Math.min(Math.max(milliseconds, -wholeCalendar), wholeCalendar);
  const whole = Math.floor(bounded);
  const microseconds = Number(timestamp.slice(23, 26)) + Math.round((bounded - whole) * 1000);
  const sum = start + whole + Math.floor(microseconds / 1000);
  if (sum > latestMilliseconds) return latest;
  if (sum < earliestMilliseconds) return earliest;
  return withMicroseconds(sum, microseconds % 1000);
}

/**
 * Reads `YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z]`, with a space allowed instead of the T; without a zone it is
 * UTC. Null for anything else, for dates that do not exist and for times outside the years 0001 to 9999.
 */
export function parseTimestamp(text: string): Timestamp | null {
  const match = dateTime.exec(text);
  if (!match) return null;
  const [, day, minutes, seconds = '00', fraction = '', sign, offsetHours = '0', offsetMinutes = '0'] = match;
  const micros = fraction.padEnd(6, '0');
  const local = `${day}T${minutes}:${seconds}.${micros.slice(0, 3)}Z`;
  const date = new Date(local);
  // JavaScript reads February 30 as March 2 and 24:00 as the next day: only a text that round-trips is a real time.
  if (Number.isNaN(date.getTime()) || date.toISOString() !== local) return null;
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * 60_000;
  const utc = date.getTime() - (sign === '-' ? -offset : offset);
  if (utc < earliestMilliseconds || utc > latestMilliseconds) return null;
  return withMicroseconds(utc, Number(micros.slice(3)));
}

function withMicroseconds(milliseconds: number, microseconds: number): Timestamp {
  return `${new Date(milliseconds).toISOString().slice(0, 23)}${String(microseconds).padStart(3, '0')}Z`;
}
