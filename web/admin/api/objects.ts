import { useCallback } from 'react';
import { callAsPerson } from '../../api/call.ts';
import { useLoadable } from '../../elements/loading.tsx';
import { known } from '../../texts/texts.ts';
import { capitalised } from '../spellings.ts';
import type { Member } from './document.ts';

/** An object by its name (`admin_objects_list`). */
export interface NamedObject {
  readonly model: string;
  readonly base: string;
  readonly pk: string;
  readonly name: string;
  readonly type: string;
  readonly path: string;
  /** `change`, `delete`, and permissions of its actions that the caller holds on it. */
  readonly may: readonly string[];
}

/** The objects of one model that a text finds; the first ones where it is empty. */
export const findObjects = (search: string, model?: string): Promise<NamedObject[]> =>
  readObjects(new URLSearchParams({ search, ...(model && { model }) }));

async function readObjects(query: URLSearchParams): Promise<NamedObject[]> {
  const found = await callAsPerson<NamedObject[]>('GET', `/admin/objects/?${query}`);
  return found.map((object) => ({ ...object, type: known(capitalised(object.type)) }));
}

/** The names of objects, by model and key. */
export type Names = (model: string | undefined, key: unknown) => NamedObject | undefined;

const maxKeys = 200;
const noNames: Names = () => undefined;

/** The keys that rows name in some members, each once, by model. */
export function keysIn(rows: readonly Row[], members: readonly Member[]): string[] {
  const keys = new Map<string, Set<string>>();
  let count = 0;
  for (const row of rows) {
    for (const { name, note } of members) {
      if (!note.model || !note.kind.startsWith('reference')) continue;
      for (const value of [row[name] ?? []].flat()) {
        const known = keys.get(note.model) ?? new Set<string>();
        keys.set(note.model, known);
        // Where the object itself is shown, it has its name with it.
        if (typeof value === 'object' || known.has(String(value)) || count >= maxKeys) continue;
        known.add(String(value));
        count += 1;
      }
    }
  }
  return [...keys].filter(([, found]) => found.size > 0).map(([model, found]) => `${model}:${[...found].join(',')}`);
}

export type Row = Readonly<Record<string, unknown>>;

/** Asks for the names of objects: one request, or none where there are no keys. */
export async function readNames(keys: readonly string[]): Promise<Names> {
  if (keys.length === 0) return noNames;
  const found = await readObjects(new URLSearchParams(keys.map((one) => ['keys', one])));
  const byBase = new Map(found.map((object) => [`${object.base}:${object.pk}`, object]));
  // Models that stand for several have keys that are unique among all of them.
  const byKey = new Map(found.filter(({ pk }) => pk.includes('-')).map((object) => [object.pk, object]));
  return (model, key) => byBase.get(`${model}:${key}`) ?? byKey.get(String(key));
}

export function useNames(keys: readonly string[]): Names {
  const joined = keys.join('&');
  const { answer } = useLoadable(useCallback(() => readNames(joined ? joined.split('&') : []), [joined]));
  return answer.state === 'ready' ? answer.value : noNames;
}
