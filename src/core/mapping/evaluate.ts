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

/** The same result, and whether it is deterministic. */
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
  for (const { name, expression } of inOrder(mappings)) {
    const result = evaluate(sandbox, expression, globals, functions);
    const { value } = result;
    isLasting &&= result.isLasting;
    merged = mergeResult(merged, value, name, expression);
  }
  return { value: merged, isLasting };
}

function mergeResult(
  merged: Record<string, Json>,
  value: Json,
  name: string,
  expression: string,
): Record<string, Json> {
  if (value === null) return merged;
  if (!isJsonObject(value)) throw new MappingFailed(expression, `The mapping "${name}" must return an object.`);
  return deepMerge(merged, value);
}

// Bounds the time and the size of one run.
const itemsPerRun = 500;
const baseTimeMs = 50;
const timePerItemMs = 0.5;

/** `mergeMappings` for each of many values of one global, without a run of the sandbox for each. */
export function mergeMappingsForEach(
  sandbox: Sandbox,
  mappings: Parameters<typeof mergeMappings>[1],
  globals: Record<string, Json>,
  { name: global, values }: { readonly name: string; readonly values: readonly Json[] },
): Record<string, Json>[] {
  const merged: Record<string, Json>[] = values.map(() => ({}));
  for (const { name, expression } of inOrder(mappings)) {
    // On the line of the expression, so that errors name its lines.
    const source = `return all_values.map((one) => { ${global} = one; return (() => {${expression}\n})(); });`;
    for (let start = 0; start < values.length; start += itemsPerRun) {
      const part = values.slice(start, start + itemsPerRun);
      const result = sandbox.run(source, {
        globals: { ...globals, [global]: null, all_values: part },
        timeMs: baseTimeMs + part.length * timePerItemMs,
      });
      if (!result.ok) throw new MappingFailed(expression, result.error);
      asList(result.value).forEach((value, index) => {
        const at = start + index;
        merged[at] = mergeResult(merged[at] ?? {}, value, name, expression);
      });
    }
  }
  return merged;
}

const asList = (value: Json): readonly Json[] => (Array.isArray(value) ? value : []);

const inOrder = (mappings: Parameters<typeof mergeMappings>[1]) =>
  mappings.toSorted((left, right) => (left.name < right.name ? -1 : 1));
