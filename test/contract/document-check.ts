import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { createRouter } from '../../src/platform/http/router.ts';
import type { OpenApiDocument } from '../../src/resource/document/openapi-types.ts';
import type { Operation } from '../../src/resource/document/operation.ts';
import { type Answer, type Api, apiBy } from '../support/api.ts';

/** Holds every answer against the OpenAPI document. */
export interface DocumentCheck {
  /** The same client, which throws when an answer is not as the document says. */
  watch(api: Api): Api;
  /** Operations that have answered with success. */
  readonly succeeded: ReadonlySet<string>;
}

type ValidatorAt = (pointer: readonly string[]) => ValidateFunction;

/** Compiling schemas takes longer than the requests they check, so servers with the same document share them. */
let compiled: { readonly text: string; readonly validatorAt: ValidatorAt } | undefined;

function validatorsOf(document: OpenApiDocument): ValidatorAt {
  const text = JSON.stringify(document);
  if (compiled?.text !== text) compiled = { text, validatorAt: compile(document) };
  return compiled.validatorAt;
}

function compile(document: OpenApiDocument): ValidatorAt {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(closed(document) as object, 'document');
  const validators = new Map<string, ValidateFunction>();
  return (pointer) => {
    const path = pointer.map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
    let validate = validators.get(path);
    if (!validate) {
      validate = ajv.compile({ $ref: `document#/${path}` });
      validators.set(path, validate);
    }
    return validate;
  };
}

export function createDocumentCheck(document: OpenApiDocument, operations: readonly Operation[]): DocumentCheck {
  const validatorAt = validatorsOf(document);
  const router = createRouter<Operation>();
  for (const operation of operations) router.add(operation.method, operation.path, operation);
  const succeeded = new Set<string>();

  function check(method: string, path: string, answer: Answer): void {
    const operation = router.find(path.split('?', 1)[0] as string)?.methods.get(method);
    if (!operation) return;
    const { responses } = (document.paths[operation.path] as NonNullable<OpenApiDocument['paths'][string]>)[
      method.toLowerCase()
    ] as NonNullable<OpenApiDocument['paths'][string][string]>;
    const told = (problem: string) =>
      new Error(
        `${operation.id} (${method} ${path}) answered ${answer.status}: ${problem}\n${answer.text.slice(0, 600)}`,
      );

    if (answer.status >= 500) throw told('a fault');
    const status = responses[answer.status] ? String(answer.status) : 'default';
    if (status === 'default' && answer.status < 400) throw told('a status that the document does not know');
    const type = answer.headers.get('content-type')?.split(';', 1)[0];
    const content = responses[status]?.content;
    if (!content) {
      if (answer.text !== '') throw told('a body where the document has none');
    } else if (!type || !content[type]) {
      throw told(`a body of type ${type}`);
    } else if (answer.body !== undefined) {
      const validate = validatorAt([
        'paths',
        operation.path,
        method.toLowerCase(),
        'responses',
        status,
        'content',
        type,
        'schema',
      ]);
      if (!validate(answer.body)) throw told(complaintsOf(validate));
    }
    if (answer.status < 300) succeeded.add(operation.id);
  }

  const watch = (api: Api): Api =>
    apiBy(async (method, path, body, headers) => {
      const answer = await api.send(method, path, body, headers);
      check(method, path, answer);
      return answer;
    });
  return { watch, succeeded };
}

const complaintsOf = ({ errors }: ValidateFunction): string =>
  errors?.map(({ instancePath, message }) => `${instancePath} ${message}`).join(', ') ?? '';

/** Answers may hold nothing that the document does not name: what it leaves open must say so. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, closed(inner)]));
  const isObjectSchema = members.type === 'object' && typeof members.properties === 'object';
  return isObjectSchema && members.additionalProperties === undefined
    ? { ...members, additionalProperties: false }
    : members;
}
