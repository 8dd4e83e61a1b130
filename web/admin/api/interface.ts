import { createContext, use } from 'react';
import { apiFetch } from '../../api/call.ts';
import { known } from '../../texts/texts.ts';
import { kindName } from '../labels.ts';
import type { SavedView } from './saved-views.tsx';

export type Extent = 'all' | 'some' | 'none';

/** A resource of the API, and what the caller may do with its objects. */
export interface ResourceEntry {
  /** Its path in the API; pages have the same below theirs. */
  readonly path: string;
  readonly model: string;
  readonly singular: string;
  readonly plural: string;
  readonly description: string;
  readonly family: string | null;
  readonly kinds: readonly string[];
  /** Whether the search over all kinds finds its objects, or only the search of its list. */
  readonly search: 'global' | 'list' | 'none';
  /** Whether its objects decide how people sign in. */
  readonly reaches_sign_in: boolean;
  readonly may: Readonly<Record<'view' | 'add' | 'change' | 'delete', Extent>>;
}

export interface Person {
  readonly pk: number;
  readonly username: string;
  readonly name: string;
  readonly email: string;
  readonly is_superuser: boolean;
}

/** `admin_interface_retrieve`: asked once, when the pages are opened. */
export interface Interface {
  readonly version: string;
  readonly user: Person;
  readonly acting: Person | null;
  readonly has_rights: boolean;
  readonly system_permissions: readonly string[];
  /** Permissions for actions on users and groups. */
  readonly actions: readonly string[];
  readonly resources: readonly ResourceEntry[];
  /** Those that were saved when the pages were opened: `useSavedViews` has them as they are now. */
  readonly views: readonly SavedView[];
}

/** The names of kinds are translated here, once for all pages. */
export async function readInterface(): Promise<Interface> {
  const found = await apiFetch<Interface>('GET', '/admin/interface/');
  return { ...found, resources: found.resources.map(translated) };
}

const translated = (entry: ResourceEntry): ResourceEntry => ({
  ...entry,
  singular: kindName(entry.singular),
  plural: kindName(entry.plural),
  description: entry.description && known(entry.description),
});

export const InterfaceContext = createContext<Interface | null>(null);

export function useInterface(): Interface {
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
