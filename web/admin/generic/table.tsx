import type { ReactNode } from 'react';
import { t } from '../../texts/texts.ts';
import { hereWith, hrefOf, useAddress } from '../address.ts';
import type { Description } from '../api/description.ts';
import type { Member } from '../api/document.ts';
import { type ResourceEntry, useInterface } from '../api/interface.ts';
import type { Names, Row } from '../api/objects.ts';
import { Link } from '../link.tsx';
import { Value } from './value.tsx';

interface Props {
  readonly entry: ResourceEntry;
  readonly description: Description;
  readonly rows: readonly Row[];
  readonly names: Names;
  readonly chosen: ReadonlySet<string>;
  onChoose(chosen: ReadonlySet<string>): void;
}

/** The members that a list shows. */
const columnsOf = ({ columns, shown }: Description): Member[] =>
  columns.flatMap((name) => shown.find((member) => member.name === name) ?? []);

/** What kind a row is of is a column of families. */
const labelOf = ({ name, note }: Member): string => (name === 'verbose_name' ? t('Kind') : note.label);

/** Rows with a link to each, ordered by what their headings are pressed for. */
export function Table({ entry, description, rows, names, chosen, onChoose }: Props) {
  const columns = columnsOf(description);
  const keyOf = (row: Row) => String(row[description.key]);
  const pathOf = useRowPath(entry);
  const canChoose = entry.may.delete === 'all';
  const isAll = rows.every((row) => chosen.has(keyOf(row)));
  function choose(key: string, isChosen: boolean): void {
    const next = new Set(chosen);
    if (isChosen) next.add(key);
    else next.delete(key);
    onChoose(next);
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: whoever has no mouse scrolls with the arrow keys
    <section className="table-frame" tabIndex={0} aria-label={entry.plural}>
      <table className="table">
        <thead>
          <tr>
            {canChoose && (
              <th className="table-choice" scope="col">
                <input
                  type="checkbox"
                  aria-label={t('All on this page')}
                  checked={isAll}
                  onChange={({ currentTarget }) => onChoose(new Set(currentTarget.checked ? rows.map(keyOf) : []))}
                />
              </th>
            )}
            {columns.map((member) => (
              <Heading key={member.name} member={member} description={description} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const key = keyOf(row);
            const cells = columns.map((member) => (
              <Value key={member.name} member={member} value={row[member.name]} names={names} isBrief />
            ));
            return (
              <tr key={key} data-chosen={chosen.has(key) || undefined}>
                {canChoose && (
                  <td className="table-choice">
                    <input
                      type="checkbox"
                      aria-label={t('Choose {name}', { name: String(row[description.title] ?? key) })}
                      checked={chosen.has(key)}
                      onChange={({ currentTarget }) => choose(key, currentTarget.checked)}
                    />
                  </td>
                )}
                <Cells cells={cells} href={hrefOf(`${pathOf(row)}${encodeURIComponent(key)}/`)} columns={columns} />
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

/** The first names the row and leads to it. */
function Cells({ cells, href, columns }: { cells: ReactNode[]; href: string; columns: Member[] }) {
  return cells.map((cell, at) =>
    at === 0 ? (
      <th key={columns[at]?.name} scope="row">
        <Link href={href}>{cell}</Link>
      </th>
    ) : (
      <td key={columns[at]?.name}>{cell}</td>
    ),
  );
}

function Heading({ member, description }: { member: Member; description: Description }) {
  const { query } = useAddress();
  const [first = ''] = (query.get('ordering') ?? description.order.join(',')).split(',');
  const isFirst = first.replace(/^-/, '') === member.name;
  const isDown = isFirst && first.startsWith('-');
  if (!description.orderable.includes(member.name)) return <th scope="col">{labelOf(member)}</th>;
  const next = isFirst && !isDown ? `-${member.name}` : member.name;
  return (
    <th scope="col" aria-sort={isFirst ? (isDown ? 'descending' : 'ascending') : undefined}>
      <Link href={hereWith({ ordering: next, page: null })}>
        {labelOf(member)}
        {isFirst && <span aria-hidden="true">{isDown ? ' ↓' : ' ↑'}</span>}
      </Link>
    </th>
  );
}

/** Where a row has its page: with its kind, where the list is of a family. */
function useRowPath(entry: ResourceEntry): (row: Row) => string {
  const { resources } = useInterface();
  return ({ meta_model_name }) =>
    resources.find(({ model, family }) => model === meta_model_name && family === entry.path)?.path ?? entry.path;
}
