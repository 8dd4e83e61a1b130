const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });

const steps: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

/** `3 hours ago`, `in 2 days`, `now`. */
export function relativeTo(now: number, moment: number): string {
  const seconds = Math.round((moment - now) / 1000);
  const step = steps.find(([, length]) => Math.abs(seconds) >= length);
  return step ? relative.format(Math.trunc(seconds / step[1]), step[0]) : relative.format(0, 'second');
}

/** A relative time; the tooltip shows it exactly. */
export function Moment({ at }: { at: string }) {
  const moment = Date.parse(at);
  return (
    <time dateTime={at} title={exact.format(moment)}>
      {relativeTo(Date.now(), moment)}
    </time>
  );
}

/** A moment by the calendar and the clock. */
export function ExactMoment({ at }: { at: string }) {
  return <time dateTime={at}>{exact.format(Date.parse(at))}</time>;
}
