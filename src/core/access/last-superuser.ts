import { type RawBuilder, sql } from 'kysely';
import { Invalid } from '../../lib/problem.ts';
import type { Query } from '../../platform/db/database.ts';
import type { Call } from '../../resource/call.ts';

/** What is about to be deleted, and no longer counts. */
interface Without {
  readonly user?: number;
  readonly group?: string;
}

/**
 * Refuses a change that leaves no active person who is a superuser. To be asked after the change, within its transaction and
 * only where it takes a superuser's rights: a server that has none already can still be changed.
 */
export async function checkSuperuserLeft(tx: Query, call: Pick<Call, 'db'>, without: Without = {}): Promise<void> {
  if (!(await isSuperuserLeft(tx, call, without))) throw Invalid.whole(refusal);
}

/** The same question, for changes that nobody is there to be told about. */
export async function isSuperuserLeft(tx: Query, { db }: Pick<Call, 'db'>, without: Without = {}): Promise<boolean> {
  // Of two superusers who switch each other off at once, one stays.
  await db.dialect.exclusive('superusers')?.execute(tx);
  const { rows } = await sql`select 1 from users u where u.is_active and u.type in ('internal', 'external')
    and ${differs(sql`u.pk`, without.user)} and exists (select 1 from user_groups ug where ug."user" = u.pk
      and ug."group" in (${superuserGroups(without.group)})) limit 1`.execute(tx);
  return rows.length > 0;
}

const refusal = 'This would leave no active superuser to administer the server. Make somebody else a superuser first.';

const superuserGroups = (without: string | undefined) => sql`with recursive left_groups(pk) as (
  select g.pk from groups g where g.is_superuser and ${differs(sql`g.pk`, without)}
  union select g.pk from groups g join left_groups l on g.parent = l.pk where ${differs(sql`g.pk`, without)}
) select pk from left_groups`;

const differs = (column: RawBuilder<unknown>, key: string | number | undefined): RawBuilder<unknown> =>
  key === undefined ? sql`1 = 1` : sql`${column} <> ${key}`;
