import { sql } from 'kysely';
import { usersIn } from '../../core/directory/users.ts';
import { loadUserFacts, type UserFacts } from '../../core/mapping/user-facts.ts';
import { Problem } from '../../lib/problem.ts';
import type { InstanceKey } from '../../platform/keys.ts';
import { holdsOn, isVisible } from '../../resource/access/access.ts';
import { type Call, requireActor } from '../../resource/call.ts';
import { arrayOf, booleanSchema, objectSchema, orNull, stringSchema } from '../../resource/document/json-schema.ts';
import { defineEndpoint, type Endpoint } from '../../resource/endpoint.ts';
import type { Row } from '../../resource/fields/field.ts';
import { selectOne, showRow } from '../../resource/read/read.ts';
import type { Engine } from '../../resource/resource.ts';
import { masked } from '../../resource/write/audit.ts';
import { type PlanCookie, parsePlanCookies } from '../attempt.ts';
import { flowModel, stageBindingModel } from '../models.ts';
import type { FlowReads, StoredFlow } from './flow-reads.ts';
import type { FlowContext, FlowState, PlannedStage } from './flow-state.ts';
import { findWalks } from './state-store.ts';

interface Dependencies {
  readonly key: InstanceKey;
  readonly flows: FlowReads;
  readonly config: { readonly publicUrl: string };
}

const bindingOrNull = orNull({ $ref: '#/components/schemas/FlowStageBinding' });
const planSchema = objectSchema({
  current_stage: bindingOrNull,
  next_planned_stage: bindingOrNull,
  plan_context: { type: 'object', additionalProperties: true },
  session_id: stringSchema,
});

/** Shows administrators the state of their own walk, for debugging flows. */
export function inspectorEndpoint({ key, flows, config }: Dependencies): Endpoint {
  return defineEndpoint({
    id: 'flows_inspector_get',
    method: 'GET',
    path: '/flows/inspector/{flow_slug}/',
    summary: 'Inspect the caller’s own walk through a flow',
    access: async ({ call, engine }) => checkMayInspect(engine, call, await flows.read(call.db, slugOf(call))),
    answer: {
      status: 200,
      schema: {
        type: 'object',
        properties: { plans: arrayOf(planSchema), current_plan: planSchema, is_completed: booleanSchema },
        required: ['plans', 'is_completed'],
      },
      schemaName: 'FlowInspection',
    },
    async run({ call, engine }) {
      const flow = await flows.read(call.db, slugOf(call));
      if (!flow) throw new Problem('not_found');
      const walk = await findOwnWalk(key, call, flow, parsePlanCookies(call.request.cookies, config.publicUrl));
      if (!walk) throw new Problem('bad_request', 'You are on no walk through this flow.');
      const plans: Row[] = [];
      for (let at = 0; at <= walk.at; at++) plans.push(await planOf(engine, call, walk, at));
      return { plans, current_plan: plans.at(-1), is_completed: false };
    },
  });
}

/** The caller's own walk, and no other: the shared one, else the one that was used last. */
async function findOwnWalk(
  key: InstanceKey,
  call: Call,
  flow: StoredFlow,
  plans: readonly PlanCookie[],
): Promise<FlowState | null> {
  for (const { token } of plans) {
    const found = (await findWalks(call, key, token)).through(flow.pk);
    if (found && 'state' in found && found.state.actor === call.actor?.user.pk) return found.state;
  }
  return null;
}

const slugOf = ({ params }: Call): string => params.flow_slug ?? '';

async function checkMayInspect(engine: Engine, call: Call, flow: StoredFlow | null): Promise<void> {
  const actor = requireActor(call);
  const permission = 'svc_flows.inspect_flow';
  if (!flow) throw actor.holds(permission) ? new Problem('not_found') : Problem.lacks(permission);
  const flowResource = engine.registry.require(flowModel);
  if (!(await holdsOn(actor, permission, flowResource, flow.pk, call.db.read))) throw Problem.lacks(permission);
}

async function planOf(engine: Engine, call: Call, walk: FlowState, at: number): Promise<Row> {
  return {
    current_stage: await bindingOf(engine, call, walk.stages[at]),
    next_planned_stage: await bindingOf(engine, call, walk.stages[at + 1]),
    plan_context: at === walk.at ? await contextOf(engine, call, walk.context) : {},
    session_id: '',
  };
}

async function bindingOf(engine: Engine, call: Call, stage: PlannedStage | undefined): Promise<Row | null> {
  if (!stage) return null;
  const resource = engine.registry.require(stageBindingModel);
  const condition = sql`${resource.row().col('pk')} = ${stage.binding}`;
  const found = await selectOne({ engine, resource, call, tx: call.db.read }, [condition]);
  return found && showRow(engine, resource, call, found.raw);
}

/**
 * Whose walk it is. Any name can be typed into one's own walk, so other users are shown only to those who may see them.
 */
async function shownUser({ registry }: Engine, call: Call, pk: number | null): Promise<UserFacts | null> {
  if (pk === null) return null;
  const isShown = pk === call.actor?.user.pk || (await isVisible(usersIn(registry), pk, call, registry));
  return isShown ? loadUserFacts(call.db.read, pk) : null;
}

/** Members without secrets or personal input. */
const open = ['auth_method', 'is_sso', 'mfa_devices', 'is_restored', 'show_matched_user'] as const;

/** Masks everything else: forms may hold passwords, stages codes and keys. */
async function contextOf(engine: Engine, call: Call, context: FlowContext): Promise<Row> {
  const user = await shownUser(engine, call, context.pending_user);
  const visible: Row = Object.fromEntries(Object.keys(context).map((name) => [name, masked]));
  for (const name of open) if (name in context) visible[name] = context[name];
  return {
    ...visible,
    pending_user: user && { pk: user.pk, username: user.username, name: user.name, email: user.email },
    prompt_data: Object.fromEntries(Object.keys(context.prompt_data).map((name) => [name, masked])),
    source: context.source && { pk: context.source.pk, slug: context.source.slug, name: context.source.name },
  };
}
