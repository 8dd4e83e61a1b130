import { type Dispatch, memo, type ReactNode, type SetStateAction, useMemo } from 'react';
import { t } from '../../texts/texts.ts';
import { hereWith, hrefOf, useAddress } from '../address.ts';
import type { Description } from '../api/description.ts';
import type { Member } from '../api/document.ts';
import { type ResourceEntry, useInterface } from '../api/interface.ts';
import { nameOfRow } from '../api/object.ts';
import type { NamedObject, Names, Row } from '../api/objects.ts';
import { RowMark } from '../icons/mark.tsx';
import { Link } from '../link.tsx';
import { ShippedName } from '../shipped-name.tsx';
import { canChoose } from './bulk-bar.tsx';
import { Value } from './value.tsx';

/** A column of a list that is made by hand, which shows more than its rows hold. */
export interface ExtraColumn {
  readonly title: string;
  cellOf(row: Row): ReactNode;
}

interface Props {
  readonly entry: ResourceEntry;
  readonly description: Description;
  /** The members that are shown. */
  readonly shown: readonly string[];
  readonly rows: readonly Row[];
  readonly names: Names;
  readonly extra?: ExtraColumn | null;
  /** Whether a row is in use; null where that is not known or all the same. */
  readonly isUsed?: ((row: Row) => boolean | null) | undefined;
  readonly chosen: ReadonlySet<string>;
  readonly onChoose: Dispatch<SetStateAction<ReadonlySet<string>>>;
}

const columnsOf = ({ shown }: Description, names: readonly string[]): Member[] =>
  names.flatMap((name) => shown.find((member) => member.name === name) ?? []);

/** In lists of families, `verbose_name` is the kind of a row. */
const labelOf = ({ name, note }: Member): string => (name === 'verbose_name' ? t('Kind') : note.label);

/** Rows with links, sortable by their headings. */
export function Table(props: Props) {
  const { entry, description, shown, rows, names, extra, isUsed = usedByItself, chosen, onChoose } = props;
  const columns = useMemo(() => columnsOf(description, shown), [description, shown]);
  const keyOf = (row: Row) => String(row[description.key]);
  const pathOf = useRowPath(entry);
  const isChoosable = canChoose(entry, description);
  const isOpenTo = (row: Row) => hasRights(names(description.model, row[description.pk ?? description.key]));
  const open = rows.filter(isOpenTo);
  const isAll = open.length > 0 && open.every((row) => chosen.has(keyOf(row)));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users scroll with the arrow keys
    <section className="table-frame" tabIndex={0} aria-label={entry.plural}>
      <table className="table">
        <thead>
          <tr>
            {isChoosable && (
              <th className="table-choice" scope="col">
                <input
                  type="checkbox"
                  aria-label={t('All on this page')}
                  checked={isAll}
                  onChange={({ currentTarget }) => onChoose(new Set(currentTarget.checked ? open.map(keyOf) : []))}
                />
              </th>
            )}
            {columns.map((member) => (
              <Heading key={member.name} member={member} description={description} />
            ))}
            {extra && <th scope="col">{extra.title}</th>}
          </tr>
        </thead>
        {byUse(rows, isUsed).map(({ title, rows: inner }) => (
          <tbody key={title}>
            {title && (
              <tr className="table-group">
                <th scope="rowgroup" colSpan={columns.length + 2}>
                  {title}
                </th>
              </tr>
            )}
            {inner.map((row) => {
              const key = keyOf(row);
              const isChosen = chosen.has(key);
              const href = hrefOf(`${pathOf(row)}${encodeURIComponent(key)}/`);
              return (
                <tr key={key} data-chosen={isChosen || undefined}>
                  {isChoosable && !isOpenTo(row) && <td className="table-choice" />}
                  {isChoosable && isOpenTo(row) && (
                    <ChoiceCell
                      objectKey={key}
                      name={nameOfRow(description, row, names)}
                      isChosen={isChosen}
                      onChoose={onChoose}
                    />
                  )}
                  <Cells row={row} path={pathOf(row)} href={href} columns={columns} names={names} />
                  {extra && <td>{extra.cellOf(row)}</td>}
                </tr>
              );
            })}
          </tbody>
        ))}
      </table>
    </section>
  );
}

/** Stages have the flows that they are part of, policies the number of their bindings. */
function usedByItself({ flow_set, bound_to }: Row): boolean | null {
  if (Array.isArray(flow_set)) return flow_set.length > 0;
  return typeof bound_to === 'number' ? bound_to > 0 : null;
}

interface Part {
  readonly title: string;
  readonly rows: readonly Row[];
}

/** Those in use first, if there are both. */
function byUse(rows: readonly Row[], isUsed: NonNullable<Props['isUsed']>): Part[] {
  const parts = Map.groupBy(rows, isUsed);
  const [used, unused] = [parts.get(true), parts.get(false)];
  if (!used || !unused) return [{ title: '', rows }];
  return [
    { title: t('In use'), rows: used },
    { title: t('Unused'), rows: unused },
  ];
}

/** Whether anything may be done with a row that is chosen, as far as is known. */
const hasRights = (object: NamedObject | undefined): boolean =>
  !object || object.may.includes('change') || object.may.includes('delete');

interface ChoiceProps extends Pick<Props, 'onChoose'> {
  readonly objectKey: string;
  readonly name: string;
  readonly isChosen: boolean;
}

const ChoiceCell = memo(function ChoiceCell({ objectKey, name, isChosen, onChoose }: ChoiceProps) {
  return (
    <td className="table-choice">
      <input
        type="checkbox"
        aria-label={t('Choose {name}', { name })}
        checked={isChosen}
        onChange={() => onChoose((chosen) => toggled(chosen, objectKey))}
      />
    </td>
  );
});

function toggled(chosen: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(chosen);
  if (!next.delete(key)) next.add(key);
  return next;
}

interface CellsProps extends Pick<Props, 'names'> {
  readonly row: Row;
  readonly path: string;
  readonly href: string;
  readonly columns: readonly Member[];
}

/** Memoized: choosing rows does not render their cells again. */
const Cells = memo(function Cells({ row, path, href, columns, names }: CellsProps) {
  const cellOf = (member: Member) => <Value member={member} value={row[member.name]} names={names} isBrief />;
  return columns.map((member, at) =>
    at === 0 ? (
      <th key={member.name} scope="row">
        <Link href={href}>
          <RowMark row={row} path={path} />
          <span>
            <ShippedName name={String(row[member.name])} slug={row.designation && row.slug}>
              {cellOf(member)}
            </ShippedName>
          </span>
        </Link>
      </th>
    ) : (
      <td key={member.name}>{cellOf(member)}</td>
    ),
  );
});

function Heading({ member, description }: { member: Member; description: Description }) {
  const { query } = useAddress();
  const [first = ''] = (query.get('ordering') ?? description.order.join(',')).split(',');
  const isFirst = first.replace(/^-/, '') === member.name;
  const isDown = isFirst && first.startsWith('-');
  if (!description.orderable.includes(member.name)) return <th scope="col">{labelOf(member)}</th>;
  const direction = isDown ? 'descending' : 'ascending';
  const next = isFirst && !isDown ? `-${member.name}` : member.name;
  return (
    <th scope="col" aria-sort={isFirst ? direction : undefined}>
      <Link href={hereWith({ ordering: next, page: null })}>
        {labelOf(member)}
        {isFirst && <span aria-hidden="true">{isDown ? ' ↓' : ' ↑'}</span>}
      </Link>
    </th>
  );
}

/** The path of a row: below its own kind in lists of a family. */
function useRowPath(entry: ResourceEntry): (row: Row) => string {
  const { resources } = useInterface();
  return ({ meta_model_name }) =>
    resources.find(({ model, family }) => model === meta_model_name && family === entry.path)?.path ?? entry.path;
}
