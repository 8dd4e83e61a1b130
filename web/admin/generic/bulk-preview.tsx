import './list.css';
import { t } from '../../texts/texts.ts';
import { type BulkResult, refusalWords } from '../api/bulk.ts';
import type { Member } from '../api/document.ts';
import type { Names, Row } from '../api/objects.ts';
import { isSame } from './body.ts';
import type { Picked } from './picked.ts';
import { Value } from './value.tsx';

interface Props {
  readonly picked: readonly Picked[];
  readonly members: readonly Member[];
  readonly results: readonly BulkResult[];
  readonly names: Names;
  labelOf(name: string): string | undefined;
}

/** What would change in each row, and which rows would be refused. */
export function BulkPreview({ picked, members, results, names, labelOf }: Props) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users scroll with the arrow keys
    <section className="table-frame scrolled" tabIndex={0} aria-label={t('What would change')}>
      <table className="table comparison">
        <thead>
          <tr>
            <th scope="col">{t('Name')}</th>
            <th scope="col">{t('Now')}</th>
            <th scope="col">{t('Then')}</th>
          </tr>
        </thead>
        <tbody>
          {picked.map((one, at) => (
            <Rows key={one.path} {...{ one, members, names, labelOf }} result={results[at]} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

type RowsProps = Pick<Props, 'members' | 'names' | 'labelOf'> & {
  readonly one: Picked;
  readonly result: BulkResult | undefined;
};

function Rows({ one: { name, row }, members, names, labelOf, result }: RowsProps) {
  if (!result) return null;
  const refusal = refusalWords(result, labelOf);
  const after = rowOf(result.body);
  const changed = members.filter((member) => !isSame(row[member.name], after[member.name]));
  if (refusal || changed.length === 0) {
    return (
      <tr>
        <th scope="row">{name}</th>
        <td colSpan={2}>
          {refusal ? (
            <span className="bulk-refused">{refusal}</span>
          ) : (
            <span className="quiet">{t('Nothing would change.')}</span>
          )}
        </td>
      </tr>
    );
  }
  return changed.map((member) => (
    <tr key={member.name}>
      <th scope="row">
        {name} <span className="bulk-member">{member.note.label}</span>
      </th>
      <td>
        <Value member={member} value={row[member.name]} names={names} isBrief />
      </td>
      <td>
        <Value member={member} value={after[member.name]} names={names} isBrief />
      </td>
    </tr>
  ));
}

const rowOf = (body: unknown): Row => (typeof body === 'object' && body !== null ? { ...body } : {});
