import { flowPage } from '../../../flow/executor/challenge.ts';
import { deny, type Move, next, type Step } from '../../../flow/executor/stage-kind.ts';
import { Problem } from '../../../lib/problem.ts';
import type { InstanceKey } from '../../../platform/keys.ts';
import { randomToken } from '../../../platform/random.ts';
import { toExternalIdentity } from '../../../source/callback-result.ts';
import {
  consumePending,
  findPendingLogin,
  type PendingLoginKey,
  returnSecret,
} from '../../../source/pending-logins.ts';
import type { SignInNeeds } from '../../../source/sign-in.ts';
import type { SourceRow } from '../../../source/source.family.ts';
import type { SourceKind, SourceProof } from '../../../source/source-kind.ts';
import { errorText, expiryOf, identifySourceUser, type SourceStep } from './identify-user.ts';

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
export async function sendToSource(
  needs: VisitNeeds,
  step: SourceStep,
  { kind, source, proof }: Visited,
): Promise<Move> {
  const { call, memory } = step;
  const visit = visitOf(needs, step, source);
  const came = visit && (await findPendingLogin(call.db.read, needs.key, visit, call.now));
  if (!visit || came === null) return { move: 'leave', to: await buildLoginUrl(step, proof.loginPath(source)) };
  const use = async (tx: Parameters<typeof consumePending>[0]) => {
    const taken = await consumePending(tx, needs.key, visit, call.now);
    if (taken === null) throw new Problem('permission_denied', 'This response was already used.');
  };
  const external = toExternalIdentity(came, source, kind.resource, proof);
  const refusal = await identifySourceUser(needs, step, external).catch(errorText);
  memory.ticket = null;
  return refusal === null ? next(use) : deny(refusal, use);
}

/** The pending login of this step in this browser. A step that has waited too long restarts. */
function visitOf({ isSecure }: VisitNeeds, step: SourceStep, { pk }: SourceRow): PendingLoginKey<'back'> | null {
  const { memory, call } = step;
  if (typeof memory.ticket !== 'string' || typeof memory.until !== 'string' || memory.until <= call.now) {
    memory.ticket = randomToken();
    memory.until = expiryOf(step);
    return null;
  }
  const browser = returnSecret(call.request, isSecure, memory.ticket);
  return browser === null ? null : { purpose: 'back', token: memory.ticket, browser, source: pk };
}

/** The redirect discloses nothing about the user of a name that was only typed (user enumeration). */
async function buildLoginUrl({ memory, flow, walk, pendingUser, context }: Step, path: string): Promise<string> {
  const hint = context.pending_user_identifier ?? (await pendingUser())?.email;
  const query = new URLSearchParams({
    ticket: String(memory.ticket),
    next: flowPage(flow.slug, walk.next, flow.attempt),
  });
  if (hint) query.set('login_hint', hint);
  return `${path}?${query}`;
}
