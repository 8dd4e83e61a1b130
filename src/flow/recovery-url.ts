import { brandFlows } from './brand-flows.ts';
import { flowPage } from './executor/challenge.ts';
import { flowSlug } from './executor/flow-reads.ts';
import type { Step } from './executor/stage-kind.ts';

/** Where people go who have forgotten their password: the flow that the stage names, else at a sign-in the brand's. */
export async function recoveryUrl(
  { flow, call }: Pick<Step, 'flow' | 'call'>,
  ofStage: string | null,
): Promise<string | null> {
  const own = ofStage === null ? null : await flowSlug(call.db, ofStage);
  if (own !== null) return flowPage(own);
  if (flow.designation !== 'authentication') return null;
  const { flow_recovery } = await brandFlows(call.db, call.request.host);
  return flow_recovery === null ? null : flowPage(flow_recovery);
}
