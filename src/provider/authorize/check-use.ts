import { type AccessResult, applicationTarget } from '../../core/application/application-access.ts';
import { type Call, requireActor } from '../../resource/call.ts';
import type { AuthorizationDependencies, RequestingProvider } from './dependencies.ts';

type Needs = Pick<AuthorizationDependencies, 'evaluateAccess' | 'refusals'>;
type Provider = Pick<RequestingProvider, 'pk' | 'application'>;

/** What the policies bound to the application say, asked at every use. Why not is not for the person to know; an event tells it. */
export async function isUseAllowed(needs: Needs, call: Call, provider: Provider): Promise<boolean> {
  const answer = await answerOf(needs, call, provider, { dryRun: false });
  if (answer?.passing === true) return true;
  await needs.refusals.denied(call, provider, answer);
  return false;
}

/** The same before the person is asked for anything. Policies have their effects once, when the application is used or refused. */
export async function wouldAllowUse(needs: Needs, call: Call, provider: Provider): Promise<boolean> {
  const answer = await answerOf(needs, call, provider, { dryRun: true });
  return answer?.passing === true || isUseAllowed(needs, call, provider);
}

async function answerOf(
  { evaluateAccess }: Needs,
  call: Call,
  { application }: Provider,
  options: { readonly dryRun: boolean },
): Promise<AccessResult | undefined> {
  const answers = await evaluateAccess(call, requireActor(call).user.pk, [applicationTarget(application)], options);
  return answers.get(application.pk);
}
