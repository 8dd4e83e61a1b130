import { t } from '../../texts/texts.ts';
import './list.css';
import { type ComponentType, type ReactNode, useEffect, useState } from 'react';
import type { Paginated } from '../../api/paginated.ts';
import { Loaded } from '../../elements/loading.tsx';
import { type Address, goTo, hereWith, useAddress } from '../address.ts';
import type { Description } from '../api/description.ts';
import type { ResourceEntry } from '../api/interface.ts';
import type { Row } from '../api/objects.ts';
import { usePage } from '../api/pages.ts';
import { viewParameter } from '../api/saved-views.tsx';
import { useDescription } from '../api/use-description.ts';
import { counted, inSentence, moreThan } from '../labels.ts';
import { Link } from '../link.tsx';
import { newAddressOf } from '../new-address.ts';
import { Page } from '../page.tsx';
import { isMissing } from '../parts/unread.tsx';
import type { ResourcePage } from '../resource-page.ts';
import { ActionButtons } from './action-buttons.tsx';
import { BulkBar } from './bulk-bar.tsx';
import { ColumnsButton, useColumns } from './columns.tsx';
import { Filters } from './filters.tsx';
import { Pager } from './pager.tsx';
import type { BulkVerbsProps } from './picked.ts';
import { SavedViewLinks, SavedViewsButton, useCurrentView } from './saved-views.tsx';
import { type ExtraColumn, Table } from './table.tsx';
import { useCrumbs } from './use-crumbs.ts';

const rowsAPage = '50';
const smallest = 20;
const pageSizes = [String(smallest), rowsAPage, '100', '200'];

interface Props extends ResourcePage {
  /** What stands beside and above the list, and further things to do, of lists that are made by hand. */
  readonly beside?: ReactNode;
  readonly above?: ReactNode;
  readonly actions?: ReactNode;
  /** Further things to do with chosen rows. */
  readonly BulkVerbs?: ComponentType<BulkVerbsProps> | undefined;
  /** Reads a column that is not part of the rows; the same function in each rendering. */
  readonly useExtra?: (rows: readonly Row[]) => ExtraColumn | null;
  readonly isUsed?: (row: Row) => boolean | null;
}

/** All objects of a resource, with what is asked for in the address. */
export function ListPage({ entry, beside, above, actions, ...made }: Props) {
  const address = useAddress();
  const description = useDescription(entry.path, questionOf(entry, address));
  const canAdd = entry.may.add === 'all';
  const [round, setRound] = useState(0);
  const isBeyond = address.query.has('page') && isMissing(description);
  const list = isBeyond ? (
    <BeyondLastPage />
  ) : (
    <Loaded {...description}>{(known) => <List key={round} {...made} entry={entry} description={known} />}</Loaded>
  );
  return (
    <Page
      title={entry.plural}
      intro={entry.description}
      crumbs={useCrumbs(entry)}
      actions={
        <>
          {actions}
          {description.answer.state === 'ready' && (
            <ActionButtons
              {...{ entry, description: description.answer.value }}
              objectKey={null}
              onDone={async () => setRound((round) => round + 1)}
            />
          )}
          {canAdd && (
            <Link className="button button-primary" href={newAddressOf(entry)}>
              {t('New {kind}', { kind: inSentence(entry.singular) })}
            </Link>
          )}
        </>
      }
    >
      {above}
      {beside ? (
        <div className="beside">
          {beside}
          <div className="beside-main">{list}</div>
        </div>
      ) : (
        list
      )}
    </Page>
  );
}

interface ListProps extends Pick<Props, 'entry' | 'BulkVerbs' | 'useExtra' | 'isUsed'> {
  readonly description: Description;
}

const noRows: readonly Row[] = [];
/** Groups of one page alone would look like those of the whole list. */
const notGrouped = () => null;
const withoutExtra = (_rows: readonly Row[]): ExtraColumn | null => null;

function List({ entry, description, BulkVerbs, useExtra = withoutExtra, isUsed }: ListProps) {
  const address = useAddress();
  const listed = usePage<Paginated<Row>>(questionOf(entry, address));
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const columns = useColumns(entry.path, description, useCurrentView(entry.path));
  const extra = useExtra(listed.answer.state === 'ready' ? listed.answer.value.answer.results : noRows);
  if (address.query.has('page') && isMissing(listed)) return <BeyondLastPage />;
  const isAsking = [...address.query.keys()].some(
    (name) => !['page', 'page_size', 'dialog', 'ordering', viewParameter].includes(name),
  );
  return (
    <>
      <SavedViewLinks list={entry.path} />
      <div className="list-tools">
        <Filters description={description} />
        <div className="list-buttons">
          <SavedViewsButton list={entry.path} columns={columns.chosen} />
          <ColumnsButton description={description} {...columns} />
        </div>
      </div>
      <Loaded {...listed}>
        {({ answer: { results: rows, pagination }, names, isAtLeast }) =>
          rows.length === 0 ? (
            <p className="empty">
              {isAsking ? t('Nothing matches.') : t('There are no {kinds} yet.', { kinds: inSentence(entry.plural) })}
            </p>
          ) : (
            <>
              <BulkBar
                {...{ entry, description, rows, names, chosen }}
                Verbs={BulkVerbs}
                onChoose={setChosen}
                onDone={listed.reload}
              />
              <Table
                {...{ entry, description, rows, names, chosen, extra }}
                isUsed={pagination.total_pages > 1 ? notGrouped : isUsed}
                shown={columns.names}
                onChoose={setChosen}
              />
              <div className="list-foot">
                <p className="quiet small" role="status">
                  {moreThan(counted(pagination.count, entry), isAtLeast)}
                </p>
                {pagination.count > smallest && <PageSize />}
                <Pager pagination={pagination} isAtLeast={isAtLeast} />
              </div>
            </>
          )
        }
      </Loaded>
    </>
  );
}

/** How many rows a page has; in the address, as all that a list shows. */
function PageSize() {
  const { query } = useAddress();
  const current = query.get('page_size') || rowsAPage;
  const sizes = new Set([...pageSizes, current]);
  return (
    <select
      className="input page-size"
      aria-label={t('Rows on a page')}
      value={current}
      onChange={({ currentTarget }) => goTo(hereWith({ page_size: currentTarget.value, page: null }))}
    >
      {[...sizes].map((size) => (
        <option key={size} value={size}>
          {t('{count, number} on a page', { count: Number(size) })}
        </option>
      ))}
    </select>
  );
}

/** Rows have been deleted since the address was made, perhaps just now. */
function BeyondLastPage() {
  useEffect(() => goTo(hereWith({ page: null }), { replace: true }), []);
  return null;
}

/** The path of the list with what the address asks for; its names are those of the API, which passes over others. */
function questionOf({ path }: ResourceEntry, { query }: Address): string {
  const own = ['page_size', 'dialog', viewParameter];
  const asked = [...query].filter(([name, value]) => !own.includes(name) && value !== '');
  return `${path}?${new URLSearchParams([['page_size', query.get('page_size') || rowsAPage], ...asked])}`;
}
