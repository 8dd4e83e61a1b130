import type { FieldMetadata, JsonSchema } from './json-schema.ts';

/** The part of an OpenAPI 3.1 document that our clients and tests use. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly securitySchemes: Readonly<Record<string, unknown>>;
  };
  /** What pages need to know of each resource, by path. */
  readonly 'x-resources': Readonly<Record<string, ResourceMetadata>>;
}

export interface OperationObject {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  /** What the operation affects beyond its object. */
  readonly 'x-reaches'?: string;
  /** Accepted credentials. */
  readonly 'x-credentials': readonly string[];
  /** Whether sessions must be recently authenticated: always, or when. */
  readonly 'x-recent-authentication'?: true | string;
  /** How pages for administrators offer it. */
  readonly 'x-button'?: ButtonMetadata;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content; readonly required?: boolean };
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly responses: Readonly<Record<string, ResponseObject>>;
}

export interface ResponseObject {
  readonly description: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Content;
}

export type Content = Readonly<Record<string, { readonly schema: JsonSchema }>>;

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly schema: JsonSchema;
  readonly required?: boolean;
  readonly description?: string;
  /** Whether the bare name (`?download`) is allowed. */
  readonly allowEmptyValue?: boolean;
}

/** What a page needs to know to offer an operation (`x-button` in the OpenAPI document). */
export interface ButtonMetadata {
  readonly label: string;
  /** The permissions that it takes, all of them; `superuser` stands for being one. */
  readonly needs: readonly string[];
}

/** What pages need to know of a resource besides its operations (`x-resources` in the OpenAPI document). */
export interface ResourceMetadata {
  readonly model: string;
  /** Of a kind: the path of its family, whose operations take its objects too. */
  readonly family: string | null;
  readonly names: readonly [singular: string, plural: string];
  /** The member that references to it hold; null if it is not shown. */
  readonly pk: string | null;
  /** The member that identifies an object in paths, and the one that names it for people. */
  readonly key: string;
  readonly title: string;
  readonly columns: readonly string[];
  /** The members that a list can be ordered by, and its default order. */
  readonly orderable: readonly string[];
  readonly order: readonly string[];
  readonly isSearched: boolean;
  readonly always: Readonly<Record<string, string>>;
  readonly filters: readonly FilterMetadata[];
}

export interface FilterMetadata extends FieldMetadata {
  readonly name: string;
  readonly choices?: readonly unknown[];
}
