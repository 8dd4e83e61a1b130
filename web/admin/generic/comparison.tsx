import type { ReactNode } from 'react';
import { t } from '../../texts/texts.ts';
import type { Member } from '../api/document.ts';
import type { Names, Row } from '../api/objects.ts';
import { isSame } from './body.ts';
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
  isUntouched?(member: Member): boolean;
}

/** Versions of an object, side by side; where there is no room, one below the other. */
export function Comparison({ members, names, columns }: Props) {
  function shown(member: Member, { row, isUntouched }: Column): ReactNode {
    if (isUntouched?.(member)) return <span className="quiet">{t('Not changed')}</span>;
    const value = row[member.name];
    // Secrets all look the same.
    if (member.note.kind === 'secret' && value && !isSame(value, columns[0]?.row[member.name])) return t('Changed');
    return <Value member={member} value={value} names={names} />;
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users scroll with the arrow keys
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
              {columns.map((column) => (
                <td key={column.title}>
                  <span className="comparison-title">{column.title}</span>
                  {shown(member, column)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
