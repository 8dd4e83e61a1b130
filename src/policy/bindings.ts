import { type RawBuilder, sql } from 'kysely';
import type { Query } from '../platform/db/database.ts';
import { statement } from '../platform/db/statement.ts';
import type { Call } from '../resource/call.ts';
import { selectStored } from '../resource/read/stored.ts';
import type { Resource } from '../resource/resource.ts';
import type { PolicySettings } from './policy.family.ts';

/** Stands for the key where a policy is listed by an object, not bound to it. */
export const noBinding = '';

/** An enabled binding. */
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

/** The enabled bindings of targets, in order, in one statement. */
export async function activeBindings(targets: readonly string[], query: Query): Promise<ActiveBinding[]> {
  const [target, ...more] = targets;
  if (target === undefined) return [];
  return more.length === 0 ? ofTarget(query, target) : (await bindingsSql(sql.join(targets)).execute(query)).rows;
}

const bindingsSql = (
  targets: RawBuilder<unknown>,
) => sql<ActiveBinding>`select b.pk, b.target, b.policy, p.kind, b."group",
  b."user", b.negate, b.timeout, b.failure_result from policy_bindings b left join policies p on p.pk = b.policy
  where b.enabled and b.target in (${targets}) order by b."order", b.pk`;

const ofTarget = statement<[target: string], ActiveBinding>(bindingsSql);

/** The settings of policies of one kind, by key, in one statement. */
export async function loadPolicies<S extends PolicySettings>(
  resource: Resource<S>,
  pks: readonly string[],
  call: Call,
  query: Query,
): Promise<Map<string, S>> {
  const where = sql`${resource.row().col('pk')} in (${sql.join(pks)})`;
  const rows = await selectStored(resource, where, call, query);
  return new Map(rows.map((read) => read()).map((row) => [row.pk, row]));
}
