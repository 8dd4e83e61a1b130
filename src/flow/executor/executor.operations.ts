import { sql } from 'kysely';
import { loadUserFacts } from '../../core/mapping/user-facts.ts';
import { Invalid, Problem } from '../../lib/problem.ts';
import type { Query } from '../../platform/db/database.ts';
import type { InstanceKey } from '../../platform/keys.ts';
import { randomText } from '../../platform/random.ts';
import type { PolicyEngine } from '../../policy/engine.ts';
import type { Call, Reply } from '../../resource/call.ts';
import type { Row } from '../../resource/fields/field.ts';
import { isStorable, typeName } from '../../resource/fields/well-formed.ts';
import type { Method, Operation } from '../../resource/operation.ts';
import { type AskedFlow, refusalOf } from '../applicable-flow.ts';
import { carriedBy, type FlowPlan, planCookie } from '../plan.ts';
import { ownPath, redirectTo } from './challenge.ts';
import { deniedChallenge, type Executor, type Shown } from './executor.ts';
import type { FlowFacts } from './flow-state.ts';
import { readOpening } from './opening.ts';
import { planState } from './planner.ts';
import { answerTypes, challengeTypes } from './schemas.ts';
import type { StageKind } from './stage-kind.ts';
import { deleteState, type Found, findState, type HeldState, keepState } from './state-store.ts';

interface Needs {
  readonly key: InstanceKey;
  readonly policies: PolicyEngine;
  readonly executor: Executor;
  readonly publicUrl: string;
  readonly kinds: readonly StageKind[];
}

/** `GET` shows where a person stands in a flow, and begins it; `POST` takes their answer. Anybody may: the flow decides. */
export function executorOperations(needs: Needs): Operation[] {
  const common = {
    path: '/flows/executor/{flow_slug}/',
    tag: 'flows',
    anonymous: true,
    parameters: [
      { name: 'flow_slug', in: 'path', schema: { type: 'string' }, required: true },
      {
        name: 'query',
        in: 'query',
        schema: { type: 'string' },
        description: 'The query string of the page that shows the flow.',
      },
    ],
    answer: { status: 200, schema: { name: 'ChallengeTypes', schema: challengeTypes(needs.kinds) } },
  } as const;
  return [
    {
      ...common,
      id: 'flows_executor_get',
      method: 'GET',
      summary: 'Read the challenge of a flow',
      handle: (call) => serve(needs, call, null),
    },
    {
      ...common,
      id: 'flows_executor_solve',
      method: 'POST' as Method,
      summary: 'Answer the challenge of a flow',
      body: { schema: { name: 'FlowChallengeResponseRequest', schema: answerTypes(needs.kinds) } },
      handle: (call) => serve(needs, call, answerOf(call)),
    },
  ];
}

function answerOf(call: Call): Row {
  const body = call.body();
  if (typeName(body) !== 'dict') throw Invalid.whole(`Invalid data. Expected a dictionary, but got ${typeName(body)}.`);
  return body as Row;
}

async function serve(needs: Needs, call: Call, answer: Row | null): Promise<Reply> {
  const flow = await loadFlow(call.db.read, call.params.flow_slug ?? '');
  if (!flow) throw new Problem('not_found');
  const carried = await carriedWalk(needs, call, flow);
  const { found, token } = carried;
  const held = found && 'state' in found ? found : await beginOrRefuse(needs, call, flow, token, found);
  // An answer without a question before it is no answer: the first question is shown instead.
  const shown =
    'challenge' in held ? held : await needs.executor.proceed(call, flow, held, held === found ? answer : null);
  const opening = shown.opening ?? carried.otherOpening;
  const cookies = [planCookie(token, needs.publicUrl, opening).header, ...shown.cookies];
  return { status: 200, body: shown.challenge, headers: { 'set-cookie': cookies, 'cache-control': 'no-store' } };
}

interface Carried {
  /** The one that this browser was given; a new one in place of none, of one that has ended and of one that was made up. */
  readonly token: string;
  readonly found: Found | null;
  /** What the browser keeps of another flow, to be kept on. */
  readonly otherOpening: string | null;
}

/** The walk through this flow that a browser comes with. */
async function carriedWalk({ key, publicUrl }: Needs, call: Call, flow: FlowFacts): Promise<Carried> {
  const carried = carriedBy(call.request.cookies, publicUrl);
  if (!carried) return { token: randomText(43), found: null, otherOpening: null };
  const opening = carried.opening === null ? null : readOpening(key, carried.opening, call.now);
  const isOpened = opening?.token === carried.token;
  const { isKnown, found } = await findState(call.db.read, key, carried.token, flow.pk, call.now);
  const token = isKnown || isOpened ? carried.token : randomText(43);
  const isOfFlow = isOpened && opening.state.plan.flow.pk === flow.pk;
  const otherOpening = isOpened && !isOfFlow ? carried.opening : null;
  if (found) return { token, found: await ownWalk(key, call, flow, found), otherOpening };
  // What was opened by nobody in particular is no walk of somebody who has signed in since.
  const isOpen = isOfFlow && call.actor === null;
  return { token, found: isOpen ? { token, version: 0, state: opening.state } : null, otherOpening };
}

/** A walk that was begun by somebody who is no longer signed in here is over. */
async function ownWalk(key: InstanceKey, call: Call, flow: FlowFacts, found: Found): Promise<Found | null> {
  if (!('state' in found) || found.state.actor === null) return found;
  if (found.state.actor === call.actor?.user.pk) return found;
  await call.db.write((tx) => deleteState(tx, key, found, flow.pk));
  return null;
}

async function beginOrRefuse(...beginning: Parameters<typeof begin>): Promise<HeldState | Shown> {
  try {
    return await begin(...beginning);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { challenge: deniedChallenge(beginning[2], error.message, null), cookies: [] };
  }
}

/** Begins a walk: by a plan that was made for this browser, or by one's own wish if the flow is for this caller at all. */
async function begin(
  needs: Needs,
  call: Call,
  flow: FlowFacts & AskedFlow,
  token: string,
  planned: Found | null,
): Promise<HeldState | Shown> {
  const query = Object.fromEntries(new URLSearchParams(call.request.query.get('query') ?? ''));
  const pk = call.actor?.user.pk ?? null;
  const start = { query, next: ownPath(query.next ?? null, needs.publicUrl), actor: pk };
  if (planned && 'unbegun' in planned) {
    const state = await planState(needs.policies, call, flow, planned.unbegun, start);
    const kept = await call.db.write((tx) => keepState(tx, needs.key, planned, state, call));
    return kept ?? { challenge: redirectTo(call.request.path), cookies: [] };
  }
  const user = pk === null ? null : await loadUserFacts(call, call.db.read, pk);
  const refusal = await refusalOf(needs.policies, flow, { call, user, context: {} });
  if (refusal) {
    const message = refusal.join(' ') || 'This flow is not for you.';
    return { challenge: deniedChallenge(flow, message, start.next), cookies: [] };
  }
  const plan: FlowPlan = {
    flow: { pk: flow.pk, slug: flow.slug },
    sso: false,
    source: null,
    pending_user: pk,
    prompt_data: {},
    append: [],
  };
  return { token, version: 0, state: await planState(needs.policies, call, flow, plan, start) };
}

async function loadFlow(query: Query, slug: string): Promise<(FlowFacts & AskedFlow) | null> {
  if (!isStorable(slug)) return null;
  const { rows } = await sql<FlowFacts & AskedFlow>`select pk, slug, name, title, designation, background, layout,
    denied_action, authentication, policy_engine_mode, policybindingmodel_ptr_id from flows where slug = ${slug}`.execute(
    query,
  );
  return rows[0] ?? null;
}
