import { use, useCallback } from 'react';
import { type Loadable, useLoadable } from '../../elements/loading.tsx';
import type { Description } from './description.ts';
import type { ResourceEntry } from './interface.ts';
import type { NamedObject, Names, Row } from './objects.ts';
import { type PageAnswer, PagesContext } from './pages.ts';

/** An object with the names of all that it refers to. */
export interface WholeObject {
  readonly row: Row;
  /** The ETag, for conditional writes. */
  readonly etag: string;
  readonly names: Names;
  readonly pk: string;
  readonly name: string;
  /** What the caller may do with it. */
  readonly may: NamedObject['may'];
}

export const pathOfObject = ({ path }: ResourceEntry, key: string): string => `${path}${encodeURIComponent(key)}/`;

/** An object, with what there is to know of its resource. */
export function useObject(entry: ResourceEntry, key: string, description: Description): Loadable<WholeObject> {
  const pages = use(PagesContext);
  return useLoadable(
    useCallback(async () => {
      const page = await pages.read<Row>(pathOfObject(entry, key));
      return wholeObject(entry, key, description, page);
    }, [pages, entry, key, description]),
  );
}

function wholeObject(
  entry: ResourceEntry,
  key: string,
  { pk: pkName, title, key: keyName }: Description,
  { answer: row, etag, names }: PageAnswer<Row>,
): WholeObject {
  const pk = pkName === null ? '' : String(row[pkName]);
  const told = names(entry.model, pk);
  const own = row[title];
  const isNamed = title !== keyName && typeof own === 'string' && own !== '';
  return {
    ...{ row, etag, names, pk },
    name: isNamed ? own : (told?.name ?? String(own ?? key)),
    may: told?.may ?? everything.filter((verb) => pk === '' && entry.may[verb] === 'all'),
  };
}

const everything = ['change', 'delete'] as const;
