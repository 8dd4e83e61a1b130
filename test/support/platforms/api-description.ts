import { Ajv, type ValidateFunction } from 'ajv';
import type { JsonAnswer, JsonRequest } from '../json-server.ts';

type Schema = Readonly<Record<string, unknown>>;

/** An operation of a published API, as far as the tests need it. */
export interface DescribedOperation {
  /** By name; a query has no others. */
  readonly query?: Readonly<Record<string, Schema>>;
  readonly requiredQuery?: readonly string[];
  readonly body?: Schema;
  readonly contentTypes?: readonly string[];
  readonly statuses: readonly number[];
}

/** Operations by method and path template: `GET /containers/{id}/json`. */
export interface ApiDescription {
  readonly operations: Readonly<Record<string, DescribedOperation>>;
  readonly definitions: Readonly<Record<string, Schema>>;
}

export interface ApiCheck {
  /** What is wrong with a request by the description. */
  complaintsAbout(request: JsonRequest, path: readonly string[], body: unknown): string[];
  /** Throws if the test's own server responds in a way that the description does not know. */
  checkAnswer(request: JsonRequest, path: readonly string[], answer: JsonAnswer): void;
}

export function createApiCheck({ operations, definitions }: ApiDescription): ApiCheck {
  const ajv = new Ajv({ strict: false, allErrors: true, coerceTypes: false });
  ajv.addSchema({ $id: 'api', definitions });
  const compiled = new Map<Schema, ValidateFunction>();
  const validate = (schema: Schema, value: unknown, what: string): string[] => {
    const found = compiled.get(schema) ?? ajv.compile(schema);
    compiled.set(schema, found);
    if (found(value)) return [];
    return (found.errors ?? []).map(
      ({ instancePath, message, params }) => `${what}${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  };
  const find = (method: string, path: readonly string[]) =>
    Object.entries(operations).find(([name]) => {
      const [own, template = ''] = name.split(' ');
      const parts = template.split('/').filter(Boolean);
      return (
        own === method &&
        parts.length === path.length &&
        parts.every((part, at) => part.startsWith('{') || part === path[at])
      );
    })?.[1];
  return {
    complaintsAbout({ method, query, headers }, path, body) {
      const operation = find(method, path);
      if (!operation) return [`${method} /${path.join('/')} is not described`];
      const complaints: string[] = [];
      for (const [name, value] of query) {
        const schema = operation.query?.[name];
        if (schema) complaints.push(...validate(schema, value, `query ${name}`));
        else complaints.push(`the query parameter ${name} is not described`);
      }
      for (const name of operation.requiredQuery ?? [])
        if (!query.has(name)) complaints.push(`the query parameter ${name} is missing`);
      const hasBody = body !== undefined;
      if (hasBody && !operation.body) complaints.push('a body is not described');
      if (operation.body) complaints.push(...validate(operation.body, body, 'body'));
      const type = headers['content-type'];
      if (hasBody && !(operation.contentTypes ?? ['application/json']).includes(type ?? ''))
        complaints.push(`the content type ${type} is not described`);
      return complaints.map((complaint) => `${method} /${path.join('/')}: ${complaint}`);
    },
    checkAnswer({ method }, path, { status }) {
      const { statuses = [] } = find(method, path) ?? {};
      if (statuses.includes(status)) return;
      throw new Error(`the server in the test answers ${status} to ${method} /${path.join('/')}`);
    },
  };
}

export const text: Schema = { type: 'string' };
export const integer: Schema = { type: 'integer' };
export const boolean: Schema = { type: 'boolean' };
export const listOf = (items: Schema): Schema => ({ type: 'array', items });
export const mapOf = (values: Schema): Schema => ({ type: 'object', additionalProperties: values });
export const oneOf = (...values: readonly string[]): Schema => ({ enum: values });
export const refTo = (name: string): Schema => ({ $ref: `api#/definitions/${name}` });
/** An object with these members and no others. */
export const closed = (properties: Readonly<Record<string, Schema>>, required: readonly string[] = []): Schema => ({
  ...{ type: 'object', properties, required, additionalProperties: false },
});
