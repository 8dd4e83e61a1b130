import { flowPage } from '../../../flow/executor/challenge.ts';
import { deny, type Move, next, type Step } from '../../../flow/executor/stage-kind.ts';
import { Problem } from '../../../lib/problem.ts';
import type { InstanceKey } from '../../../platform/keys.ts';
import { randomToken } from '../../../platform/random.ts';
import type { SignInNeeds } from '../../../source/sign-in.ts';
import type { SourceRow } from '../../../source/source.family.ts';
import type { SourceKind, SourceProof } from '../../../source/source-kind.ts';
import { arrivalOf } from '../../../source/visit-outcome.ts';
import { browserSecret, findVisit, takeVisit, type VisitKey } from '../../../source/visits.ts';
import { recognised, type SourceStep, untilWhen, wordsOf } from './recognised.ts';

export interface VisitNeeds extends SignInNeeds {
  readonly key: InstanceKey;
  readonly isSecure: boolean;
}

interface Visited {
  readonly kind: SourceKind;
  readonly source: SourceRow;
  readonly proof: Extract<SourceProof, { by: 'visit' }>;
}

/**
 * Redirects to a source, and resumes the walk on return. An unusable account ends the walk: the source would only send
 * the same one again.
 */
export async function visitSource(
  needs: VisitNeeds,
  step: SourceStep,
  { kind, source, proof }: Visited,
): Promise<Move> {
  const { call, memory } = step;
  const visit = visitOf(needs, step, source);
  const came = visit && (await findVisit(call.db.read, needs.key, visit, call.now));
  if (!visit || came === null) return { move: 'leave', to: await wayOut(step, proof.loginPath(source)) };
  const use = async (tx: Parameters<typeof takeVisit>[0]) => {
    const taken = await takeVisit(tx, needs.key, visit, call.now);
    if (taken === null) throw new Problem('permission_denied', 'This answer was used before.');
  };
  const arrival = arrivalOf(came, source, kind.resource, proof);
  const refusal = await recognised(needs, step, arrival).catch(wordsOf);
  memory.ticket = null;
  return refusal === null ? next(use) : deny(refusal, use);
}

/** The pending visit of this step in this browser. A step that has waited too long starts over. */
function visitOf({ isSecure }: VisitNeeds, step: SourceStep, { pk }: SourceRow): VisitKey<'back'> | null {
  const { memory, call } = step;
  if (typeof memory.ticket !== 'string' || typeof memory.until !== 'string' || memory.until <= call.now) {
    memory.ticket = randomToken();
    memory.until = untilWhen(step);
    return null;
  }
  const browser = browserSecret(call.request, isSecure, 'back');
  return browser === null ? null : { purpose: 'back', token: memory.ticket, browser, source: pk };
}

/** Who only typed a name learns nothing of its owner by the way there. */
async function wayOut({ memory, flow, walk, pendingUser, context }: Step, path: string): Promise<string> {
  const hint = context.pending_user_identifier ?? (await pendingUser())?.email;
  const query = new URLSearchParams({
    ticket: String(memory.ticket),
    next: flowPage(flow.slug, walk.next, flow.attempt),
  });
  if (hint) query.set('login_hint', hint);
  return `${path}?${query}`;
}
