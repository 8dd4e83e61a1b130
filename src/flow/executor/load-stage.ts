import { Problem } from '../../lib/problem.ts';
import type { Query } from '../../platform/db/database.ts';
import { queryCache } from '../../platform/db/query-cache.ts';
import type { Call } from '../../resource/call.ts';
import type { Row } from '../../resource/fields/field.ts';
import type { Engine, Resource } from '../../resource/resource.ts';

const cache = queryCache<unknown>('stages');

/** The stage was deleted during the walk. */
const stageGone = 'This step could not be carried out.';

/** A stage's current settings, secrets decrypted. For the executor only: checks no permissions. */
export function loadStage<S extends Row>(engine: Engine, resource: Resource<S>, pk: string, call: Call): Promise<S> {
  const load = async (query: Query): Promise<S> => {
    const found = await engine.stored(resource, call)(call, query, pk);
    if (!found) throw new Problem('not_found', stageGone);
    return found;
  };
  // Stored under this resource, so the row has its type.
  return cache.read(call.db, `${resource.model} ${pk}`, load) as Promise<S>;
}
