import type { RawBuilder } from 'kysely';
import { type Dn, isSameDn, normalizeType } from '../../../../lib/ldap/dn.ts';
import type { Query } from '../../../../platform/db/database.ts';
import type { Dialect } from '../../../../platform/db/dialect.ts';
import type { ServedProvider } from '../server/served-providers.ts';
import type { Container } from '../tree.ts';
import type { Entry } from './match.ts';
import { type LeafOf, never } from './narrow.ts';

/** The tree of a provider as one client sees it. */
export interface View {
  readonly query: Query;
  readonly dialect: Dialect;
  readonly provider: ServedProvider;
  readonly installId: string;
  /** The only user who is seen; null: everybody is. */
  readonly only: { readonly pk: number; readonly username: string } | null;
}

export type Row = Readonly<Record<string, unknown>> & { readonly pk: string | number };

/** The entries of one container: rows of a table. */
export interface EntryKind {
  readonly container: Container;
  /** `from`, with an alias whose `pk` is the key. */
  readonly from: RawBuilder<unknown>;
  readonly key: RawBuilder<unknown>;
  /** Rows that are read at a time. */
  readonly batch: number;
  /** The normalized names of all attributes that follow from a row. */
  readonly computed: ReadonlySet<string>;
  /** Whether entries also have the attributes that the provider publishes, in place of computed ones too. */
  readonly isPublished: boolean;
  /** The rows that the client sees. */
  visible(view: View): RawBuilder<unknown>;
  /** The rows whose entries may have this name. */
  named(view: View, name: string): RawBuilder<unknown> | null;
  columns(view: View, wanted: ReadonlySet<string>): RawBuilder<unknown>;
  /** What SQL says about computed attributes. */
  leafOf(view: View): LeafOf;
  /** With the attributes that are wanted, and those that cost nothing. */
  entryOf(view: View, row: Row, wanted: ReadonlySet<string>): Promise<Entry> | Entry;
}

/**
 * What SQL says about a part of a filter: no match where no entry has the attribute, which clients ask for because
 * other servers have it. Attributes that are published are matched in memory.
 */
export function leafIn(kind: EntryKind, view: View): LeafOf {
  const published = new Set(kind.isPublished ? view.provider.published.map(normalizeType) : []);
  const leafOf = kind.leafOf(view);
  return (leaf) => {
    if (leaf.attribute === null) return null;
    const type = normalizeType(leaf.attribute);
    if (published.has(type)) return null;
    if (kind.computed.has(type)) return leafOf(leaf);
    // The name of an entry has types that it lacks, as `ou`.
    return leaf.is === 'extensible' && leaf.dnAttributes ? null : never;
  };
}

/** The name of an entry in this container; null if a name is none. */
export function nameWithin(dn: Dn, { base }: ServedProvider, container: Container): string | null {
  const [rdn, ...above] = dn;
  const [part, ...further] = rdn ?? [];
  if (!part || further.length > 0 || part.isEncoded || normalizeType(part.type) !== 'cn') return null;
  return isSameDn(above, [[{ type: 'ou', value: container }], ...base]) ? part.value : null;
}
