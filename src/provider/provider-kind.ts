import type { ProviderFilters } from '../core/application/provider-filters.ts';
import type { ClientFacts } from '../core/application/transactional.endpoint.ts';
import type { Demo, DemoObject } from '../core/kind/demo.ts';
import type { ServedHost } from '../core/outpost/platform.ts';
import type { PageNeeds } from '../flow/page-needs.ts';
import type { ProtocolKind, RouteServer } from '../flow/protocol-kind.ts';
import type { Query } from '../platform/db/database.ts';
import type { OutpostStreams } from './outpost/outpost-streams.ts';
import type { OutpostType } from './outpost/outpost-type.ts';
import type { Relay } from './outpost/relay.ts';
import type { SyncKind } from './sync/target.ts';

/**
 * A kind of provider: how it is administered (`resource`, made by `defineProvider`), and the protocol by which
 * applications get to know people. Its mapping and its records are among its `resources`.
 */
export interface ProviderKind extends Omit<ProtocolKind, 'demo'> {
  /** What the pages of authorization flows need, since they redirect to its applications. */
  readonly pageNeeds?: PageNeeds;
  /** What an administrator enters at an application. */
  readonly clientFacts?: ClientFacts;
  /** Further filters for lists of applications. */
  readonly applicationFilters?: ProviderFilters;
  /** The type of the outposts that serve its applications; see `outpost/`. */
  readonly outpost?: OutpostType;
  /** Serves requests that came to outposts of this type, which run as processes of their own. */
  relay?(server: RouteServer): Relay;
  /** The same for protocols other than HTTP, whose bytes the processes pass on as they get them. */
  streams?(server: RouteServer): OutpostStreams;
  /** The hosts that an outpost serves for its providers of this kind. */
  servedHosts?(query: Query, outpost: string): Promise<readonly ServedHost[]>;
  /** The calls by which it pushes users and groups elsewhere; see `sync/README.md`. */
  readonly sync?: SyncKind;
  demo?(demo: Demo): Promise<DemoProvider>;
}

export interface DemoProvider {
  readonly provider: DemoObject;
  /** The application that people open by it; without one it serves the demo's first application behind the scenes. */
  readonly application?: { readonly slug: string; readonly name: string } & DemoObject;
  /** Creates the rows that exist after users have used the application. */
  use?(application: DemoObject): Promise<void>;
}
