import { useMemo } from 'react';
import { pageLocale } from '../../texts/page-language.ts';
import { t } from '../../texts/texts.ts';
import { Chart, type Series } from '../charts/chart.tsx';
import { ChartTable } from '../charts/chart-table.tsx';
import { atLeast, numberText } from '../labels.ts';
import type { Week } from './overview.ts';

const hourMs = 3_600_000;
const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);

/** Sign-ins, failures and authorizations of the last week, by hour. */
export function WeekCard({ week, isAtLeast }: { week: Week; isAtLeast: boolean }) {
  const start = Date.parse(week.start);
  const times = useMemo(() => week.logins.map((_, at) => (start + at * hourMs) / 1000), [week, start]);
  const series = useMemo<Series[]>(
    () => [
      { label: t('Sign-ins'), colour: '--accent', values: week.logins },
      { label: t('Failed sign-ins'), colour: '--bad', values: week.logins_failed },
      { label: t('Authorizations'), colour: '--good', values: week.authorizations },
    ],
    [week],
  );
  const dayName = new Intl.DateTimeFormat(pageLocale(), { weekday: 'long', month: 'short', day: 'numeric' });
  const days = new Map<string, number[]>();
  for (const [at, time] of times.entries()) {
    const day = dayName.format(time * 1000);
    const known = days.get(day) ?? series.map(() => 0);
    days.set(
      day,
      known.map((count, of) => count + (series[of]?.values[at] ?? 0)),
    );
  }
  return (
    <section className="card stack" aria-labelledby="start-week">
      <h2 id="start-week">{t('The last week')}</h2>
      <ul className="legend">
        {series.map(({ label, colour, values }) => (
          <li key={label}>
            <span className="legend-mark" data-colour={colour} aria-hidden="true" />
            {label} <strong>{atLeast(numberText(sum(values)), isAtLeast)}</strong>
          </li>
        ))}
      </ul>
      <Chart label={t('Sign-ins, failed sign-ins and authorizations by hour')} {...{ times, series }} look="lines" />
      <ChartTable
        unit={t('Day')}
        columns={series.map(({ label }) => label)}
        rows={[...days].map(([day, counts]) => [day, ...counts])}
        isAtLeast={isAtLeast}
      />
    </section>
  );
}
