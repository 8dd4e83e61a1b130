import { use, useCallback } from 'react';
import { type Loadable, useLoadable } from '../../elements/loading.tsx';
import type { ResourceEntry } from '../api/interface.ts';
import { pathOfObject } from '../api/object.ts';
import type { NamedObject } from '../api/objects.ts';
import { PagesContext } from '../api/pages.ts';

/** What the pages of an application read of it. */
export interface Application {
  readonly pk: string;
  readonly name: string;
  readonly slug: string;
  readonly group: string;
  readonly provider: number | null;
  readonly provider_obj: Provider | null;
  readonly backchannel_providers_obj: readonly Provider[];
  readonly launch_url: string | null;
  readonly meta_icon: string | null;
  readonly meta_description: string;
  readonly meta_publisher: string;
  readonly policy_engine_mode: 'all' | 'any';
  readonly enabled: boolean;
}

export interface Provider {
  readonly pk: number;
  readonly name: string;
  readonly verbose_name: string;
  readonly meta_model_name: string;
}

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
