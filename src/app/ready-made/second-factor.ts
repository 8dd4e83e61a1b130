import { sql } from 'kysely';
import { Invalid } from '../../lib/problem.ts';
import type { Query } from '../../platform/db/database.ts';
import { bindPolicy, expressionModel } from '../bootstrap/flow-parts.ts';
import { loginModel, mfaModel } from '../bootstrap/stage-list.ts';
import type { Make } from '../bootstrap/steps.ts';
import { makeRoom, type Writes } from './writes.ts';

/** The stage that the switch adds: users without a factor set one up. The shipped one skips them. */
export const requiringStage = 'default-second-factor-required';
/** New sources use it, so that a source that is added later cannot bypass the requirement. */
const sourceFlow = 'default-source-authentication';
const administratorsPolicy = 'default-second-factor-administrators';
/** What people without a factor choose from. */
const setups = ['default-authenticator-webauthn-setup', 'default-authenticator-totp-setup'];

export const scopes = ['none', 'administrators', 'groups', 'everybody'] as const;
export type Scope = (typeof scopes)[number];

export interface SecondFactor {
  /** `custom`: the flows require it in a way that the switch did not set up, or not alike. */
  readonly require: Scope | 'custom';
  readonly groups: readonly string[];
}

/** A flow that signs people in, of a brand or a source. */
export interface SignInFlow {
  readonly pk: string;
  readonly slug: string;
  readonly name: string;
  /** The place of its first login stage. */
  readonly login: number;
}

export async function signInFlows(tx: Query): Promise<readonly SignInFlow[]> {
  const { rows } = await sql<SignInFlow>`select f.pk, f.slug, f.name, min(b."order") as login from flows f
    join flow_stage_bindings b on b.target = f.pk join stages s on s.pk = b.stage and s.kind = ${loginModel}
    where f.slug = ${sourceFlow}
      or f.pk in (select flow_authentication from brands union select authentication_flow from sources)
    group by f.pk, f.slug, f.name order by f.slug`.execute(tx);
  return rows.map((row) => ({ ...row, login: Number(row.login) }));
}

export async function readSecondFactor(tx: Query, flows: readonly SignInFlow[]): Promise<SecondFactor> {
  const found = new Map<string, SecondFactor>();
  for (const { pk } of flows) {
    const state = await stateIn(tx, pk);
    found.set(JSON.stringify(state), state);
  }
  const [first = none, ...others] = found.values();
  return others.length === 0 ? first : custom;
}

const none: SecondFactor = { require: 'none', groups: [] };
const custom: SecondFactor = { require: 'custom', groups: [] };

interface Gate {
  readonly name: string;
  readonly action: string;
  readonly policy: string | null;
  readonly group: string | null;
  readonly is_gate: boolean;
  readonly is_usual: boolean;
}

/** The validation stages of a flow that deny users without a factor, with their gates. */
async function stateIn(tx: Query, flow: string): Promise<SecondFactor> {
  const { rows } = await sql<Gate>`select s.name, v.not_configured_action as action, p.name as policy, pb."group",
      pb.pk is not null as is_gate,
      pb.pk is null or (pb.enabled and not pb.negate and pb."user" is null) as is_usual
    from flow_stage_bindings b join stages s on s.pk = b.stage join stage_authenticator_validate v on v.pk = s.pk
    left join policy_bindings pb on pb.target = b.policybindingmodel_ptr_id left join policies p on p.pk = pb.policy
    where b.target = ${flow} and (s.name = ${requiringStage} or v.not_configured_action <> 'skip')
    order by pb."group"`.execute(tx);
  if (rows.length === 0) return none;
  if (rows.some(({ name, action, is_usual }) => name !== requiringStage || action === 'skip' || !is_usual))
    return custom;
  const gates = rows.filter(({ is_gate }) => is_gate);
  if (gates.length === 0) return { require: 'everybody', groups: [] };
  if (gates.length === 1 && gates[0]?.policy === administratorsPolicy) return { require: 'administrators', groups: [] };
  const groups = gates.flatMap(({ group }) => group ?? []);
  return groups.length === gates.length ? { require: 'groups', groups } : custom;
}

/** Requires a second factor before the login stage of each flow, of these people alone. */
export async function requireSecondFactor(
  make: Make,
  { remove, change }: Writes,
  { require, groups }: { readonly require: Scope; readonly groups: readonly string[] },
): Promise<void> {
  const flows = await signInFlows(make.tx);
  for (const { pk } of await bindingsOf(make.tx, flows)) await remove('svc_flows.flowstagebinding', pk);
  if (require === 'none') return;
  if (flows.length === 0) throw Invalid.whole('No brand or source signs people in by a flow with a login stage.');
  const stage = await makeStage(make, change);
  for (const flow of flows) {
    const order = await makeRoom(make.tx, { flow: flow.pk, place: flow.login, count: 1 }, { change });
    const binding = await make.ensure('svc_flows.flowstagebinding', { target: flow.pk, stage, order });
    if (require === 'administrators') await bindPolicy(make, binding, await makePolicy(make), 0);
    for (const [order, group] of (require === 'groups' ? groups : []).entries())
      await make.ensure('svc_policies.policybinding', { target: await targetOf(make.tx, binding), group }, { order });
  }
}

async function makeStage(make: Make, change: Writes['change']): Promise<string | number> {
  const { rows } = await sql<{ pk: string }>`select pk from stages
    where name in (${sql.join(setups)}) order by name desc`.execute(make.tx);
  if (rows.length === 0) throw Invalid.whole('There is no stage by which people could set up a second factor.');
  const values = { not_configured_action: 'configure', configuration_stages: rows.map(({ pk }) => pk) };
  const stage = await make.ensure(mfaModel, { name: requiringStage }, values);
  const { rows: stored } = await sql<{ action: string }>`select not_configured_action as action
    from stage_authenticator_validate where pk = ${stage}`.execute(make.tx);
  if (stored[0]?.action === 'skip') await change(mfaModel, String(stage), values);
  return stage;
}

const makePolicy = (make: Make) =>
  make.ensure(
    expressionModel,
    { name: administratorsPolicy },
    { expression: '// Members of groups whose members are superusers.\nreturn user.is_superuser;' },
  );

async function bindingsOf(tx: Query, flows: readonly SignInFlow[]) {
  if (flows.length === 0) return [];
  const { rows } = await sql<{ pk: string }>`select b.pk from flow_stage_bindings b join stages s on s.pk = b.stage
    where s.name = ${requiringStage} and b.target in (${sql.join(flows.map(({ pk }) => pk))})`.execute(tx);
  return rows;
}

async function targetOf(tx: Query, binding: string | number): Promise<string> {
  const { rows } = await sql<{ target: string }>`select policybindingmodel_ptr_id as target from flow_stage_bindings
    where pk = ${binding}`.execute(tx);
  return rows[0]?.target ?? '';
}
