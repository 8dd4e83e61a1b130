import { useMemo, useSyncExternalStore } from 'react';

/** Every path of these pages begins with it. */
export const home = '/if/admin/';

/** Where one is: a path below `home` that begins and ends with a slash, and a query. */
export interface Address {
  readonly path: string;
  readonly query: URLSearchParams;
}

const moved = 'admin:moved';

function listen(onMove: () => void): () => void {
  for (const name of ['popstate', moved]) addEventListener(name, onMove);
  return () => {
    for (const name of ['popstate', moved]) removeEventListener(name, onMove);
  };
}

export function useAddress(): Address {
  const here = useSyncExternalStore(listen, () => `${location.pathname}${location.search}`);
  return useMemo(() => parsed(here), [here]);
}

function parsed(here: string): Address {
  const { pathname, searchParams } = new URL(here, location.origin);
  const path = `/${pathname.slice(home.length)}`;
  return { path: path.endsWith('/') ? path : `${path}/`, query: searchParams };
}

export type Query = Readonly<Record<string, string | readonly string[] | null | undefined>>;

/** The address of a page, as links have it. */
export function hrefOf(path: string, query: Query = {}): string {
  const text = withChanges(new URLSearchParams(), query).toString();
  return `${home}${path.slice(1)}${text && `?${text}`}`;
}

/** The query with some of its members set, or taken out by null. */
export function withChanges(query: URLSearchParams, changes: Query): URLSearchParams {
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

/** Whether this document may load scripts of others: then it is for trying one flow, and no other page is shown in it. */
const hasForeignScripts = (): boolean => document.getElementById('page')?.dataset.hasForeignScripts !== undefined;

interface Move {
  /** Takes the place of this address in the history: for what is typed letter by letter. */
  readonly replace?: boolean;
}

export function goTo(href: string, { replace = false }: Move = {}): void {
  const url = new URL(href, location.href);
  if (hasForeignScripts() && !(url.pathname === location.pathname && url.searchParams.get('tab') === 'try')) {
    location.assign(url);
    return;
  }
  const isOtherPage = url.pathname !== location.pathname;
  const state = { isMove: isOtherPage };
  if (replace) history.replaceState(state, '', url);
  else history.pushState(state, '', url);
  if (isOtherPage) scrollTo(0, 0);
  dispatchEvent(new Event(moved));
}
