import type { Json } from '../lib/json.ts';
import type { Resource } from '../resource/resource.ts';
import type { ExternalIdentity } from './external-identity.ts';
import type { Identity } from './properties.ts';
import type { SourceRow } from './source.family.ts';

/** What is remembered of somebody who is away at a source. */
export interface PendingLogin {
  /** Who was signed in when they left. */
  readonly actor: number | null;
  /** Whether they wanted to link the account at the source to their own. */
  readonly isLink: boolean;
  /** A path of ours to go on at. */
  readonly next: string | null;
  /** What stands for the walk that sent them, if one did. */
  readonly ticket: string | null;
  /** What the kind of source remembers. */
  readonly secrets: Json;
}

/** Who came back from a source; stored for the walk that waits for it, if one does. */
export interface CallbackResult {
  readonly identity: Identity;
  readonly connectionValues: Readonly<Record<string, Json>>;
  /** When the user is to be deleted again, for accounts that the source makes for one session. */
  readonly temporaryUntil?: string | null;
  /** What the kind remembers with the session that begins; its `append` carries out the step `begin_session`. */
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
