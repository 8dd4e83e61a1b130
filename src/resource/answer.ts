import type { JsonSchema } from './document/json-schema.ts';

/** The successful response of an action or endpoint. */
export interface Answer {
  readonly status: number;
  /** The schema of the response; `self` is the resource; absent for an empty body. */
  readonly schema?: JsonSchema | 'self';
  /** The name of the schema, or of its elements where it is an array. */
  readonly schemaName?: string;
  /** The media type of the response if the caller asks for a file, and its schema unless it is text. */
  readonly file?: string;
  readonly fileSchema?: JsonSchema;
}
