import type { RawBuilder } from 'kysely';
import type { Json } from '../../../../lib/json.ts';
import type { Query } from '../../../../platform/db/database.ts';
import type { Dialect } from '../../../../platform/db/dialect.ts';
import type { ScimObject } from '../protocol/matches.ts';
import type { Leaf, Place, Scope } from './filter-sql.ts';
import type { Schema } from './schemas.ts';

/** A record with the columns of the user or group that it stands for. */
export interface RecordRow {
  readonly pk: number;
  readonly external_id: string | null;
  readonly attributes: string;
  readonly created: string | null;
  readonly last_updated: string | null;
  readonly is_own: boolean;
  /** The key of the user or group, and its id for clients. */
  readonly target: number | string;
  readonly id: string;
  readonly name: string;
  readonly username?: string;
  readonly email?: string;
  readonly is_active?: boolean;
}

/** Where an attribute is that has a column. */
export interface Mapped {
  readonly leaf: Leaf;
  /** Further places of its values, beside the column. */
  readonly also?: readonly Place[];
  /** For lists that are rows of other tables. */
  readonly elements?: Scope['someElement'] extends (path: never, holds: infer Holds) => infer Condition
    ? (holds: Holds) => Condition
    : never;
}

export type Properties = Record<string, Json>;

/** What users and groups do differently. */
export interface ResourceType {
  readonly name: 'User' | 'Group';
  readonly endpoint: 'Users' | 'Groups';
  readonly schema: Schema;
  readonly extensions: readonly Schema[];
  /** The model of what a record stands for, and of the record; the column of the record that names the former. */
  readonly targetModel: string;
  readonly recordModel: string;
  readonly column: 'user' | 'group';
  readonly mappings: 'source_user_property_mappings' | 'source_group_property_mappings';
  /** The column of the user or group whose value clients know as its id. */
  readonly idColumn: 'pk' | 'uuid';
  /** Whether users belong to it. */
  readonly hasMembers: boolean;
  /** Defaults of a new document. */
  readonly initial: ScimObject;
  /** Records as `t`, what they stand for as `o`. */
  readonly from: RawBuilder<unknown>;
  readonly columns: RawBuilder<unknown>;
  /** Its attributes that are columns, by their names in lower case. */
  mapped(dialect: Dialect): Readonly<Record<string, Mapped>>;
  /** The attribute that names it, and the property that this is here. */
  readonly naming: { readonly attribute: string; readonly property: string };
  /** Attributes that stay as they are shown when a PUT leaves them out. */
  readonly kept: readonly string[];
  /** What properties mappings may set. */
  readonly properties: readonly string[];
  /** The document as clients see it: stored values take precedence over sent ones. */
  show(row: RecordRow, document: ScimObject): ScimObject;
  /** The values of the user or group in the document. `before` is the document that a PATCH was applied to. */
  propertiesOf(document: ScimObject, before: ScimObject | null): Properties;
  /** Whether sources keep their hands off: superusers, and groups that make superusers. */
  isProtected(tx: Query, target: RecordRow['target']): Promise<boolean>;
  /** Everything that the user, or membership in the group, is granted. */
  grants(target: RecordRow['target']): RawBuilder<unknown>;
}
