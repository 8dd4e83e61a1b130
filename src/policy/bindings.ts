import { sql } from 'kysely';
import { groupsOfSql } from '../core/access/rights-sql.ts';
import type { Query } from '../platform/db/database.ts';
import type { Call } from '../resource/call.ts';
import type { Row } from '../resource/fields/field.ts';
import type { Resource } from '../resource/resource.ts';

/** A binding in force, with what it asks already answered where the database can answer it. */
export interface ActiveBinding {
  readonly pk: string;
  readonly target: string;
  readonly policy: string | null;
  readonly kind: string | null;
  readonly group: string | null;
  readonly user: number | null;
  readonly negate: boolean;
  readonly timeout: number;
  readonly failure_result: boolean;
  /** Whether the user of the request is in the group. */
  readonly is_member: boolean;
}

/** The enabled bindings of some targets, each target's in order. One statement. */
export async function activeBindings(
  targets: readonly string[],
  userPk: number | null,
  query: Query,
): Promise<ActiveBinding[]> {
  if (targets.length === 0) return [];
  // The same question about nobody: what it costs must not tell whether a name is somebody's.
  const isMember = sql`b."group" in (${groupsOfSql(sql`${userPk ?? 0}`)})`;
  const { rows } = await sql<Record<keyof ActiveBinding, unknown>>`select b.pk, b.target, b.policy, p.kind, b."group",
    b."user", b.negate, b.timeout, b.failure_result, b."group" is not null and ${isMember} as is_member
    from policy_bindings b left join policies p on p.pk = b.policy
    where b.enabled and b.target in (${sql.join(targets)}) order by b."order", b.pk`.execute(query);
  return rows.map((row) => ({
    ...(row as unknown as ActiveBinding),
    negate: Boolean(row.negate),
    failure_result: Boolean(row.failure_result),
    is_member: Boolean(row.is_member),
  }));
}

/** The stored values of policies of one kind, by key. One statement. */
export async function loadPolicies(
  resource: Resource,
  pks: readonly string[],
  call: Call,
  query: Query,
): Promise<Map<string, Row>> {
  const row = resource.row();
  const stored = Object.entries(resource.allFields).filter(([, { storage }]) => storage.in === 'column');
  const columns = stored.map(([name]) => sql`${row.col(name)} as ${sql.ref(name)}`);
  const { rows } = await sql<Row>`select ${row.col('pk')} as pk, ${sql.join(columns)} from ${resource.from()}
    where ${row.col('pk')} in (${sql.join(pks)})`.execute(query);
  return new Map(
    rows.map((raw) => {
      const values: Row = { pk: raw.pk };
      for (const [name, field] of stored) {
        values[name] = field.fromColumn(raw[name], call.world, `${resource.rootTable}.${name}`, false);
      }
      return [raw.pk as string, values];
    }),
  );
}
