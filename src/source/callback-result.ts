import type { Json } from '../lib/json.ts';
import type { Resource } from '../resource/resource.ts';
import type { ExternalIdentity } from './external-identity.ts';
import type { Identity } from './properties.ts';
import type { SourceRow } from './source.family.ts';

/** The stored state of a login at a source. */
export interface PendingLogin {
  /** The signed-in user at the redirect. */
  readonly actor: number | null;
  /** Whether the account at the source is to be linked to this user. */
  readonly isLink: boolean;
  /** A local path to redirect to. */
  readonly next: string | null;
  /** The token of the walk that redirected, if one did. */
  readonly ticket: string | null;
  /** State of the kind of source. */
  readonly secrets: Json;
}

/** The account that a source returned; stored for the walk that waits for it, if one does. */
export interface CallbackResult {
  readonly identity: Identity;
  readonly connectionValues: Readonly<Record<string, Json>>;
  /** When the user is to be deleted again, for accounts that the source makes for one session. */
  readonly temporaryUntil?: string | null;
  /** What the kind stores with the new session; its `append` performs the step `begin_session`. */
  readonly session?: Json;
}

export interface SourceModels {
  readonly mappingModel: string;
  readonly connectionModel: string;
}

export const toExternalIdentity = (
  came: CallbackResult,
  source: SourceRow,
  sourceResource: Resource,
  { mappingModel, connectionModel }: SourceModels,
): ExternalIdentity => ({ ...came, source, sourceResource, mappingModel, connectionModel });
