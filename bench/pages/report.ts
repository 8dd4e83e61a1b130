import { mark, table } from '../report.ts';
import { type MeasuredInteraction, rowsShown } from './measure.ts';

const targetMs = 200;
/** The browser reports nothing shorter. */
const shown = (duration: number): string => (duration === 0 ? 'under 16 ms' : `${duration} ms`);

export const pagesTable = (rows: readonly MeasuredInteraction[]): string =>
  table(
    [`interaction, ${rowsShown} rows`, 'median', 'worst'],
    rows.map(({ title, durations }) => {
      const sorted = durations.toSorted((one, other) => one - other);
      const worst = sorted.at(-1) ?? 0;
      return [title, shown(sorted[sorted.length >> 1] ?? 0), mark(shown(worst), worst < targetMs)];
    }),
  );
