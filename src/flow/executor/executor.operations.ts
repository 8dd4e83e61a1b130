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
import { applicableFlow } from '../applicable-flow.ts';
import { type FlowPlan, planCookie, planTokenOf } from '../plan.ts';
import { ownPath, redirectTo } from './challenge.ts';
import { deniedChallenge, type Executor, type Shown } from './executor.ts';
import type { FlowFacts } from './flow-state.ts';
import { planState } from './planner.ts';
import { answerTypes, challengeTypes } from './schemas.ts';
import type { StageKind } from './stage-kind.ts';
import { type Found, findState, insertState, isKnownToken, replaceState, type StoredState } from './state-store.ts';

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
  const token = await tokenOf(needs, call);
  const found = await findOwnState(needs, call, flow, token);
  const held = found && 'state' in found ? found : await beginOrRefuse(needs, call, flow, token, found);
  // An answer without a question before it is no answer: the first question is shown instead.
  const shown =
    'challenge' in held ? held : await needs.executor.proceed(call, flow, held, held === found ? answer : null);
  const cookies = [planCookie(token, needs.publicUrl).header, ...shown.cookies];
  return { status: 200, body: shown.challenge, headers: { 'set-cookie': cookies, 'cache-control': 'no-store' } };
}

/** The token that this browser was given; a new one in place of none, of one that has ended and of one that was made up. */
async function tokenOf({ key, publicUrl }: Needs, call: Call): Promise<string> {
  const token = planTokenOf(call.request.cookies, publicUrl);
  return token !== null && (await isKnownToken(call.db.read, key, token, call.now)) ? token : randomText(43);
}

/** The walk that is under way, unless it was begun by somebody who is no longer signed in here. */
async function findOwnState({ key }: Needs, call: Call, flow: FlowFacts, token: string): Promise<Found | null> {
  const found = await findState(call.db.read, key, token, flow.pk, call.now);
  if (!found || !('state' in found) || found.state.actor === null) return found;
  return found.state.actor === call.actor?.user.pk ? found : null;
}

async function beginOrRefuse(...beginning: Parameters<typeof begin>): Promise<StoredState | Shown> {
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
  flow: FlowFacts,
  token: string,
  planned: Found | null,
): Promise<StoredState | Shown> {
  const query = Object.fromEntries(new URLSearchParams(call.request.query.get('query') ?? ''));
  const pk = call.actor?.user.pk ?? null;
  const start = { query, next: ownPath(query.next ?? null, needs.publicUrl), actor: pk };
  if (planned && 'unbegun' in planned) {
    const state = await planState(needs.policies, call, flow, planned.unbegun, start);
    const kept = await call.db.write((tx) => replaceState(tx, needs.key, planned, state, call.now));
    return kept ?? { challenge: redirectTo(call.request.path), cookies: [] };
  }
  const user = pk === null ? null : await loadUserFacts(call, call.db.read, pk);
  const choice = await applicableFlow(needs.policies, { flow: flow.pk, call, user, context: {} });
  if (choice.outcome !== 'applies') {
    const message = choice.outcome === 'refused' ? choice.messages.join(' ') : '';
    return { challenge: deniedChallenge(flow, message || 'This flow is not for you.', start.next), cookies: [] };
  }
  const plan: FlowPlan = {
    flow: { pk: flow.pk, slug: flow.slug },
    sso: false,
    source: null,
    pending_user: pk,
    prompt_data: {},
    append: [],
  };
  const state = await planState(needs.policies, call, flow, plan, start);
  return call.db.write((tx) => insertState(tx, needs.key, token, state, call.now));
}

async function loadFlow(query: Query, slug: string): Promise<FlowFacts | null> {
  if (!isStorable(slug)) return null;
  const { rows } = await sql<FlowFacts>`select pk, slug, name, title, designation, background, layout, denied_action
    from flows where slug = ${slug}`.execute(query);
  return rows[0] ?? null;
}
