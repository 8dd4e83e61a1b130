import { useMemo } from 'react';
import type { EventFacets } from '../../api/types.ts';
import { pageLocale } from '../../texts/page-language.ts';
import { t } from '../../texts/texts.ts';
import { goTo, hereWith } from '../address.ts';
import { Chart } from '../charts/chart.tsx';
import { ChartTable } from '../charts/chart-table.tsx';

const hourSeconds = 3600;

/** Events over time. Dragging selects a period. */
export function Histogram({ facets: { start, interval_seconds, counts, at_least } }: { facets: EventFacets }) {
  const first = Date.parse(start) / 1000;
  const times = useMemo(() => counts.map((_, at) => first + at * interval_seconds), [counts, first, interval_seconds]);
  const series = useMemo(() => [{ label: t('Events'), colour: '--accent', values: counts }], [counts]);
  const isByDay = interval_seconds > hourSeconds;
  const moment = new Intl.DateTimeFormat(pageLocale(), {
    dateStyle: 'medium',
    ...(!isByDay && { timeStyle: 'short' }),
  });
  const rows = times
    .map((time, at): [string, number] => [moment.format(time * 1000), counts[at] ?? 0])
    .filter(([, count]) => count > 0);
  return (
    <div className="card stack-tight">
      <Chart
        label={t('Events over time')}
        times={times}
        series={series}
        look="bars"
        onSelect={(from, to) => goTo(hereWith({ from: isoOf(from), to: isoOf(to), page: null, live: null }))}
      />
      <ChartTable
        unit={t(isByDay ? 'Day' : 'Hour')}
        columns={[t('Events')]}
        rows={rows}
        isAtLeast={at_least.includes('counts')}
      />
    </div>
  );
}

const isoOf = (seconds: number): string => new Date(Math.round(seconds) * 1000).toISOString();
