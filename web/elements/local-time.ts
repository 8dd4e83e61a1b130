/** The last moment that a field for a time takes: browsers let people type years of six digits otherwise. */
export const latest = '9999-12-31T23:59:59';

/** The format of `datetime-local`: local time without a zone. */
export function localTime(value: unknown): string {
  const moment = new Date(String(value ?? ''));
  if (Number.isNaN(moment.getTime())) return '';
  return new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

/** What was typed there, as the API takes it. What is no time is returned as it is, and the server says so. */
export function sentTime(text: string): string {
  const moment = new Date(text);
  return Number.isNaN(moment.getTime()) ? text : moment.toISOString();
}
