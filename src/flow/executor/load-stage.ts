import { queryCache } from '../../platform/db/query-cache.ts';
import type { Call } from '../../resource/call.ts';
import type { Row } from '../../resource/fields/field.ts';
import type { Engine } from '../../resource/read.ts';
import type { Resource } from '../../resource/resource.ts';

const cache = queryCache<Row | null>('stages');

/** A stage's settings as they are now, secrets in clear. For the executor only: nobody's permissions are asked. */
export async function loadStage(engine: Engine, resource: Resource, pk: string, call: Call): Promise<Row> {
  const load = engine.stored(resource, call);
  const found = await cache.read(call.db, `${resource.model} ${pk}`, (query) => load(call, query, pk));
  if (!found) throw new Error(`the stage ${pk} is gone`);
  return found;
}
