import { sql } from 'kysely';
import type { UserFacts } from '../core/mapping/user-facts.ts';
import type { Json } from '../lib/json.ts';
import { message, sentences, type UserMessage, type UserText } from '../lib/texts/message.ts';
import type { Query } from '../platform/db/database.ts';
import type { PolicyEngine } from '../policy/engine.ts';
import type { PolicyMode } from '../policy/outcome.ts';
import { policyRequest } from '../policy/request.ts';
import type { Call } from '../resource/call.ts';

export interface FlowSummary {
  readonly pk: string;
  readonly slug: string;
  readonly name: string;
}

export type FlowChoice =
  | { readonly outcome: 'applies'; readonly flow: FlowSummary }
  | { readonly outcome: 'missing' }
  /** Messages for the denied user. */
  | { readonly outcome: 'refused'; readonly messages: readonly UserText[] };

interface FlowRequest {
  readonly flow: string | null;
  readonly call: Call;
  /** The user of the flow, if already identified. */
  readonly user: UserFacts | null;
  readonly context: Readonly<Record<string, Json>>;
  /** Whether the request comes from an outpost, for a client that can only send a password. */
  readonly isByOutpost?: boolean;
}

export interface FlowCandidate extends FlowSummary {
  readonly policybindingmodel_ptr_id: string;
  readonly policy_engine_mode: PolicyMode;
  readonly authentication: string;
}

/** Whether a flow applies to this caller: by its `authentication` setting and the policies bound to it. */
export async function applicableFlow(
  policies: PolicyEngine,
  { flow, call, user, context }: FlowRequest,
): Promise<FlowChoice> {
  const row = flow === null ? null : await loadFlow(call.db.read, flow);
  if (!row) return { outcome: 'missing' };
  const refusal = await loadDenial(policies, row, { call, user, context });
  if (refusal) return { outcome: 'refused', messages: refusal };
  return { outcome: 'applies', flow: { pk: row.pk, slug: row.slug, name: row.name } };
}

/** Why a flow does not apply to this caller, as messages for them (possibly none); null when it applies. */
export async function loadDenial(
  policies: PolicyEngine,
  flow: FlowCandidate,
  { call, user, context, isByOutpost = false }: Omit<FlowRequest, 'flow'>,
): Promise<readonly UserText[] | null> {
  if (!isCallerFit(flow.authentication, call, isByOutpost)) return [];
  const { passing, messages } = await policies.evaluateTarget({
    call,
    request: async () => policyRequest(call, { user, context, obj: { pk: flow.pk, slug: flow.slug, name: flow.name } }),
    targetPk: flow.policybindingmodel_ptr_id,
    mode: flow.policy_engine_mode,
  });
  return passing ? null : messages;
}

/** The message for a caller to whom the flow does not apply. */
export const messageOfDenial = (refusal: readonly UserText[]): UserMessage =>
  sentences(refusal) ?? message('This flow is not for you.');

/** Which of these flows apply to the caller, by key. Without side effects. */
export async function flowsForCaller(
  policies: PolicyEngine,
  pks: readonly string[],
  call: Call,
  user: UserFacts | null,
): Promise<Map<string, FlowSummary>> {
  const rows = await loadFlows(call.db.read, [...new Set(pks)]);
  const fit = rows.filter(({ authentication }) => isCallerFit(authentication, call));
  const targets = fit.map(({ policybindingmodel_ptr_id, policy_engine_mode, pk, slug, name }) => ({
    pk: policybindingmodel_ptr_id,
    mode: policy_engine_mode,
    obj: { pk, slug, name },
  }));
  const request = policyRequest(call, { user });
  const results = await policies.evaluateTargets({ call, request, targets, dryRun: true });
  const open = fit.filter(({ policybindingmodel_ptr_id }) => results.get(policybindingmodel_ptr_id)?.passing);
  return new Map(open.map(({ pk, slug, name }) => [pk, { pk, slug, name }]));
}

async function loadFlow(query: Query, pk: string): Promise<FlowCandidate | null> {
  return (await loadFlows(query, [pk]))[0] ?? null;
}

async function loadFlows(query: Query, pks: readonly string[]): Promise<FlowCandidate[]> {
  if (pks.length === 0) return [];
  const { rows } =
    await sql<FlowCandidate>`select pk, slug, name, policybindingmodel_ptr_id, policy_engine_mode, authentication
    from flows where pk in (${sql.join(pks)}) and enabled`.execute(query);
  return rows;
}

function isCallerFit(authentication: string, { actor }: Call, isByOutpost = false): boolean {
  switch (authentication) {
    case 'none':
      return true;
    case 'require_authenticated':
      return actor !== null;
    case 'require_unauthenticated':
      return actor === null;
    case 'require_superuser':
      return actor?.isSuperuser === true;
    case 'require_outpost':
      return isByOutpost;
    default:
      // What this server cannot verify counts as false.
      return false;
  }
}
