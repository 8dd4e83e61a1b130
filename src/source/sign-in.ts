import { sql } from 'kysely';
import { findBrandOfHost } from '../core/brand/brand-of-host.ts';
import type { ProvenEmail } from '../core/directory/email-proof.ts';
import { MappingFailed } from '../core/mapping/evaluate.ts';
import { loadUserFacts, type UserFacts } from '../core/mapping/user-facts.ts';
import { applicableFlow } from '../flow/applicable-flow.ts';
import { createPlan, type FlowPlan } from '../flow/plan.ts';
import { isSameName } from '../lib/name-key.ts';
import { Invalid, Problem } from '../lib/problem.ts';
import { message, sentences, type UserText } from '../lib/texts/message.ts';
import type { Sandbox } from '../platform/sandbox/sandbox.ts';
import type { PolicyEngine } from '../policy/engine.ts';
import type { PolicyResult } from '../policy/outcome.ts';
import { callersFacts, policyRequest } from '../policy/request.ts';
import type { Call } from '../resource/call.ts';
import { sourceSteps, userStep } from './append-steps.ts';
import { type ExternalIdentity, reportMisconfiguration } from './external-identity.ts';
import { matchUser } from './match-user.ts';
import { type Identity, type MappedIdentity, mapIdentity } from './properties.ts';
import type { SourceRow } from './source.family.ts';
import { isOver } from './temporary-users.ts';

export interface SignInNeeds {
  readonly policies: PolicyEngine;
  readonly sandbox: Sandbox;
}

/** Rejects logins at a disabled source, also of linked accounts. */
export function checkEnabled(source: SourceRow): void {
  if (!source.enabled) throw accessDenied();
}

export const accessDenied = (messages: readonly UserText[] = []): Problem =>
  new Problem('permission_denied', sentences(messages) ?? 'Access denied.');

/**
 * Plans the next flow of an anonymous visitor: authentication or enrolment. `makeUser` makes users without enrolment,
 * after all other checks. Throws the error for the user.
 */
export async function planSignIn(
  needs: SignInNeeds,
  external: ExternalIdentity,
  call: Call,
  makeUser?: (mapped: MappedIdentity) => Promise<number>,
  { isUnasked = false } = {},
): Promise<FlowPlan> {
  const { source, sourceResource, identity, connectionModel, connectionValues, session } = external;
  const { user, mapped, isUnproven } = await identifyUser(needs, external, call);
  const steps = [
    ...sourceSteps(
      sourceResource.model,
      {
        model: connectionModel,
        identifier: identity.identifier,
        values: connectionValues,
        ...(identity.isEmailConfirmed && { email: identity.email }),
      },
      mapped.groups,
    ),
    ...(session === undefined ? [] : [{ kind: sourceResource.model, step: 'begin_session', content: session }]),
  ];
  const from = { ...sourceFacts(source), model: sourceResource.model };
  if (user && isUnproven) {
    // Any site can send browsers here with an account of its own choice: who signs in then must not connect that.
    if (isUnasked) throw new Problem('permission_denied', connectFirstMessage(source));
    const flow = await passwordFlow(needs, source, call);
    return {
      ...createPlan(flow, null),
      source: from,
      append: [userStep(sourceResource.model, user.pk), ...steps],
      connects: identity.email,
    };
  }
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
    source: from,
    pending_user: user?.pk ?? (await makeUser?.(mapped)) ?? null,
    ...(user && { password_set: user.password_change_date }),
    prompt_data: mapped.user,
    context: {
      auth_method: 'source',
      auth_method_args: { source: sourceFacts(source) },
      ...provenBy(identity, mapped),
    },
    append: steps,
  };
}

export const connectFirstMessage = ({ name }: Pick<SourceRow, 'name'>) =>
  message(
    'There is an account here with this address, which was not verified. Sign in to it first, then connect your account of {name} on your settings page.',
    { name },
  );

/** The brand's authentication flow: completing it proves that the account is the user's own. */
async function passwordFlow({ policies }: SignInNeeds, source: SourceRow, call: Call): Promise<FlowPlan['flow']> {
  const brand = await findBrandOfHost(call.request.host, call.db.read);
  const { rows } = await sql<{ flow: string | null }>`select flow_authentication as flow from brands
    where pk = ${brand?.pk ?? null}`.execute(call.db.read);
  const choice = await applicableFlow(policies, { flow: rows[0]?.flow ?? null, call, user: null, context: {} });
  if (choice.outcome === 'missing') throw new Problem('permission_denied', connectFirstMessage(source));
  if (choice.outcome === 'refused') throw accessDenied(choice.messages);
  return { pk: choice.flow.pk, slug: choice.flow.slug };
}

/** A source verifies only the address that it sent. */
function provenBy(
  { isEmailConfirmed, email }: Identity,
  { user }: MappedIdentity,
): { readonly proven_email?: ProvenEmail } {
  const isProven = isEmailConfirmed && typeof user.email === 'string' && isSameName(user.email, email);
  return isProven ? { proven_email: { email, by: 'source' } } : {};
}

/**
 * The matching user, null if new, whether they have yet to show that they are that user, and the mapped properties.
 * Throws the refusal for the person.
 */
export async function identifyUser(
  needs: SignInNeeds,
  external: ExternalIdentity,
  call: Call,
): Promise<{ readonly user: UserFacts | null; readonly mapped: MappedIdentity; readonly isUnproven: boolean }> {
  const { source, identity } = external;
  const mapped = await mapOrRefuse(needs.sandbox, external, call);
  const match = await matchUser(source, identity, mapped, Boolean(external.temporaryUntil), call.db.read);
  if (match.outcome === 'refused') throw new Problem('permission_denied', refusedByMatching(source));
  const user = 'user' in match ? await loadActiveUser(match.user, call) : null;
  await checkSourcePolicies(needs.policies, source, user, call);
  return { user, mapped, isUnproven: match.outcome === 'unproven user' };
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
 * Whether the policies bound to the source allow the caller to start. Without a session the user is not identified yet:
 * policies that depend on the user are evaluated at the callback.
 */
export async function checkMayStartLogin(policies: PolicyEngine, source: SourceRow, call: Call): Promise<void> {
  const results = await filterAllowedSources(policies, [source], call);
  const result = results.get(source.pk);
  if (!result?.passing) throw accessDenied(result?.messages);
}

/** The access control of a source. */
export type SourcePolicyTarget = Pick<SourceRow, 'pk' | 'slug' | 'name' | 'policy_engine_mode'>;

/** The same for many sources, as a page does that offers them. */
export const filterAllowedSources = (
  policies: PolicyEngine,
  sources: readonly SourcePolicyTarget[],
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

export const sourceFacts = ({ pk, slug, name }: SourcePolicyTarget) => ({ pk, slug, name });

const refusedByMatching = ({ name }: SourceRow) =>
  message(
    "Request to authenticate with {name} has been denied. Please authenticate with the source you've previously signed up with.",
    { name },
  );

async function loadActiveUser(pk: number, call: Call): Promise<UserFacts> {
  const user = await loadUserFacts(call.db.read, pk);
  if (!user?.is_active || user.type === 'internal_service_account') throw accessDenied();
  if (await isOver(call.db.read, pk, call.now))
    throw accessDenied(['This account was valid for one session, which has ended.']);
  return user;
}

/** What is wrong with the mappings is recorded for administrators; the person only learns that one failed. */
async function mapOrRefuse(sandbox: Sandbox, external: ExternalIdentity, call: Call): Promise<MappedIdentity> {
  const { source, mappingModel, identity } = external;
  try {
    const mapped = await mapIdentity(sandbox, source, mappingModel, identity, call.db.read);
    for (const report of mapped.reports) await reportMisconfiguration(external, { message: report }, call);
    return mapped;
  } catch (error) {
    if (!(error instanceof MappingFailed)) throw error;
    const failed = message('Failed to evaluate the property mappings of a source: {reason}', { reason: error.message });
    await reportMisconfiguration(external, { message: failed, expression: error.expression }, call);
    throw Invalid.whole('The property mappings of the source could not be evaluated.');
  }
}
