import { type Dn, isSameDn, normalizeValue } from '../../../../lib/ldap/dn.ts';
import type { SearchRequest } from '../../../../lib/ldap/message.ts';
import { containers } from '../tree.ts';
import { type EntryKind, nameWithin, type View } from './entry-kind.ts';
import { baseEntry, containerEntry } from './fixed-entries.ts';
import { groups } from './groups.ts';
import type { Entry } from './match.ts';
import { users, virtualGroups } from './users.ts';

/**
 * A part of the tree that a search goes through: one entry, or the entries of a kind, all of them or those of a name.
 */
export type Part =
  | { readonly is: 'entry'; readonly entry: Entry }
  | { readonly is: 'rows'; readonly kind: EntryKind; readonly name: string | null };

export const kinds: readonly EntryKind[] = [users, groups, virtualGroups];
const kindOf = new Map(kinds.map((kind) => [kind.container, kind]));

type Scope = SearchRequest['scope'];

/** The parts within a base and a scope; null if there is no such base. */
export function partsOf({ provider }: View, base: Dn, scope: Scope): Part[] | null {
  const hasBase = scope === 'base' || scope === 'subtree';
  const hasBelow = scope !== 'base';
  const isDeep = scope === 'subtree' || scope === 'children';
  if (isSameDn(base, provider.base)) {
    return [
      ...(hasBase ? [{ is: 'entry', entry: baseEntry(provider) } as const] : []),
      ...(hasBelow ? containers.map((one) => ({ is: 'entry', entry: containerEntry(provider, one) }) as const) : []),
      ...(isDeep ? kinds.map((kind) => ({ is: 'rows', kind, name: null }) as const) : []),
    ];
  }
  for (const container of containers) {
    const kind = kindOf.get(container);
    if (!kind) continue;
    if (isSameDn(base, [[{ type: 'ou', value: container }], ...provider.base])) {
      return [
        ...(hasBase ? [{ is: 'entry', entry: containerEntry(provider, container) } as const] : []),
        ...(hasBelow ? [{ is: 'rows', kind, name: null } as const] : []),
      ];
    }
    const name = nameWithin(base, provider, container);
    if (name !== null) return hasBase ? [{ is: 'rows', kind, name: normalizeValue(name) }] : [];
  }
  return null;
}

/** Whether a base names a single entry, which there has to be. */
export const isLeaf = (parts: readonly Part[]): boolean =>
  parts.some((part) => part.is === 'rows' && part.name !== null);
