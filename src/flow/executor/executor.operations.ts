import { languageOf } from '../../core/brand/language.ts';
import { loadUserFacts } from '../../core/mapping/user-facts.ts';
import { checkOwnPage } from '../../core/session/own-origin.ts';
import { isJsonObject } from '../../lib/json.ts';
import { ownPath } from '../../lib/own-path.ts';
import { Invalid, Problem } from '../../lib/problem.ts';
import type { InstanceKey } from '../../platform/keys.ts';
import { randomToken } from '../../platform/random.ts';
import type { PolicyEngine } from '../../policy/engine.ts';
import type { Call, Reply } from '../../resource/call.ts';
import { inBrowser } from '../../resource/credentials.ts';
import type { Row } from '../../resource/fields/field.ts';
import { typeName } from '../../resource/fields/well-formed.ts';
import type { Method, Operation } from '../../resource/operation.ts';
import { refusalOf, wordsOf } from '../applicable-flow.ts';
import { carriedBy, planCookie, planThrough } from '../plan.ts';
import { deniedChallenge, flowPage, redirectTo, withWayBack } from './challenge.ts';
import type { Executor, ExecutorReply } from './executor.ts';
import type { FlowReads, StoredFlow } from './flow-reads.ts';
import { type ExecutorFlow, type FlowContext, firstContext, notedPassword, type Start } from './flow-state.ts';
import { followLink } from './open-link.ts';
import { type Opening, readOpening, signOpening } from './opening.ts';
import { deniedUserMembers, loadPendingUser } from './pending-user.ts';
import { planState } from './planner.ts';
import { answerTypes, challengeTypes } from './schemas.ts';
import type { StageKind } from './stage-kind.ts';
import {
  type ActiveWalk,
  type BrowserWalks,
  deleteState,
  findWalks,
  nullIfOvertaken,
  type StoredWalk,
  saveState,
} from './state-store.ts';
import { translatedChallenge } from './translate-challenge.ts';

interface Needs {
  readonly key: InstanceKey;
  readonly policies: PolicyEngine;
  readonly executor: Executor;
  readonly flows: FlowReads;
  readonly publicUrl: string;
  readonly kinds: readonly StageKind[];
}

/**
 * `GET` shows the current challenge and starts a walk if needed; `POST` takes an answer. Open to anonymous callers: the
 * flow decides.
 */
export function executorOperations(needs: Needs): Operation[] {
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

async function serve(needs: Needs, call: Call, answer: Row | null): Promise<Reply> {
  const { executor, key, publicUrl } = needs;
  // Stages that ask nothing act at once: one of them signs people out.
  checkOwnPage(call.request);
  // First: it brings the stamp along, which what follows needs.
  const inCookie = carriedBy(call.request.cookies, publicUrl);
  // With the proof of an opening, nothing is stored for its flow yet.
  const held = inCookie && {
    ...inCookie,
    walks: await findWalks(call, key, inCookie.token, inCookie.opening === null),
  };
  const read = await needs.flows.read(call.db, call.params.flow_slug ?? '');
  if (!read) throw new Problem('not_found');
  const flow = withWayBack(read, call);
  // Before anything is written: caches are fresh then.
  const language = await languageOf(call);
  const carried = held ? await carriedWalk(needs, call, flow, held) : nothingCarried();
  const { found, opening, token } = carried;
  const pageQuery = call.request.query.get('query') ?? '';
  // Reopening the page replaces the query of the walk.
  const query = answer === null && pageQuery !== '' ? pageQuery : (opening?.query ?? pageQuery);
  const linkToken = linkTokenOf(needs, pageQuery, found);
  const stored =
    linkToken === null
      ? await heldOrBegun(needs, call, flow, token, found, startOf(needs, call, query), answer === null)
      : await followLink(needs, call, flow, { linkToken, token, answer, start: startOf(needs, call, pageQuery) });
  // Without a challenge before it, an answer is ignored: the first challenge is shown instead.
  const isAsked = linkToken === null && (opening !== null || stored === found);
  const reply = 'challenge' in stored ? stored : await executor.proceed(call, flow, stored, isAsked ? answer : null);
  let proof = carried.otherOpening;
  if (reply.isOpening && 'state' in stored) {
    proof = signOpening(key, token, { flow: flow.pk, query }, call.now);
    if (proof === null) await executor.store(call, stored);
  }
  const own = reply.token === null ? [] : [planCookie(reply.token, publicUrl, proof).header];
  const cookies = [...own, ...reply.cookies];
  return {
    status: 200,
    body: translatedChallenge(reply.challenge, language),
    headers: { 'set-cookie': cookies, 'cache-control': 'no-store' },
  };
}

/** The token of the link that opened the page, unless the current walk already came from it. */
function linkTokenOf({ key }: Needs, pageQuery: string, found: StoredWalk | null): string | null {
  if (pageQuery === '') return null;
  const token = new URLSearchParams(pageQuery).get('flow_token');
  const cameByIt = token !== null && found !== null && 'state' in found && found.state.link === key.hash(token);
  return cameByIt ? null : token;
}

function startOf({ publicUrl }: Needs, call: Call, pageQuery: string): Start {
  const query: Record<string, string> = pageQuery === '' ? {} : Object.fromEntries(new URLSearchParams(pageQuery));
  return { query, next: ownPath(query.next ?? null, publicUrl), actor: call.actor?.user.pk ?? null };
}

interface Carried {
  /** The browser's token; a new one if it has none, or one that expired or was forged. */
  readonly token: string;
  readonly found: StoredWalk | null;
  /** Proof that the first challenge of this flow was shown, if no walk is stored. */
  readonly opening: Opening | null;
  /** The proof for another flow, to be sent back unchanged. */
  readonly otherOpening: string | null;
}

const nothingCarried = (): Carried => ({ token: randomToken(), found: null, opening: null, otherOpening: null });

/** What a browser's cookie says, and the walks that are stored for it. */
type Held = NonNullable<ReturnType<typeof carriedBy>> & { readonly walks: BrowserWalks };

/** What the browser presents: a walk through this flow, or proof that it was shown the first challenge. */
async function carriedWalk({ key }: Needs, call: Call, flow: ExecutorFlow, carried: Held): Promise<Carried> {
  const proof = carried.opening === null ? null : readOpening(key, carried.token, carried.opening, call.now);
  const { walks } = carried;
  const found = walks.through(flow.pk);
  const token = walks.isKnown || proof ? carried.token : randomToken();
  const otherOpening = proof && proof.flow !== flow.pk ? carried.opening : null;
  if (found) return { token, found: await ownWalk(key, call, flow, found), opening: null, otherOpening };
  // A challenge shown to an anonymous visitor is void once they have signed in.
  const opening = proof?.flow === flow.pk && call.actor === null ? proof : null;
  return { token, found: null, opening, otherOpening };
}

/** A walk ends with the session of the person who started it, and what it has proven with the password of that time. */
async function ownWalk(
  key: InstanceKey,
  call: Call,
  flow: ExecutorFlow,
  found: StoredWalk,
): Promise<StoredWalk | null> {
  const { actor, context } = 'state' in found ? found.state : { actor: null, context: firstContext(found.unbegun) };
  const isTheirs = actor === null || actor === call.actor?.user.pk;
  if (isTheirs && !(await hasNewPassword(call, context))) return found;
  await call.db.write((tx) => deleteState(tx, key, found, flow.pk)).catch(nullIfOvertaken);
  return null;
}

/** Whether the user has changed the password since the walk proved who they are, as they do when somebody else knows it. */
async function hasNewPassword(call: Call, context: FlowContext): Promise<boolean> {
  const noted = notedPassword(context);
  const user = noted === null ? null : await loadPendingUser(call, context);
  return user !== null && user.password_change_date !== noted;
}

async function heldOrBegun(
  needs: Needs,
  call: Call,
  flow: StoredFlow,
  token: string,
  found: StoredWalk | null,
  start: Start,
  isPageOpened: boolean,
): Promise<ActiveWalk | ExecutorReply> {
  if (found && 'state' in found) return isPageOpened ? leadingTo(needs, call, found, start) : found;
  try {
    return await begin(needs, call, flow, token, found, start);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const whom = await deniedUserMembers(call, null);
    return { challenge: deniedChallenge(flow, error.message, null, whom), cookies: [], token };
  }
}

/** A resumed walk leads to the new `next`. */
async function leadingTo({ key }: Needs, call: Call, stored: ActiveWalk, { next, query }: Start): Promise<ActiveWalk> {
  if (next === null || next === stored.state.next) return stored;
  const state = { ...stored.state, next, query };
  return (await call.db.write((tx) => saveState(tx, key, stored, state, call))) ?? stored;
}

/** Starts a walk: from a plan prepared for this browser, or at the visitor's request if the flow applies to them. */
async function begin(
  needs: Needs,
  call: Call,
  flow: StoredFlow,
  token: string,
  planned: StoredWalk | null,
  start: Start,
): Promise<ActiveWalk | ExecutorReply> {
  const pk = start.actor;
  if (planned && 'unbegun' in planned) {
    const state = await planState(needs, call, flow, planned.unbegun, start);
    const saved = await call.db.write((tx) => saveState(tx, needs.key, planned, state, call));
    return saved ?? { challenge: redirectTo(flowPage(flow.slug)), cookies: [], token };
  }
  const user = pk === null ? null : await loadUserFacts(call, call.db.read, pk);
  const refusal = await refusalOf(needs.policies, flow, { call, user, context: {} });
  if (refusal) {
    const whom = await deniedUserMembers(call, null);
    return { challenge: deniedChallenge(flow, wordsOf(refusal), start.next, whom), cookies: [], token };
  }
  return {
    token,
    version: 0,
    state: await planState(needs, call, flow, planThrough(flow, isEnrolment(flow) ? null : pk), start),
  };
}

/** An enrolment always creates a new user, so it must not start with the caller as its user. */
const isEnrolment = ({ designation }: StoredFlow): boolean => designation === 'enrollment';
