import { MappingFailed, mergeMappings } from '../../core/mapping/evaluate.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { Sandbox } from '../../platform/sandbox/sandbox.ts';
import type { ObjectFacts, ObjectType } from './facts.ts';
import { SyncStopped } from './remote.ts';
import type { Target } from './target.ts';

/** A mapping that cannot be evaluated stops the run: it would fail for the next object too. */
export class MappingError extends SyncStopped {
  readonly failure: MappingFailed;
  constructor(failure: MappingFailed) {
    super(`A mapping failed: ${failure.message}`);
    this.failure = failure;
  }
}

/** Called by a mapping to leave an object out. */
const skip = 'skip_object';

/** What the mappings make of an object; null when one of them leaves it out. */
export function mapObject(
  sandbox: Sandbox,
  target: Target,
  type: ObjectType,
  facts: ObjectFacts,
  connection: JsonObject | null,
): JsonObject | null {
  let isSkipped = false;
  const skipObject = () => {
    isSkipped = true;
    throw new Error('skipped');
  };
  const globals = {
    [type]: facts,
    request: { [type]: facts },
    provider: { pk: target.pk, name: target.name },
    connection,
  };
  try {
    const { value } = mergeMappings(sandbox, target.mappings[type], globals, {}, { [skip]: skipObject });
    if (isSkipped) return null;
    if (Object.keys(value).length === 0) throw new SyncStopped(`No mappings configured for ${type}s.`);
    return value;
  } catch (error) {
    if (isSkipped) return null;
    throw error instanceof MappingFailed ? new MappingError(error) : error;
  }
}
