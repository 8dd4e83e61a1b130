import { use, useCallback } from 'react';
import { type Loadable, useLoadable } from '../../elements/loading.tsx';
import type { ResourceEntry } from '../api/interface.ts';
import { pathOfObject } from '../api/object.ts';
import type { NamedObject, Names } from '../api/objects.ts';
import { PagesContext } from '../api/pages.ts';

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
  /** What the caller may do with them. */
  readonly may: NamedObject['may'];
  /** Whether the caller may let them in and keep them out. */
  readonly canSwitch: boolean;
  readonly names: Names;
}

/** One request. */
export function usePerson(entry: ResourceEntry, key: string): Loadable<ReadPerson> {
  const pages = use(PagesContext);
  return useLoadable(
    useCallback(async () => {
      const { answer: person, names } = await pages.read<Person>(pathOfObject(entry, key));
      const { may = [], fixed = [] } = names(entry.model, person.pk) ?? {};
      return { person, names, may, canSwitch: may.includes('change') && !fixed.includes('is_active') };
    }, [pages, entry, key]),
  );
}
