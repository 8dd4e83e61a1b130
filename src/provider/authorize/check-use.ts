import { type AccessResult, applicationTarget } from '../../core/application/application-access.ts';
import { type Call, requireActor } from '../../resource/call.ts';
import type { AuthorizationDependencies, RequestingProvider } from './dependencies.ts';

type Dependencies = Pick<AuthorizationDependencies, 'evaluateAccess' | 'refusals'>;
type Provider = Pick<RequestingProvider, 'pk' | 'application'>;

/**
 * Evaluates the policies of the application at every use. The reason for a denial is recorded as an event, not shown.
 */
export async function isUseAllowed(needs: Dependencies, call: Call, provider: Provider): Promise<boolean> {
  const answer = await answerOf(needs, call, provider, { dryRun: false });
  if (answer?.passing === true) return true;
  await needs.refusals.denied(call, provider, answer);
  return false;
}

/** The same check before user interaction, as a dry run: side effects happen once, when access is granted or denied. */
export async function wouldAllowUse(needs: Dependencies, call: Call, provider: Provider): Promise<boolean> {
  const answer = await answerOf(needs, call, provider, { dryRun: true });
  return answer?.passing === true || isUseAllowed(needs, call, provider);
}

async function answerOf(
  { evaluateAccess }: Dependencies,
  call: Call,
  { application }: Provider,
  options: { readonly dryRun: boolean },
): Promise<AccessResult | undefined> {
  const answers = await evaluateAccess(call, requireActor(call).user.pk, [applicationTarget(application)], options);
  return answers.get(application.pk);
}
