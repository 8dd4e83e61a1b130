import { sql } from 'kysely';
import { grantsOfGroupsSql, grantsOfUsersSql, isSuperuserSql } from '../../../../core/access/rights-sql.ts';
import { usersIn } from '../../../../core/directory/users.ts';
import type { Query } from '../../../../platform/db/database.ts';
import type { Call } from '../../../../resource/call.ts';
import { destroyRow, updateRow } from '../../../../resource/write/write-row.ts';
import { Refused, type SyncRun, writeEach } from './sync-context.ts';

interface Missing {
  readonly entry: number;
  readonly connection: number;
  readonly target: string | number;
  readonly dn: string;
  readonly is_own: unknown;
}

const perPage = 100;

const kinds = {
  user: { model: 'svc_core.user', table: 'user_source_connections', column: 'user', link: 'user_connection' },
  group: { model: 'svc_core.group', table: 'group_source_connections', column: 'group', link: 'group_connection' },
} as const;

/**
 * Deletes what the source has created and the directory no longer has, if the source is set up for it. More than the
 * limit are never deleted: an answer may be incomplete. Users who were here before, or hold permissions, are
 * deactivated and unlinked.
 */
export async function deleteMissing(
  sync: SyncRun,
  kind: 'user' | 'group',
  afterPage: () => Promise<void>,
): Promise<void> {
  const { source, run, counts, notes, systemCall } = sync;
  const { link } = kinds[kind];
  const { read } = systemCall().db;
  const { rows: figures } = await sql<{ known: number; missing: number }>`select count(*) as known,
    count(case when seen is null or seen <> ${run.pk} then 1 end) as missing
    from ldap_entries where source = ${source.pk} and ${sql.ref(link)} is not null`.execute(read);
  const [known, missing] = [Number(figures[0]?.known ?? 0), Number(figures[0]?.missing ?? 0)];
  const count = counts[`${kind}s`];
  count.missing = missing;
  if (!source.delete_not_found_objects || missing === 0) return;
  if (count.found === 0 || missing * 100 > known * source.deletion_limit) {
    notes.add(
      `${missing} of ${known} ${kind}s are missing in the directory. None of them are deleted: the limit is ${source.deletion_limit} %, and an empty answer deletes nothing.`,
    );
    return;
  }
  for (let after = 0; ; ) {
    const { table, column } = kinds[kind];
    const { rows } =
      await sql<Missing>`select e.pk as entry, c.pk as connection, c.${sql.ref(column)} as target, e.dn, e.is_own
      from ldap_entries e join ${sql.table(table)} c on c.pk = e.${sql.ref(link)}
      where e.source = ${source.pk} and (e.seen is null or e.seen <> ${run.pk}) and e.pk > ${after}
      order by e.pk limit ${perPage}`.execute(read);
    const refused = await writeEach(sync, rows, async (object, tx, call) => {
      await (kind === 'user' ? removeUser : removeGroup)(sync, object, tx, call);
      return () => {
        count.deleted += 1;
      };
    });
    count.failed += refused.size;
    for (const [{ dn }, reason] of refused) notes.add(`Failed to delete ${kind} ${dn}: ${reason}`);
    await afterPage();
    const last = rows.at(-1);
    if (!last) return;
    after = last.entry;
  }
}

async function removeUser({ engine }: SyncRun, missing: Missing, tx: Query, call: Call): Promise<void> {
  const users = usersIn(engine.registry);
  const pk = Number(missing.target);
  const { rows } = await sql`select 1 from users u where u.pk = ${pk}
    and (u.type = 'internal_service_account' or ${isSuperuserSql(sql`u.pk`)})`.execute(tx);
  if (rows.length > 0) throw new Refused('Directories do not delete superusers and internal accounts.');
  const current = await engine.stored(users, call)(call, tx, pk);
  if (!current) return;
  if (missing.is_own && !(await holdsAny(tx, grantsOfUsersSql([pk])))) {
    await destroyRow({ engine, resource: users, call, tx }, pk, current);
    return;
  }
  await sql`delete from user_source_connections where pk = ${missing.connection}`.execute(tx);
  if (current.is_active)
    await updateRow({ engine, resource: users, call, tx }, pk, current, { is_active: false }, 'patch');
}

async function removeGroup({ engine }: SyncRun, missing: Missing, tx: Query, call: Call): Promise<void> {
  const groups = engine.registry.require('svc_core.group');
  const pk = String(missing.target);
  const current = await engine.stored(groups, call)(call, tx, pk);
  if (current && missing.is_own && !current.is_superuser && !(await holdsAny(tx, grantsOfGroupsSql([pk]))))
    await destroyRow({ engine, resource: groups, call, tx }, pk, current);
  else await sql`delete from group_source_connections where pk = ${missing.connection}`.execute(tx);
}

async function holdsAny(tx: Query, grants: ReturnType<typeof grantsOfUsersSql>): Promise<boolean> {
  const { rows } = await sql`select 1 from (${grants}) as held limit 1`.execute(tx);
  return rows.length > 0;
}
