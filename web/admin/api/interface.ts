import { createContext, use } from 'react';
import { apiFetch } from '../../api/call.ts';
import type { AdminInterface } from '../../api/types.ts';
import { known } from '../../texts/texts.ts';
import { kindName, setLabels } from '../labels.ts';

export type Extent = 'all' | 'some' | 'none';

/** A resource of the API, and what the caller may do with its objects. */
export type ResourceEntry = AdminInterface['resources'][number];

export type Person = AdminInterface['user'];

/** The names of kinds are translated here, once for all pages. */
export async function readInterface(): Promise<AdminInterface> {
  const found = await apiFetch<AdminInterface>('GET', '/admin/interface/');
  setLabels(found.labels);
  return { ...found, resources: found.resources.map(translated) };
}

const translated = (entry: ResourceEntry): ResourceEntry => ({
  ...entry,
  singular: kindName(entry.singular),
  plural: kindName(entry.plural),
  description: entry.description && known(entry.description),
});

export const InterfaceContext = createContext<AdminInterface | null>(null);

export function useInterface(): AdminInterface {
  const known = use(InterfaceContext);
  if (!known) throw new Error('there is an interface in admin pages only');
  return known;
}

/** Whether the caller holds the permission for an action everywhere. */
export function useHeld(): (permission: string) => boolean {
  const { actions } = useInterface();
  return (permission) => actions.includes(permission);
}

export function useEntry(path: string): ResourceEntry | undefined {
  return useInterface().resources.find((entry) => entry.path === path);
}

/** The resource that a path is below, and the rest of the path: the key of an object, or nothing. */
export function entryAt(resources: readonly ResourceEntry[], path: string): [ResourceEntry, string] | null {
  const [entry] = resources
    .filter((one) => path.startsWith(one.path))
    .toSorted((one, other) => other.path.length - one.path.length);
  if (!entry) return null;
  const rest = path.slice(entry.path.length).replace(/\/$/, '');
  return rest.includes('/') ? null : [entry, rest];
}
