import type { Json } from '../lib/json.ts';
import type { Words } from '../lib/texts/message.ts';
import type { Call } from '../resource/call.ts';
import type { Resource } from '../resource/resource.ts';
import { modelFacts } from '../resource/write/audit.ts';
import { isDryRun } from '../resource/write/write.ts';
import type { Identity } from './properties.ts';
import type { SourceRow } from './source.family.ts';

/** An account that a source has authenticated. */
export interface ExternalIdentity {
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

/** Records a misconfiguration of a source for administrators. */
export async function reportMisconfiguration(
  { source, sourceResource }: Pick<ExternalIdentity, 'source' | 'sourceResource'>,
  about: { readonly message: Words; readonly expression?: string },
  call: Call,
): Promise<void> {
  if (isDryRun(call)) return;
  const context = { ...about, source: modelFacts(sourceResource, source.pk, source) };
  const event = { action: 'configuration_error', app: sourceResource.app, context };
  await call.db.write((tx) => call.world.record(tx, call, event));
}
