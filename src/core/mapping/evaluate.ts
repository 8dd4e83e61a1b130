import { deepMerge } from '../../lib/deep-merge.ts';
import { isJsonObject, type Json } from '../../lib/json.ts';
import type { Context, Sandbox } from '../../platform/sandbox/sandbox.ts';
import type { NewEvent } from '../../resource/call.ts';

/** A mapping's expression failed. The message names the error and its line. */
export class MappingFailed extends Error {
  readonly expression: string;
  constructor(expression: string, message: string) {
    super(message);
    this.expression = expression;
  }

  /** The event that records the failure. */
  event(): NewEvent {
    const { expression, message } = this;
    return { action: 'property_mapping_exception', app: 'svc_core', context: { expression, message } };
  }
}

/** Evaluates a mapping's expression on a copy of the globals. Throws `MappingFailed`. */
export const evaluateMapping = (sandbox: Sandbox, expression: string, globals: Record<string, Json>): Json =>
  evaluate(sandbox, expression, globals).value;

/** The same, with whether it would be the same again. */
export function evaluate(
  sandbox: Sandbox,
  expression: string,
  globals: Record<string, Json>,
  functions?: Context['functions'],
) {
  const result = sandbox.run(expression, { globals, functions });
  if (!result.ok) throw new MappingFailed(expression, result.error);
  return result;
}

export interface Merged {
  readonly value: Record<string, Json>;
  /** Whether the same globals always give the same result. */
  readonly isLasting: boolean;
}

/**
 * Evaluates mappings in the order of their names and merges the results over `base`: objects by member, lists without
 * duplicates. Null adds nothing; any other value that is not an object fails.
 */
export function mergeMappings(
  sandbox: Sandbox,
  mappings: readonly { readonly name: string; readonly expression: string }[],
  globals: Record<string, Json>,
  base: Record<string, Json> = {},
  functions?: Context['functions'],
): Merged {
  let merged = base;
  let isLasting = true;
  for (const { name, expression } of mappings.toSorted((left, right) => (left.name < right.name ? -1 : 1))) {
    const result = evaluate(sandbox, expression, globals, functions);
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
