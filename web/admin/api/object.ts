import { requestAsPerson } from '../../api/call.ts';
import type { Description } from './description.ts';
import type { ResourceEntry } from './interface.ts';
import { keysIn, type NamedObject, type Names, type Row, readNames } from './objects.ts';

/** An object with the names of all that it refers to. */
export interface WholeObject {
  readonly row: Row;
  /** Names this state of it, for writing only when nobody else has. */
  readonly etag: string;
  readonly names: Names;
  readonly pk: string;
  readonly name: string;
  /** What the caller may do with it. */
  readonly may: NamedObject['may'];
}

export const pathOfObject = ({ path }: ResourceEntry, key: string): string => `${path}${encodeURIComponent(key)}/`;

/** At most two requests: the object, then names and, where `asks`, the rights to it. */
export async function readObject(
  entry: ResourceEntry,
  key: string,
  description: Description,
  asks = false,
): Promise<WholeObject> {
  const { value: row, etag } = await requestAsPerson<Row>('GET', pathOfObject(entry, key));
  const pk = description.pk === null ? '' : String(row[description.pk]);
  const own = pk === '' || (!asks && isKnown(entry, row, description)) ? [] : [`${entry.model}:${pk}`];
  const names = await readNames([...own, ...keysIn([row], description.shown)]);
  const told = names(entry.model, pk);
  return {
    ...{ row, etag, names, pk },
    name: told?.name ?? String(row[description.title] ?? key),
    may: told?.may ?? (own.length > 0 ? [] : everything.filter((verb) => entry.may[verb] === 'all')),
  };
}

const everything = ['change', 'delete'] as const;

/** Whether its name and the rights to it need not be asked for. */
const isKnown = ({ may }: ResourceEntry, row: Row, { title, key }: Description): boolean =>
  may.change !== 'some' &&
  may.delete !== 'some' &&
  title !== key &&
  typeof row[title] === 'string' &&
  row[title] !== '';
