import { MappingFailed } from '../core/mapping/evaluate.ts';
import { loadUserFacts, type UserFacts } from '../core/mapping/user-facts.ts';
import { applicableFlow } from '../flow/applicable-flow.ts';
import type { FlowPlan } from '../flow/plan.ts';
import { Invalid, Problem } from '../lib/problem.ts';
import type { Sandbox } from '../platform/sandbox/sandbox.ts';
import type { PolicyEngine } from '../policy/engine.ts';
import type { PolicyResult } from '../policy/outcome.ts';
import { callersFacts, policyRequest } from '../policy/request.ts';
import type { Call } from '../resource/call.ts';
import { sourceSteps } from './append-steps.ts';
import { type Arrival, reportMisconfiguration } from './arrival.ts';
import { matchUser } from './match-user.ts';
import { type MappedIdentity, mapIdentity } from './properties.ts';
import type { SourceRow } from './source.family.ts';
import { isOver } from './temporary-users.ts';

export interface SignInNeeds {
  readonly policies: PolicyEngine;
  readonly sandbox: Sandbox;
}

/** A disabled source lets nobody in, connected or not. */
export function checkEnabled(source: SourceRow): void {
  if (!source.enabled) throw accessDenied();
}

export const accessDenied = (messages: readonly string[] = []): Problem =>
  new Problem('permission_denied', messages.length > 0 ? messages.join(' ') : 'Access denied.');

/**
 * Plans the next flow of an anonymous visitor: authentication or enrolment. `makeUser` makes users without enrolment, once
 * nothing else stands in the way. Throws the refusal for the person.
 */
export async function planSignIn(
  needs: SignInNeeds,
  arrival: Arrival,
  call: Call,
  makeUser?: (mapped: MappedIdentity) => Promise<number>,
): Promise<FlowPlan> {
  const { source, sourceResource, identity, connectionModel, connectionValues, session } = arrival;
  const { user, mapped } = await recognise(needs, arrival, call);
  const isKnown = user !== null || makeUser !== undefined;
  const choice = await applicableFlow(needs.policies, {
    flow: isKnown ? source.authentication_flow : source.enrollment_flow,
    call,
    user,
    context: { is_sso: true, source: sourceFacts(source), prompt_data: mapped.user },
  });
  if (choice.outcome === 'missing') {
    throw Invalid.whole(isKnown ? 'Configured flow does not exist.' : 'Source is not configured for enrollment.');
  }
  if (choice.outcome === 'refused') throw accessDenied(choice.messages);
  return {
    flow: { pk: choice.flow.pk, slug: choice.flow.slug },
    sso: true,
    source: { ...sourceFacts(source), model: sourceResource.model },
    pending_user: user?.pk ?? (await makeUser?.(mapped)) ?? null,
    ...(user && { password_set: user.password_change_date }),
    prompt_data: mapped.user,
    context: { auth_method: 'source', auth_method_args: { source: sourceFacts(source) } },
    append: [
      ...sourceSteps(
        sourceResource.model,
        { model: connectionModel, identifier: identity.identifier, values: connectionValues },
        mapped.groups,
      ),
      ...(session === undefined ? [] : [{ kind: sourceResource.model, step: 'begin_session', content: session }]),
    ],
  };
}

/** The matching user, null if new, and the mapped properties. Throws the refusal for the person. */
export async function recognise(
  needs: SignInNeeds,
  arrival: Arrival,
  call: Call,
): Promise<{ readonly user: UserFacts | null; readonly mapped: MappedIdentity }> {
  const { source, identity } = arrival;
  const mapped = await mapOrRefuse(needs.sandbox, arrival, call);
  const match = await matchUser(source, identity, mapped, Boolean(arrival.temporaryUntil), call.db.read);
  if (match.outcome === 'refused') throw new Problem('permission_denied', refusedByMatching(source));
  const user = match.outcome === 'known user' ? await loadActiveUser(match.user, call) : null;
  await checkSourcePolicies(needs.policies, source, user, call);
  return { user, mapped };
}

/** Checks the policies bound to the source; null is a new user. */
export async function checkSourcePolicies(
  policies: PolicyEngine,
  source: SourceRow,
  user: UserFacts | null,
  call: Call,
): Promise<void> {
  const { passing, messages } = await policies.evaluateTarget({
    call,
    request: policyRequest(call, {
      user,
      context: { is_sso: true, source: sourceFacts(source) },
      obj: sourceFacts(source),
    }),
    targetPk: source.pk,
    mode: source.policy_engine_mode,
  });
  if (!passing) throw accessDenied(messages);
}

/**
 * Whether the policies bound to the source let the caller begin. Of somebody who is not signed in it is still open who they
 * are: what depends on that is decided when they come back.
 */
export async function checkMayBegin(policies: PolicyEngine, source: SourceRow, call: Call): Promise<void> {
  const results = await mayBegin(policies, [source], call);
  const result = results.get(source.pk);
  if (!result?.passing) throw accessDenied(result?.messages);
}

/** What decides who may sign in by a source. */
export type Startable = Pick<SourceRow, 'pk' | 'slug' | 'name' | 'policy_engine_mode'>;

/** The same for many sources, as a page does that offers them. */
export const mayBegin = (
  policies: PolicyEngine,
  sources: readonly Startable[],
  call: Call,
): Promise<Map<string, PolicyResult>> =>
  policies.evaluateTargets({
    call,
    request: async () =>
      policyRequest(call, { user: await callersFacts(call, call.db.read), context: { is_sso: true } }),
    targets: sources.map((source) => ({
      pk: source.pk,
      mode: source.policy_engine_mode,
      obj: sourceFacts(source),
    })),
    dryRun: true,
    isUserOpen: call.actor === null,
  });

export const sourceFacts = ({ pk, slug, name }: Startable) => ({ pk, slug, name });

const refusedByMatching = ({ name }: SourceRow) =>
  `Request to authenticate with ${name} has been denied. Please authenticate with the source you've previously signed up with.`;

async function loadActiveUser(pk: number, call: Call): Promise<UserFacts> {
  const user = await loadUserFacts(call, call.db.read, pk);
  if (!user?.is_active || user.type === 'internal_service_account') throw accessDenied();
  if (await isOver(call.db.read, pk, call.now))
    throw accessDenied(['This account was for one session, which is over.']);
  return user;
}

/** What is wrong with the mappings is recorded for administrators; the person only learns that one failed. */
async function mapOrRefuse(sandbox: Sandbox, arrival: Arrival, call: Call): Promise<MappedIdentity> {
  const { source, mappingModel, identity } = arrival;
  try {
    const mapped = await mapIdentity(sandbox, source, mappingModel, identity, call.db.read);
    for (const message of mapped.reports) await reportMisconfiguration(arrival, { message }, call);
    return mapped;
  } catch (error) {
    if (!(error instanceof MappingFailed)) throw error;
    const message = `Failed to evaluate the property mappings of a source: ${error.message}`;
    await reportMisconfiguration(arrival, { message, expression: error.expression }, call);
    throw Invalid.whole('The property mappings of the source could not be evaluated.');
  }
}
