import { t } from '../../texts/texts.ts';
import type { Member } from '../api/document.ts';
import type { Names, Row } from '../api/objects.ts';
import { Value } from './value.tsx';

interface Props {
  readonly members: readonly Member[];
  readonly names: Names;
  readonly columns: readonly Column[];
}

interface Column {
  readonly title: string;
  readonly row: Row;
  /** Whether this version has left the member as it was. */
  isUntouched?(name: string): boolean;
}

/** Versions of an object, side by side. */
export function Comparison({ members, names, columns }: Props) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: whoever has no mouse scrolls with the arrow keys
    <section className="table-frame scrolled" tabIndex={0} aria-label={t('Comparison')}>
      <table className="table comparison">
        <thead>
          <tr>
            <th scope="col">{t('Field')}</th>
            {columns.map(({ title }) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {members.map((member) => (
            <tr key={member.name}>
              <th scope="row">{member.note.label}</th>
              {columns.map(({ title, row, isUntouched }) => (
                <td key={title}>
                  {isUntouched?.(member.name) ? (
                    <span className="quiet">{t('Not changed')}</span>
                  ) : (
                    <Value member={member} value={row[member.name]} names={names} />
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
