import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Operation } from '../../src/resource/document/operation.ts';

type Check = (challenge: unknown) => void;
const checks = new WeakMap<readonly Operation[], Check>();

/** Throws when a challenge is not as the OpenAPI document says: its `component` names the one schema that it fits. */
export function challengeCheck(operations: readonly Operation[]): Check {
  const known = checks.get(operations);
  if (known) return known;
  const { schemas = {} } = operations.find(({ id }) => id === 'flows_executor_get') as Operation;
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  const validators = new Map(
    Object.values(schemas).map((schema) => [
      schema.properties?.component?.enum?.[0],
      ajv.compile({ ...schema, additionalProperties: false }),
    ]),
  );
  const check: Check = (challenge) => {
    const validate = validators.get((challenge as { component?: string }).component);
    if (validate?.(challenge)) return;
    const problem = validate ? ajv.errorsText(validate.errors) : 'no schema has this component';
    throw new Error(`a challenge that the document does not know: ${problem}\n${JSON.stringify(challenge)}`);
  };
  checks.set(operations, check);
  return check;
}
