import { pageLocale } from '../texts/page-language.ts';

const exactly = (moment: number): string =>
  new Intl.DateTimeFormat(pageLocale(), { dateStyle: 'medium', timeStyle: 'short' }).format(moment);

const steps: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

/** `3 hours ago`, `in 2 days`, `now`. */
function relativeTo(now: number, moment: number): string {
  const relative = new Intl.RelativeTimeFormat(pageLocale(), { numeric: 'auto' });
  const seconds = Math.round((moment - now) / 1000);
  const step = steps.find(([, length]) => Math.abs(seconds) >= length);
  return step ? relative.format(Math.trunc(seconds / step[1]), step[0]) : relative.format(0, 'second');
}

/** A relative time; the tooltip shows it exactly. */
export function Moment({ at }: { at: string }) {
  const moment = Date.parse(at);
  return (
    <time dateTime={at} title={exactly(moment)}>
      {relativeTo(Date.now(), moment)}
    </time>
  );
}

/** A moment by the calendar and the clock. */
export function ExactMoment({ at }: { at: string }) {
  return <time dateTime={at}>{exactly(Date.parse(at))}</time>;
}
