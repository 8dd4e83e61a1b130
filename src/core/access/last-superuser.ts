import { type RawBuilder, sql } from 'kysely';
import { Invalid } from '../../lib/problem.ts';
import type { Query } from '../../platform/db/database.ts';
import type { Call } from '../../resource/call.ts';

/** Rows about to be deleted, which no longer count. */
interface Without {
  readonly user?: number;
  readonly group?: string;
}

/**
 * Refuses a change that leaves no active person as superuser. Call it after the change, within its transaction, and
 * only if the change takes a superuser's rights: a server that already has none can still be changed.
 */
export async function checkSuperuserLeft(tx: Query, call: Pick<Call, 'db'>, without: Without = {}): Promise<void> {
  if (!(await isSuperuserLeft(tx, call, without))) throw Invalid.whole(refusal);
}

/** The same check as a boolean, for changes without a caller to refuse. */
export async function isSuperuserLeft(tx: Query, { db }: Pick<Call, 'db'>, without: Without = {}): Promise<boolean> {
  // Serializes concurrent changes: if two superusers deactivate each other, one remains.
  await db.dialect.exclusive('superusers')?.execute(tx);
  const { rows } = await sql`select 1 from users u where u.is_active and u.type in ('internal', 'external')
    and ${differs(sql`u.pk`, without.user)} and exists (select 1 from user_groups ug where ug."user" = u.pk
      and ug."group" in (${superuserGroups(without.group)})) limit 1`.execute(tx);
  return rows.length > 0;
}

const refusal = 'This would leave no active superuser to administer the server. Make another user a superuser first.';

const superuserGroups = (without: string | undefined) => sql`with recursive left_groups(pk) as (
  select g.pk from groups g where g.is_superuser and ${differs(sql`g.pk`, without)}
  union select g.pk from groups g join left_groups l on g.parent = l.pk where ${differs(sql`g.pk`, without)}
) select pk from left_groups`;

const differs = (column: RawBuilder<unknown>, key: string | number | undefined): RawBuilder<unknown> =>
  key === undefined ? sql`1 = 1` : sql`${column} <> ${key}`;
