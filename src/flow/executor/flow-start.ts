import { equalInConstantTime } from '../../lib/constant-time.ts';
import { isSameJson } from '../../lib/json.ts';
import { addMilliseconds } from '../../platform/clock.ts';
import type { InstanceKey } from '../../platform/keys.ts';
import { sharedAttempt } from '../attempt.ts';
import { type FlowState, firstContext } from './flow-state.ts';

const lifetimeMs = 30 * 60_000;
/** Browsers store cookies of up to 4,096 bytes, names and attributes included. */
const maxOpeningLength = 3_000;
/** A browser may hold several attempts, whose cookies all have to fit into the head of a request. */
const maxAttemptLength = 400;

/** Proof that a browser was shown the first challenge of a flow, and on which page. */
export interface FlowStart {
  readonly flow: string;
  /** The query string of the page. */
  readonly query: string;
}

/**
 * A signed proof for the browser instead of a stored walk, so that visitors who do not answer store nothing. The walk
 * begins with the first answer. Null if the page's query is too long for a cookie.
 */
export function signFlowStart(
  key: InstanceKey,
  token: string,
  { flow, query }: FlowStart,
  now: string,
  attempt = sharedAttempt,
): string | null {
  const content = Buffer.from(`${flow} ${now} ${query}`).toString('base64url');
  if (content.length > (attempt === sharedAttempt ? maxOpeningLength : maxAttemptLength)) return null;
  return `${content}~${proofOf(key, token, content)}`;
}

/** Reads a proof; null if this server did not sign it for this token, or if it has expired. */
export function verifyFlowStart(key: InstanceKey, token: string, signed: string, now: string): FlowStart | null {
  const [content = '', signature = ''] = signed.split('~');
  if (!equalInConstantTime(proofOf(key, token, content), signature)) return null;
  const text = Buffer.from(content, 'base64url').toString();
  const [flow = '', shownAt = ''] = text.split(' ', 2);
  const query = text.slice(flow.length + shownAt.length + 2);
  return addMilliseconds(shownAt, lifetimeMs) > now ? { flow, query } : null;
}

// A keyed hash with a context of its own: cheaper than a signature, and every visitor's first request makes one.
const proofOf = (key: InstanceKey, token: string, content: string): string =>
  key.hash(`flow opening:${token}.${content}`);

/**
 * Whether a walk can be rebuilt from nothing at the first answer. The proof can be replayed, so a first step with a
 * single-use memory is stored instead.
 */
export const isRebuildable = ({ plan, context, memory }: FlowState): boolean =>
  isSameJson(memory, {}) && isSameJson(context, firstContext(plan));
