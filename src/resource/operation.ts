import type { Credential } from './actor.ts';
import type { Call, Reply } from './call.ts';
import type { JsonSchema } from './json-schema.ts';
import type { Reach } from './resource.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** One operation of the API: what serves it and what is said of it, in one place. */
export interface Operation {
  readonly id: string;
  readonly method: Method;
  /** `/core/users/{id}/set_password/` */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string | undefined;
  readonly parameters: readonly Parameter[];
  readonly body?: Body | undefined;
  readonly answer: OperationAnswer;
  /** Schemas that those of the body and the answer refer to and no resource brings. */
  readonly schemas?: Readonly<Record<string, JsonSchema>>;
  /** Whether it may be called without signing in. */
  readonly anonymous?: boolean;
  /** What it decides beyond the object it is about; only superusers may call it then. */
  readonly reaches?: Reach | undefined;
  /** What callers may come with; anything unless said otherwise. Checked before the operation is called. */
  readonly credentials?: readonly Credential[] | undefined;
  handle(call: Call): Promise<Reply>;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly schema: JsonSchema;
  readonly required?: boolean;
  readonly description?: string;
  /** Whether the name may stand without a value (`?download`), which is not refused. */
  readonly allowEmptyValue?: boolean;
}

export interface Body {
  readonly schema: NamedSchema;
  readonly upload?: boolean;
  readonly required?: boolean;
}

export interface OperationAnswer {
  readonly status: number;
  readonly schema?: NamedSchema;
  /** The media types of the body; JSON unless said otherwise. */
  readonly types?: readonly string[];
  /** The media type of a file that the same operation may answer with, and what it holds unless that is text. */
  readonly file?: string;
  readonly fileSchema?: JsonSchema;
}

/** A schema that stands in the document under a name, or inline when it has none. */
export interface NamedSchema {
  readonly name?: string;
  readonly schema: JsonSchema;
}
