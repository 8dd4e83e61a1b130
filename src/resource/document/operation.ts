import type { Credential } from '../access/actor.ts';
import type { Reach } from '../access/reach.ts';
import type { RecentAuthentication } from '../access/recent-authentication.ts';
import type { Call, Reply } from '../call.ts';
import type { JsonSchema } from './json-schema.ts';
import type { Parameter } from './openapi-types.ts';
import type { OperationPage } from './ui-metadata/page.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** An operation of the API: its handler and its documentation. */
export interface Operation {
  readonly id: string;
  readonly method: Method;
  /** `/core/users/{id}/set_password/` */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  /** Of operations of a resource other than verbs. */
  readonly page?: OperationPage | undefined;
  readonly description?: string | undefined;
  readonly parameters: readonly Parameter[];
  readonly body?: Body | undefined;
  readonly answer: OperationAnswer;
  /** Schemas referenced by the body or the response that belong to no resource. */
  readonly schemas?: Readonly<Record<string, JsonSchema>>;
  /** Whether anonymous callers are allowed. */
  readonly anonymous?: boolean;
  /** What it affects beyond its object; if set, only superusers may call it. */
  readonly reaches?: Reach | undefined;
  /** Accepted credentials, checked before the operation runs; by default any. */
  readonly credentials?: readonly Credential[] | undefined;
  /** Whether a session must be recently authenticated: always, or under this condition, which the handler checks. */
  readonly recentAuthentication?: RecentAuthentication | undefined;
  handle(call: Call): Promise<Reply>;
}

export interface Body {
  readonly schema: NamedSchema;
  readonly upload?: boolean;
  readonly required?: boolean;
}

export interface OperationAnswer {
  readonly status: number;
  readonly schema?: NamedSchema;
  /** The media types of the body; by default JSON. */
  readonly types?: readonly string[];
  /** The media type of the file that the operation may return instead, and its schema unless it is text. */
  readonly file?: string;
  readonly fileSchema?: JsonSchema;
}

/** A schema, by reference if it has a name, else inline. The name of an array is that of its elements. */
export interface NamedSchema {
  readonly name?: string;
  readonly schema: JsonSchema;
}
