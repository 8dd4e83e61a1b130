import { applicationTarget } from '../../core/application/application-access.ts';
import { type Call, requireActor } from '../../resource/call.ts';
import type { AskingProvider, AuthorizeNeeds } from './needs.ts';

/** What the policies bound to the application say, asked at every use. Why not is not for the person to know; an event tells it. */
export async function mayUse(
  { evaluateAccess, refusals }: Pick<AuthorizeNeeds, 'evaluateAccess' | 'refusals'>,
  call: Call,
  provider: Pick<AskingProvider, 'pk' | 'application'>,
): Promise<boolean> {
  const { application } = provider;
  const answers = await evaluateAccess(call, requireActor(call).user.pk, [applicationTarget(application)]);
  const answer = answers.get(application.pk);
  if (answer?.passing === true) return true;
  await refusals.denied(call, provider, answer);
  return false;
}
