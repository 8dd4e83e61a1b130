import { use, useCallback } from 'react';
import type { Application } from '../../api/types.ts';
import { type Loadable, useLoadable } from '../../elements/loading.tsx';
import type { ResourceEntry } from '../api/interface.ts';
import { pathOfObject } from '../api/object.ts';
import type { NamedObject } from '../api/objects.ts';
import { PagesContext } from '../api/pages.ts';

export interface ReadApplication {
  readonly application: Application;
  readonly may: NamedObject['may'];
}

/** One request. */
export function useApplication(entry: ResourceEntry, slug: string): Loadable<ReadApplication> {
  const pages = use(PagesContext);
  return useLoadable(
    useCallback(async () => {
      const { answer: application, names } = await pages.read<Application>(pathOfObject(entry, slug));
      return { application, may: names(entry.model, application.pk)?.may ?? [] };
    }, [pages, entry, slug]),
  );
}

export interface TabProps {
  readonly application: Application;
  readonly may: NamedObject['may'];
}
