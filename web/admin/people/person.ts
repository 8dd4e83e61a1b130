import { useCallback } from 'react';
import { callAsPerson } from '../../api/call.ts';
import { type Loadable, useLoadable } from '../../elements/loading.tsx';
import type { ResourceEntry } from '../api/interface.ts';
import { pathOfObject } from '../api/object.ts';
import { type NamedObject, readNames } from '../api/objects.ts';

/** What the pages of a person read of them. */
export interface Person {
  readonly pk: number;
  readonly username: string;
  readonly name: string;
  readonly email: string;
  readonly is_active: boolean;
  readonly is_superuser: boolean;
  readonly last_login: string | null;
  readonly path: string;
  readonly type: string;
  readonly avatar: string;
  readonly uuid: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly groups: readonly string[];
  readonly groups_obj:
    | readonly { readonly pk: string; readonly name: string; readonly is_superuser?: boolean }[]
    | null;
}

interface ReadPerson {
  readonly person: Person;
  readonly may: NamedObject['may'];
}

const verbs = ['change', 'delete'] as const;

/** One request; another for the rights of those who may change some people only. */
export function usePerson(entry: ResourceEntry, key: string): Loadable<ReadPerson> {
  return useLoadable(
    useCallback(async () => {
      const person = await callAsPerson<Person>('GET', pathOfObject(entry, key));
      const isPartly = verbs.some((verb) => entry.may[verb] === 'some');
      const names = await readNames(isPartly ? [`${entry.model}:${person.pk}`] : []);
      const may =
        names(entry.model, person.pk)?.may ?? (isPartly ? [] : verbs.filter((verb) => entry.may[verb] === 'all'));
      return { person, may };
    }, [entry, key]),
  );
}
