import { deepMerge } from '../../lib/deep-merge.ts';
import { isJsonObject, type Json } from '../../lib/json.ts';
import type { Sandbox } from '../../platform/sandbox/sandbox.ts';
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
export const evaluateMapping = (sandbox: Sandbox, expression: string, globals: Record<string, Json>): Json =>
  evaluate(sandbox, expression, globals).value;

function evaluate(sandbox: Sandbox, expression: string, globals: Record<string, Json>) {
  const result = sandbox.run(expression, { globals });
  if (!result.ok) throw new MappingFailed(expression, result.error);
  return result;
}

export interface Merged {
  readonly value: Record<string, Json>;
  /** The same globals would give the same again. */
  readonly isLasting: boolean;
}

/**
 * Evaluates mappings in the order of their names and merges what they give over `base`: objects member by member, lists
 * without repeating. Null gives nothing; any other value that is no object fails.
 */
export function mergeMappings(
  sandbox: Sandbox,
  mappings: readonly { readonly name: string; readonly expression: string }[],
  globals: Record<string, Json>,
  base: Record<string, Json> = {},
): Merged {
  let merged = base;
  let isLasting = true;
  for (const { name, expression } of mappings.toSorted((left, right) => (left.name < right.name ? -1 : 1))) {
    const result = evaluate(sandbox, expression, globals);
    const { value } = result;
    isLasting &&= result.isLasting;
    if (value === null) continue;
    if (!isJsonObject(value)) {
      throw new MappingFailed(expression, `The mapping "${name}" must return an object.`);
    }
    merged = deepMerge(merged, value);
  }
  return { value: merged, isLasting };
}
