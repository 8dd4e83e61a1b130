import { use, useCallback, useEffect } from 'react';
import { type Loadable, useLoadable } from '../../elements/loading.tsx';
import type { Description } from './description.ts';
import { PagesContext } from './pages.ts';

/** What there is to know of a resource; `next` is the path of what the page reads then. */
export function useDescription(path: string, next?: string): Loadable<Description> {
  const pages = use(PagesContext);
  useEffect(() => (next === undefined ? undefined : () => pages.leave(next)), [pages, next]);
  return useLoadable(useCallback(() => pages.describe(path, next), [pages, path, next]));
}
