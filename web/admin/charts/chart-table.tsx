import { t } from '../../texts/texts.ts';
import '../generic/list.css';
import { useState } from 'react';
import { atLeast, numberText } from '../labels.ts';

interface Props {
  /** What the rows are: `Day`. */
  readonly unit: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly [title: string, ...counts: number[]])[];
  readonly isAtLeast: boolean;
}

/** The numbers of a chart as a table. */
export function ChartTable({ unit, columns, rows, isAtLeast }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{t('As a table')}</summary>
      {isOpen && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users scroll with the arrow keys
        <section className="table-frame scrolled chart-table" tabIndex={0} aria-label={t('The chart as a table')}>
          <table className="table comparison">
            <thead>
              <tr>
                <th scope="col">{unit}</th>
                {columns.map((title) => (
                  <th key={title} scope="col">
                    {title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map(([title, ...counts]) => (
                <tr key={title}>
                  <th scope="row">{title}</th>
                  {counts.map((count, at) => (
                    <td key={columns[at]}>{atLeast(numberText(count), isAtLeast && count > 0)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </details>
  );
}
