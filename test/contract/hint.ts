import type { Row } from '../../src/resource/fields/field.ts';

/** What the tests cannot guess of a resource from its declaration. Keep it short: most resources need nothing. */
export interface ResourceHint {
  /** Members of a body in place of the guessed ones; undefined leaves one out. */
  readonly body?: (make: Hinting) => Row | Promise<Row>;
  /** Members of `body` that a body cannot do without, although none of them is required by itself. */
  readonly alsoRequired?: readonly string[];
  /** Values of columns for rows that only the server makes. */
  readonly columns?: (make: Hinting) => Row | Promise<Row>;
  /** Permissions that creating or changing one asks for on top of its own. */
  readonly alsoNeeds?: readonly string[];
}

/** What the tests cannot guess of one operation (by its id). */
export interface OperationHint {
  readonly body?: (make: Hinting) => unknown;
  readonly query?: string;
  /** Values of the path in place of the key of a sample. */
  readonly params?: (make: Hinting) => Promise<Readonly<Record<string, string>>>;
  /** Permissions that it asks for on top of the one it declares. */
  readonly alsoNeeds?: readonly string[];
  /** Why no test here can make it succeed; its own tests do. */
  readonly undrivable?: string;
  /** How many events it leaves, where that is not one for a write and none for a GET, and why. */
  readonly events?: { readonly count: number; readonly why: string };
}

export interface Hinting {
  /** Differs at each call, to make values unique. */
  readonly number: number;
  /** The key of an object of this model. */
  key(model: string): Promise<string | number>;
  /** The key of a permission, by its name. */
  permission(name: string): Promise<number>;
}
