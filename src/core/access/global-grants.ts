import { sql } from 'kysely';
import { Problem } from '../../lib/problem.ts';
import type { Query } from '../../platform/db/database.ts';
import type { Call } from '../../resource/call.ts';
import type { Row } from '../../resource/fields/field.ts';
import type { Beside } from '../../resource/resource.ts';
import type { Grant } from './delegation.ts';
import { checkMayTouch, firstGlobalKey, recordChange, unassignPermission } from './grants.ts';
import { findHolder, type HolderKind, rejectInternalAccount } from './holder.ts';

/** Global grants and grants on objects, by the keys that `assign` returns. */
export const globalGrants = (kind: HolderKind, right: string): Beside => ({
  holds: (key) => Number(key) >= firstGlobalKey,
  async read({ call, tx, key }) {
    return { ...(await find(kind, right, call, tx, key)), id: key, object_pk: '', described: null };
  },
  async destroy({ call, engine, tx, key }) {
    const { permission, holder: pk, app_label, codename } = await find(kind, right, call, tx, key);
    const holder = await findHolder(
      kind,
      kind.toUnassign,
      { ...call, params: { [kind.param]: String(pk) } },
      engine,
      tx,
    );
    rejectInternalAccount(holder, 'Permissions cannot be unassigned from an internal service account.');
    await checkMayTouch(kind, tx, call, holder);
    const grant: Grant = { permission, name: `${app_label}.${codename}`, objectPk: null };
    await unassignPermission(kind, tx, holder, grant);
    await recordChange(tx, call, holder, 'remove', [grant]);
  },
});

type Found = Row & {
  readonly permission: number;
  readonly holder: string | number;
  readonly app_label: string;
  readonly codename: string;
};

async function find(kind: HolderKind, right: string, { actor }: Call, tx: Query, key: unknown): Promise<Found> {
  const holder = sql.ref(`k.${kind.column}`);
  const { rows } = await sql<Found>`select p.codename, p.model, p.app_label, p.name, k.permission, ${holder} as holder
    from ${sql.table(kind.keyTable)} k join permissions p on p.pk = k.permission
      join ${sql.table(kind.globalTable)} g on ${sql.ref(`g.${kind.column}`)} = ${holder} and g.permission = k.permission
    where k.pk = ${Number(key) - firstGlobalKey}`.execute(tx);
  const [row] = rows;
  if (!row || !actor?.holds(right)) throw new Problem('not_found');
  return row;
}
