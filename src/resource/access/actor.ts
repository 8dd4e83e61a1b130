import type { RawBuilder } from 'kysely';
import type { ColumnType } from '../../platform/db/dialect.ts';

/** How a caller authenticated. An access token belongs to a client and is limited to what its user consented to. */
export type Credential = 'session' | 'impersonated session' | 'API token' | 'access token';

/** The caller. There is no default: a call without an actor is anonymous. */
export interface Actor {
  readonly user: ActorUser;
  readonly isSuperuser: boolean;
  readonly credential: Credential;
  /** The session, if the caller authenticated by cookie. */
  readonly session: string | null;
  /** When the user last proved who they are in this session; null if they never have. */
  readonly provenAt?: string | null;
  /** The impersonator, if any; permissions are those of `user`. */
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
