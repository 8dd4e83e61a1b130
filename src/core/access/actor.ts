import { sql } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { stampSql } from '../../platform/db/postgres/stamps.ts';
import { statement } from '../../platform/db/statement.ts';
import type { Actor, ActorUser, Credential } from '../../resource/access/actor.ts';
import { globalPermissionsSql, rolesOfSql } from './rights-sql.ts';

/** The columns of `users` (as `u`) that make an actor, with `is_superuser` computed. */
export interface ActorRow {
  readonly pk: number;
  readonly uuid: string;
  readonly username: string;
  readonly name: string;
  readonly email: string;
  readonly type: string;
  readonly attributes: string;
  /** An expression, not a column, so SQLite returns a number. */
  readonly is_superuser: unknown;
  /** Saves the statement that most requests would read it with. */
  readonly stamp: number | null;
}

export const actorColumns = sql`u.pk, u.uuid, u.username, u.name, u.email, u.type, u.attributes, ${stampSql} as stamp`;

const globalPermissions = statement<[user: number], { permission: string }>(globalPermissionsSql);

/** Loads the actor for an authenticated, active user. */
export async function loadActor(
  db: Database,
  row: ActorRow,
  credential: Credential,
  session: string | null = null,
): Promise<Actor> {
  db.sawStamp?.(row.stamp);
  const user: ActorUser = {
    pk: row.pk,
    uuid: row.uuid,
    username: row.username,
    name: row.name,
    email: row.email,
    type: row.type,
    attributes: JSON.parse(row.attributes),
  };
  if (row.is_superuser)
    return { user, credential, session, isSuperuser: true, holds: () => true, objectsHolding: () => sql`select null` };

  const held = new Set((await globalPermissions(db.read, user.pk)).map(({ permission }) => permission));
  return {
    user,
    credential,
    session,
    isSuperuser: false,
    holds: (permission) => held.has(permission),
    objectsHolding(permission, keyType) {
      const [app = '', codename = ''] = permission.split('.');
      const key = db.dialect.keyFromText(sql.ref('o.object_pk'), keyType);
      const id = sql`(select pk from permissions where app_label = ${app} and codename = ${codename})`;
      return sql`select ${key} as pk from user_object_permissions o where o."user" = ${user.pk} and o.permission = ${id}
        union select ${key} as pk from role_object_permissions o where o.permission = ${id} and o.role in (${rolesOfSql(sql`${user.pk}`)})`;
    },
  };
}
