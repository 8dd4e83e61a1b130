import type { Actor } from '../../resource/access/actor.ts';
import type { Registry, Resource } from '../../resource/resource.ts';

/** Where a search finds the rows of a resource: over all kinds, in its own list, or nowhere. */
export const searchScopes = ['global', 'list', 'none'] as const;
export type SearchScope = (typeof searchScopes)[number];

export function searchScopeOf({ verbs, search = [], page }: Resource): SearchScope {
  if (!verbs.includes('list') || search.length === 0) return 'none';
  return page?.notInSearch === undefined ? 'global' : 'list';
}

/** The resources that the search over all kinds looks at. Rows of a kind are found through their family. */
export const searchedResources = (
  registry: Pick<Registry, 'resources' | 'find'>,
  { isSuperuser }: Pick<Actor, 'isSuperuser'>,
): Resource[] =>
  registry.resources.filter(
    (resource) =>
      searchScopeOf(resource) === 'global' &&
      !resource.isAlternate &&
      !(resource.family && registry.find(resource.family.model)) &&
      // People find their own objects on their account page.
      (isSuperuser || resource.visibility?.by !== 'owner'),
  );
