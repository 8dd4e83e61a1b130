import { useCallback } from 'react';
import { callAsPerson } from '../../api/call.ts';
import { type Loadable, useLoadable } from '../../elements/loading.tsx';
import type { ResourceEntry } from '../api/interface.ts';
import { pathOfObject } from '../api/object.ts';
import { type NamedObject, readNames } from '../api/objects.ts';

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

const verbs = ['change', 'delete'] as const;

/** One request; another for the rights of those who may change some applications only. */
export function useApplication(entry: ResourceEntry, slug: string): Loadable<ReadApplication> {
  return useLoadable(
    useCallback(async () => {
      const application = await callAsPerson<Application>('GET', pathOfObject(entry, slug));
      const isPartly = verbs.some((verb) => entry.may[verb] === 'some');
      const names = await readNames(isPartly ? [`${entry.model}:${application.pk}`] : []);
      const may =
        names(entry.model, application.pk)?.may ?? (isPartly ? [] : verbs.filter((verb) => entry.may[verb] === 'all'));
      return { application, may };
    }, [entry, slug]),
  );
}

export interface TabProps {
  readonly application: Application;
  readonly may: NamedObject['may'];
}
