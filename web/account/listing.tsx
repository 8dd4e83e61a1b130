import { t } from '../texts/texts.ts';
import './listing.css';
import { type ReactNode, useCallback, useState } from 'react';
import { apiFetch } from '../api/call.ts';
import type { Paginated } from '../api/paginated.ts';
import { Button } from '../elements/button.tsx';
import { type Loadable, Loaded, useLoadable } from '../elements/loading.tsx';

interface Listing<T> {
  readonly rows: readonly T[];
  /** The total number. */
  readonly count: number;
}

type PagedLoadable<T> = Loadable<Listing<T>> & { readonly showMore: () => void };

const rowsAPage = 50;

/** A list from the API, loaded page by page. `path` already has a query. */
export function useListing<T>(path: string): PagedLoadable<T> {
  const [pages, setPages] = useState(1);
  const loadable = useLoadable(useCallback(() => readPages<T>(path, pages), [path, pages]));
  return { ...loadable, showMore: () => setPages(pages + 1) };
}

async function readPages<T>(path: string, pages: number): Promise<Listing<T>> {
  const rows: T[] = [];
  for (let page = 1; ; page += 1) {
    const { pagination, results } = await apiFetch<Paginated<T>>('GET', `${path}&page=${page}&page_size=${rowsAPage}`);
    rows.push(...results);
    if (pagination.next === 0 || page >= pages) return { rows, count: pagination.count };
  }
}

/** All entries of a list. */
export async function readAll<T>(path: string): Promise<readonly T[]> {
  return (await readPages<T>(path, Number.POSITIVE_INFINITY)).rows;
}

interface Props<T> {
  readonly listing: PagedLoadable<T>;
  /** Shown when the list is empty. */
  readonly empty: ReactNode;
  children(rows: readonly T[]): ReactNode;
}

export function Listed<T>({ listing, empty, children }: Props<T>) {
  return (
    <Loaded {...listing}>
      {({ rows, count }) =>
        rows.length === 0 ? (
          <Empty>{empty}</Empty>
        ) : (
          <>
            {children(rows)}
            {rows.length < count && <Button onClick={listing.showMore}>{t('Show more')}</Button>}
          </>
        )
      }
    </Loaded>
  );
}

export function Empty({ children }: { children: ReactNode }) {
  return <div className="empty">{children}</div>;
}
