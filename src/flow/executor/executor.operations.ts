import { languageOf } from '../../core/brand/language.ts';
import { loadUserFacts } from '../../core/mapping/user-facts.ts';
import { checkOwnPage } from '../../core/session/own-origin.ts';
import { isJsonObject } from '../../lib/json.ts';
import { ownPath } from '../../lib/own-path.ts';
import { Invalid, Problem } from '../../lib/problem.ts';
import type { InstanceKey } from '../../platform/keys.ts';
import type { PolicyEngine } from '../../policy/engine.ts';
import { inBrowser } from '../../resource/access/credentials.ts';
import { authenticateAgain, NotRecentlyAuthenticated } from '../../resource/access/recent-authentication.ts';
import type { Call, Reply } from '../../resource/call.ts';
import type { Method, Operation } from '../../resource/document/operation.ts';
import type { Row } from '../../resource/fields/field.ts';
import { typeName } from '../../resource/fields/well-formed.ts';
import { loadDenial, messageOfDenial } from '../applicable-flow.ts';
import { endedPlanCookie, parsePlanCookies, planCookies, sharedAttempt } from '../attempt.ts';
import { createPlan } from '../plan.ts';
import { deniedChallenge, flowPage, redirectTo, withReturnLink } from './challenge.ts';
import type { Executor, ExecutorReply } from './executor.ts';
import { findStoredPlan, findWalkOfFlow } from './find-walk.ts';
import type { FlowReads, StoredFlow } from './flow-reads.ts';
import { signFlowStart } from './flow-start.ts';
import type { Start } from './flow-state.ts';
import { followLink } from './open-link.ts';
import { deniedUserMembers } from './pending-user.ts';
import { planState } from './planner.ts';
import { answerTypes, challengeTypes } from './schemas.ts';
import type { StageKind } from './stage-kind.ts';
import { type ActiveWalk, type StoredWalk, saveState } from './state-store.ts';
import { translatedChallenge } from './translate-challenge.ts';

interface Dependencies {
  readonly key: InstanceKey;
  readonly policies: PolicyEngine;
  readonly executor: Executor;
  readonly flows: FlowReads;
  readonly publicUrl: string;
  readonly kinds: readonly StageKind[];
}

/**
 * `GET` returns the current challenge and starts a walk if needed; `POST` sends an answer. Open to anonymous callers:
 * flows have policies of their own.
 */
export function executorOperations(needs: Dependencies): Operation[] {
  const { union, schemas } = challengeTypes(needs.kinds);
  const common = {
    path: '/flows/executor/{flow_slug}/',
    tag: 'flows',
    anonymous: true,
    // Tokens cannot run flows: passwords, second factors and consent require a person.
    credentials: inBrowser,
    parameters: [
      { name: 'flow_slug', in: 'path', schema: { type: 'string' }, required: true },
      {
        name: 'query',
        in: 'query',
        schema: { type: 'string' },
        description: 'The query string of the page that shows the flow.',
      },
    ],
    answer: { status: 200, schema: { name: 'ChallengeTypes', schema: union } },
    schemas,
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
      method: 'POST' satisfies Method,
      summary: 'Answer the challenge of a flow',
      body: { schema: { name: 'FlowChallengeResponseRequest', schema: answerTypes(needs.kinds) } },
      handle: (call) => serve(needs, call, answerOf(call)),
    },
  ];
}

function answerOf(call: Call): Row {
  const body = call.body();
  if (!isJsonObject(body)) throw Invalid.whole(`Invalid data. Expected a dictionary, but got ${typeName(body)}.`);
  return { ...body };
}

async function serve(needs: Dependencies, call: Call, answer: Row | null): Promise<Reply> {
  const { executor, key, publicUrl } = needs;
  // Stages without a screen act at once: one of them signs the user out (CSRF).
  checkOwnPage(call.request);
  const pageQuery = call.request.query.get('query') ?? '';
  const plans = parsePlanCookies(call.request.cookies, publicUrl);
  // First: it brings the stamp along, which what follows needs.
  const first = await findStoredPlan(key, call, plans, pageQuery);
  const read = await needs.flows.read(call.db, call.params.flow_slug ?? '');
  if (!read) throw new Problem('not_found');
  // Before anything is written: caches are fresh then.
  const language = await languageOf(call);
  const carried = await findWalkOfFlow(key, call, read, first, pageQuery === '' ? plans : []);
  const { attempt, found, opening, token } = carried;
  const flow: StoredFlow = { ...withReturnLink(read, call), attempt };
  // The query of the current page applies; clients that do not send it continue with that of the first page.
  const query = pageQuery === '' && opening ? opening.query : pageQuery;
  const linkToken = linkTokenOf(needs, pageQuery, found);
  const stored =
    linkToken === null
      ? await findOrStartWalk(needs, {
          ...{ call, flow, token, found },
          start: startOf(needs, call, query),
          isPageOpened: answer === null,
        })
      : await followLink(needs, call, flow, {
          ...{ linkToken, token, answer, start: startOf(needs, call, pageQuery) },
          shared: plans.find((plan) => plan.attempt === sharedAttempt)?.token ?? null,
        });
  // An answer without a preceding challenge is ignored: the first challenge is returned instead.
  const isAsked = linkToken === null && (opening !== null || (found !== null && 'state' in found));
  const reply = 'challenge' in stored ? stored : await proceed(needs, call, flow, stored, isAsked ? answer : null);
  let proof = carried.otherOpening;
  if (reply.isOpening && 'state' in stored) {
    proof = signFlowStart(key, token, { flow: flow.pk, query }, call.now, attempt);
    if (proof === null) await executor.store(call, stored);
  }
  const cookies = [...cookiesOf(needs, call, attempt, reply, proof), ...reply.cookies];
  return {
    status: 200,
    body: translatedChallenge(reply.challenge, language),
    headers: { 'set-cookie': cookies, 'cache-control': 'no-store' },
  };
}

function cookiesOf(
  { publicUrl }: Dependencies,
  call: Call,
  attempt: string,
  { token, isOver }: ExecutorReply,
  opening: string | null,
): string[] {
  if (token === null) return [];
  // The shared one may hold walks through other flows.
  if (isOver && attempt !== sharedAttempt) return [endedPlanCookie(attempt, publicUrl)];
  return planCookies(call, publicUrl, { attempt, token, opening });
}

/** `GET` redirects to reauthentication; answers are rejected instead, so that pages keep what was entered. */
async function proceed(
  { executor }: Dependencies,
  call: Call,
  flow: StoredFlow,
  stored: ActiveWalk,
  answer: Row | null,
): Promise<ExecutorReply> {
  try {
    return await executor.proceed(call, flow, wantedBy(call, stored), answer);
  } catch (error) {
    if (!(error instanceof NotRecentlyAuthenticated) || call.request.method === 'POST') throw error;
    const query = call.request.query.get('query') ?? '';
    const to = authenticateAgain(`${flowPage(flow.slug)}${query && `?${query}`}`);
    return { challenge: redirectTo(to), cookies: [], token: stored.version === 0 ? null : stored.token };
  }
}

/** A POST of a session carries its CSRF token, so it shows that the user wants to go on. */
function wantedBy({ request, actor }: Call, stored: ActiveWalk): ActiveWalk {
  const { isOpened, ...plan } = stored.state.plan;
  if (!isOpened || !actor || request.method !== 'POST') return stored;
  return { ...stored, state: { ...stored.state, plan } };
}

/** The token of the link that opened the page, unless the current walk already came from it. */
function linkTokenOf({ key }: Dependencies, pageQuery: string, found: StoredWalk | null): string | null {
  if (pageQuery === '') return null;
  const token = new URLSearchParams(pageQuery).get('flow_token');
  const cameByIt = token !== null && found !== null && 'state' in found && found.state.link === key.hash(token);
  return cameByIt ? null : token;
}

function startOf({ publicUrl }: Dependencies, call: Call, pageQuery: string): Start {
  const query: Record<string, string> = pageQuery === '' ? {} : Object.fromEntries(new URLSearchParams(pageQuery));
  return { query, next: ownPath(query.next ?? null, publicUrl), actor: call.actor?.user.pk ?? null };
}

interface FlowRequest {
  readonly call: Call;
  readonly flow: StoredFlow;
  readonly token: string;
  readonly found: StoredWalk | null;
  readonly start: Start;
  /** Reads the challenge instead of sending an answer. */
  readonly isPageOpened: boolean;
}

async function findOrStartWalk(needs: Dependencies, request: FlowRequest): Promise<ActiveWalk | ExecutorReply> {
  const { call, flow, token, found } = request;
  if (found && 'state' in found) return leadingTo(needs, found, request);
  try {
    return await begin(needs, request);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const whom = await deniedUserMembers(call, null);
    return { challenge: deniedChallenge(flow, error.words, null, whom), cookies: [], token };
  }
}

/**
 * A walk redirects to the `next` of the page that sends the request: tabs may share the walk. A page without a query,
 * or of an attempt without `next`, changes nothing: the plan decides.
 */
async function leadingTo(
  { key }: Dependencies,
  stored: ActiveWalk,
  { call, flow: { attempt }, start: { next, query }, isPageOpened }: FlowRequest,
): Promise<ActiveWalk> {
  const isSaid = next !== null || (attempt === sharedAttempt && Object.keys(query).length > 0);
  if (!isSaid || next === stored.state.next) return stored;
  const led = { ...stored, state: { ...stored.state, next, query } };
  // An answer contains the query of its page, which is stored with it.
  if (!isPageOpened) return led;
  return (await call.db.write((tx) => saveState(tx, key, stored, led, call))) ?? led;
}

/** Starts a walk: from a plan prepared for this browser, or at the visitor's request if the flow applies to them. */
async function begin(
  needs: Dependencies,
  { call, flow, token, found: planned, start }: FlowRequest,
): Promise<ActiveWalk | ExecutorReply> {
  const pk = start.actor;
  if (planned && 'unbegun' in planned) {
    const state = await planState(needs, call, flow, planned.unbegun, start);
    const saved = await call.db.write((tx) => saveState(tx, needs.key, planned, { state }, call));
    return saved ?? { challenge: redirectTo(flowPage(flow.slug, null, flow.attempt)), cookies: [], token };
  }
  const user = pk === null ? null : await loadUserFacts(call.db.read, pk);
  const refusal = await loadDenial(needs.policies, flow, { call, user, context: {} });
  if (refusal) {
    const whom = await deniedUserMembers(call, null);
    return { challenge: deniedChallenge(flow, messageOfDenial(refusal), start.next, whom), cookies: [], token };
  }
  return {
    token,
    version: 0,
    state: await planState(needs, call, flow, openedPlan(flow, pk), start),
  };
}

const openedPlan = (flow: StoredFlow, pk: number | null) =>
  createPlan(flow, isEnrolment(flow) ? null : pk, pk === null ? {} : { isOpened: true });

/** An enrolment always creates a new user, so it must not start with the caller as its user. */
const isEnrolment = ({ designation }: StoredFlow): boolean => designation === 'enrollment';
