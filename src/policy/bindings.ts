import { type RawBuilder, sql } from 'kysely';
import type { Query } from '../platform/db/database.ts';
import { statement } from '../platform/db/statement.ts';
import type { Call } from '../resource/call.ts';
import type { Row } from '../resource/fields/field.ts';
import type { Resource } from '../resource/resource.ts';
import { selectStored } from '../resource/stored.ts';

/** A binding in force. */
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
}

type BindingRow = Record<keyof ActiveBinding, unknown>;

/** The enabled bindings of some targets, each target's in order. One statement, the same whoever asks. */
export async function activeBindings(targets: readonly string[], query: Query): Promise<ActiveBinding[]> {
  const [target, ...more] = targets;
  if (target === undefined) return [];
  const rows =
    more.length === 0 ? await ofTarget(query, target) : (await bindingsSql(sql.join(targets)).execute(query)).rows;
  return rows.map((row) => ({
    ...(row as unknown as ActiveBinding),
    negate: Boolean(row.negate),
    failure_result: Boolean(row.failure_result),
  }));
}

const bindingsSql = (
  targets: RawBuilder<unknown>,
) => sql<BindingRow>`select b.pk, b.target, b.policy, p.kind, b."group",
  b."user", b.negate, b.timeout, b.failure_result from policy_bindings b left join policies p on p.pk = b.policy
  where b.enabled and b.target in (${targets}) order by b."order", b.pk`;

const ofTarget = statement<[target: string], BindingRow>(bindingsSql);

/** The stored values of policies of one kind, by key. One statement. */
export async function loadPolicies(
  resource: Resource,
  pks: readonly string[],
  call: Call,
  query: Query,
): Promise<Map<string, Row>> {
  const where = sql`${resource.row().col('pk')} in (${sql.join(pks)})`;
  const rows = await selectStored(resource, where, call, query);
  return new Map(rows.map((read) => read()).map((row) => [row.pk as string, row]));
}
