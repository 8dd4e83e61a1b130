import { deepMerge } from '../../lib/deep-merge.ts';
import type { Json } from '../../lib/json.ts';
import type { Context, Sandbox } from '../../platform/sandbox/sandbox.ts';
import type { NewEvent } from '../../resource/call.ts';

/** An expression of an administrator that came to no result. The message names the mistake and its line. */
export class MappingFailed extends Error {
  readonly expression: string;
  constructor(expression: string, message: string) {
    super(message);
    this.expression = expression;
  }

  /** What is recorded of it. */
  event(): NewEvent {
    const { expression, message } = this;
    return { action: 'property_mapping_exception', app: 'svc_core', context: { expression, message } };
  }
}

/** The value of a mapping's expression; the globals are copied in. Throws `MappingFailed`. */
export function evaluateMapping(
  sandbox: Sandbox,
  expression: string,
  globals: Record<string, Json>,
  { mayBeKept }: Pick<Context, 'mayBeKept'> = {},
): Json {
  const result = sandbox.run(expression, { globals, mayBeKept });
  if (!result.ok) throw new MappingFailed(expression, result.error);
  return result.value;
}

/**
 * Evaluates mappings in the order of their names and merges what they give over `base`: objects member by member, lists
 * without repeating. Null gives nothing; any other value that is no object fails.
 */
export function mergeMappings(
  sandbox: Sandbox,
  mappings: readonly { readonly name: string; readonly expression: string }[],
  globals: Record<string, Json>,
  { base = {}, mayBeKept }: Pick<Context, 'mayBeKept'> & { readonly base?: Record<string, Json> } = {},
): Record<string, Json> {
  let merged = base;
  for (const { name, expression } of mappings.toSorted((left, right) => (left.name < right.name ? -1 : 1))) {
    const value = evaluateMapping(sandbox, expression, globals, { mayBeKept });
    if (value === null) continue;
    if (typeof value !== 'object' || Array.isArray(value)) {
      throw new MappingFailed(expression, `The mapping "${name}" must return an object.`);
    }
    merged = deepMerge(merged, value);
  }
  return merged;
}
