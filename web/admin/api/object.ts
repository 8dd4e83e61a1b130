import { use, useCallback } from 'react';
import { type Loadable, useLoadable } from '../../elements/loading.tsx';
import { kindName } from '../labels.ts';
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
  readonly fixed: NonNullable<NamedObject['fixed']>;
  readonly why: NamedObject['why'];
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
  { model, singular, may }: ResourceEntry,
  key: string,
  description: Description,
  { answer: row, etag, names }: PageAnswer<Row>,
): WholeObject {
  const pk = description.pk === null ? '' : String(row[description.pk]);
  const told = names(model, pk);
  return {
    ...{ row, etag, names, pk },
    name: ownName(description, row) ?? tellingName(told?.name, singular) ?? nameOfFirst(description, row, names) ?? key,
    may: told?.may ?? everything.filter((verb) => pk === '' && may[verb] === 'all'),
    fixed: told?.fixed ?? [],
    why: told?.why,
  };
}

/** Nothing, if an object is called as its kind is. */
const tellingName = (name: string | undefined, kind: string): string | undefined =>
  name && kindName(name) !== kind ? name : undefined;

const nameOfFirst = ({ title, shown }: Description, row: Row, names: Names): string | undefined =>
  names(shown.find(({ name }) => name === title)?.note.model, row[title])?.name;

/** The name that an object has by itself. Others are called by what they connect. */
export function ownName({ title, key, shown }: Description, row: Row): string | null {
  const isReference = shown.find(({ name }) => name === title)?.note.kind === 'reference';
  const own = row[title];
  return title !== key && !isReference && typeof own === 'string' && own !== '' ? own : null;
}

/** What a row of a list is called. */
export const nameOfRow = (description: Description, row: Row, names: Names): string =>
  ownName(description, row) ??
  names(description.model, row[description.pk ?? description.key])?.name ??
  String(row[description.key]);

const everything = ['change', 'delete'] as const;
