import { useMemo } from 'react';
import { navigate, useLocation } from '../page/navigation.tsx';

/** The prefix of all paths. */
export const home = '/if/admin/';

/** A path below `home`, with a slash at both ends, and a query. */
export interface Address {
  readonly path: string;
  readonly query: URLSearchParams;
}

export function useAddress(): Address {
  const here = useLocation(() => `${location.pathname}${location.search}`);
  return useMemo(() => parsed(here), [here]);
}

function parsed(here: string): Address {
  const { pathname, searchParams } = new URL(here, location.origin);
  const path = `/${pathname.slice(home.length)}`;
  return { path: path.endsWith('/') ? path : `${path}/`, query: searchParams };
}

export type Query = Readonly<Record<string, string | readonly string[] | null | undefined>>;

/** The `href` of a page. */
export function hrefOf(path: string, query: Query = {}): string {
  const text = withChanges(new URLSearchParams(), query).toString();
  return `${home}${path.slice(1)}${text && `?${text}`}`;
}

/** The query with some members set, or removed by null. */
function withChanges(query: URLSearchParams, changes: Query): URLSearchParams {
  const changed = new URLSearchParams(query);
  for (const [name, value] of Object.entries(changes)) {
    changed.delete(name);
    for (const one of [value ?? []].flat()) changed.append(name, one);
  }
  return changed;
}

/** The address of the same page with another query. */
export const hereWith = (changes: Query): string =>
  `${location.pathname}?${withChanges(new URLSearchParams(location.search), changes)}`.replace(/\?$/, '');

/**
 * Whether this document may load scripts of others: then it is for trying one flow, and no other page is shown in it.
 */
const hasForeignScripts = (): boolean => document.getElementById('page')?.dataset.hasForeignScripts !== undefined;

export function goTo(href: string, { replace = false } = {}): void {
  const url = new URL(href, location.href);
  if (hasForeignScripts() && !(url.pathname === location.pathname && url.searchParams.get('tab') === 'try')) {
    location.assign(url);
    return;
  }
  navigate(url, { isOtherPage: url.pathname !== location.pathname, replace });
}
