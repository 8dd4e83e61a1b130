import { sql } from 'kysely';
import type { World } from '../../src/app/world.ts';
import type { Query } from '../../src/platform/db/database.ts';

/** A permission on every object, or on one. */
export type Right = string | { readonly permission: string; readonly on: string | number };

/** Gives rights to a user, past the API and its rules of delegation. */
export async function grant(tx: Query, user: number, rights: Iterable<Right>): Promise<void> {
  for (const right of rights) {
    const name = typeof right === 'string' ? right : right.permission;
    const [app, codename] = name.split('.');
    const permission = sql`from permissions where app_label = ${app} and codename = ${codename} returning permission`;
    const { rows } = await (typeof right === 'string'
      ? sql`insert into user_permissions ("user", permission) select ${user}, pk ${permission}`
      : sql`insert into user_object_permissions ("user", permission, object_pk)
            select ${user}, pk, ${String(right.on)} ${permission}`
    ).execute(tx);
    if (rows.length === 0) throw new Error(`there is no permission ${name}`);
  }
}

/** Gives a user a permission on one object only. */
export const grantOn = (
  { world: { db } }: { readonly world: Pick<World, 'db'> },
  user: number,
  permission: string,
  on: string | number,
): Promise<void> => db.write((tx) => grant(tx, user, [{ permission, on }]));
