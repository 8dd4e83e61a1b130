import { use, useCallback } from 'react';
import type { User } from '../../api/types.ts';
import { type Loadable, useLoadable } from '../../elements/loading.tsx';
import type { ResourceEntry } from '../api/interface.ts';
import { pathOfObject } from '../api/object.ts';
import type { NamedObject, Names } from '../api/objects.ts';
import { PagesContext } from '../api/pages.ts';

interface ReadPerson {
  readonly person: User;
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
      const { answer: person, names } = await pages.read<User>(pathOfObject(entry, key));
      const { may = [], fixed = [] } = names(entry.model, person.pk) ?? {};
      return { person, names, may, canSwitch: may.includes('change') && !fixed.includes('is_active') };
    }, [pages, entry, key]),
  );
}
