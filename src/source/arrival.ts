import type { Json } from '../lib/json.ts';
import type { Resource } from '../resource/resource.ts';
import type { Identity } from './properties.ts';
import type { SourceRow } from './source.family.ts';

/** Somebody whom a source has vouched for. */
export interface Arrival {
  readonly source: SourceRow;
  readonly sourceResource: Resource;
  readonly mappingModel: string;
  /** The connection resource, and the values stored with it. */
  readonly connectionModel: string;
  readonly connectionValues: Readonly<Record<string, Json>>;
  readonly identity: Identity;
  readonly temporaryUntil?: string | null;
  readonly session?: Json;
}
