import { type RawBuilder, sql } from 'kysely';
import type { Query } from '../../platform/db/database.ts';
import { visibleOrNone } from '../../resource/access/access.ts';
import type { Call } from '../../resource/call.ts';
import type { Registry } from '../../resource/resource.ts';
import type { FlowCandidate } from '../applicable-flow.ts';

export interface DesignFlow extends FlowCandidate {
  readonly title: string;
  readonly designation: string;
}

/** A stage as it is bound to the flow. Members of the stage are null if the caller may not see it. */
export interface DesignStep {
  readonly pk: string;
  readonly target: string;
  readonly order: number;
  readonly evaluate_on_plan: boolean;
  readonly re_evaluate_policies: boolean;
  readonly policy_engine_mode: 'all' | 'any';
  readonly invalid_response_action: string;
  readonly stage: string | null;
  readonly name: string | null;
  readonly kind: string | null;
}

/**
 * The subject of a binding to the flow or to a stage. Key and name are null if the caller may not view it; the name of
 * a deleted one is empty.
 */
export interface DesignGate {
  readonly pk: string;
  readonly target: string;
  readonly order: number;
  readonly enabled: boolean;
  readonly negate: boolean;
  readonly policy: string | null;
  readonly kind: string | null;
  readonly group: string | null;
  readonly user: number | null;
  readonly name: string | null;
  /** Whether it is a group or a user, or was one that is deleted. */
  readonly isAboutPerson: boolean;
  /** Whether no user can pass: a group without active members, an inactive user, or either one deleted. */
  readonly isEmpty: boolean;
}

/** The stages of a flow in order. */
export async function loadSteps(call: Call, registry: Registry, flow: string, query: Query): Promise<DesignStep[]> {
  const isShown = await shownTo(call, registry, 'svc_flows.stage');
  const { rows } = await sql<DesignStep>`select b.pk, b.policybindingmodel_ptr_id as target, b."order",
      b.evaluate_on_plan, b.re_evaluate_policies, b.policy_engine_mode, b.invalid_response_action,
      t.pk as stage, t.name, t.kind
    from flow_stage_bindings b left join stages t on t.pk = b.stage and ${isShown}
    where b.target = ${flow} order by b."order", b.pk`.execute(query);
  return rows.map((row) => ({
    ...row,
    evaluate_on_plan: Boolean(row.evaluate_on_plan),
    re_evaluate_policies: Boolean(row.re_evaluate_policies),
  }));
}

type GateRow = Omit<DesignGate, 'isAboutPerson' | 'isEmpty'> & {
  readonly is_person: unknown;
  readonly is_empty: unknown;
};

/** What is bound to these targets, in order. */
export async function loadGates(call: Call, registry: Registry, targets: readonly string[]): Promise<DesignGate[]> {
  const [policy, group, user] = [
    await shownTo(call, registry, 'svc_policies.policy'),
    await shownTo(call, registry, 'svc_core.group'),
    await shownTo(call, registry, 'svc_core.user'),
  ];
  const { rows } = await sql<GateRow>`select b.pk, b.target, b."order", b.enabled, b.negate,
      (select t.pk from policies t where t.pk = b.policy and ${policy}) as policy,
      (select t.kind from policies t where t.pk = b.policy and ${policy}) as kind,
      (select t.pk from groups t where t.pk = b."group" and ${group}) as "group",
      (select t.pk from users t where t.pk = b."user" and ${user}) as "user",
      case when coalesce(b.policy, b."group") is null and b."user" is null then '' else coalesce(
        (select t.name from policies t where t.pk = b.policy and ${policy}),
        (select t.name from groups t where t.pk = b."group" and ${group}),
        (select t.username from users t where t.pk = b."user" and ${user})) end as name,
      b.policy is null as is_person,
      case when b."group" is not null then not exists (
          select 1 from group_ancestors ga cross join user_groups ug cross join users u
          where ga.ancestor = b."group" and ug."group" = ga."group" and u.pk = ug."user" and u.is_active)
        when b."user" is not null then not exists (select 1 from users u where u.pk = b."user" and u.is_active)
        else b.policy is null end as is_empty
    from policy_bindings b where b.target in (${sql.join(targets)}) order by b."order", b.pk`.execute(call.db.read);
  return rows.map(({ is_person, is_empty, ...row }) => ({
    ...row,
    enabled: Boolean(row.enabled),
    negate: Boolean(row.negate),
    isAboutPerson: Boolean(is_person),
    isEmpty: Boolean(is_empty),
  }));
}

/** A condition on `t` for what the caller may see. */
async function shownTo(call: Call, registry: Registry, model: string): Promise<RawBuilder<unknown>> {
  const visible = await visibleOrNone(registry.require(model), call, registry);
  return visible === 'none' ? sql`1 = 0` : (visible ?? sql`1 = 1`);
}
