import type { RawBuilder } from 'kysely';
import type { ColumnType } from '../platform/db/dialect.ts';

/** What somebody comes with. An access token is a client's, good for as long and as much as its user agreed to. */
export type Credential = 'session' | 'impersonated session' | 'API token' | 'access token';

/** Who asks. There is no default: a call without an actor is a call by nobody. */
export interface Actor {
  readonly user: ActorUser;
  readonly isSuperuser: boolean;
  readonly credential: Credential;
  /** The session the call came with, if it came with a cookie. */
  readonly session: string | null;
  /** Who acts as this user, when it is somebody else; rights are those of `user`. */
  readonly impersonator?: Actor;
  /** Whether the permission is held on every object. */
  holds(permission: string): boolean;
  /** A subquery of the keys on which the permission is held, directly or through a role. */
  objectsHolding(permission: string, keyType: ColumnType): RawBuilder<unknown>;
}

export interface ActorUser {
  readonly pk: number;
  readonly uuid: string;
  readonly username: string;
  readonly name: string;
  readonly email: string;
  readonly type: string;
  readonly attributes: Record<string, unknown>;
}
