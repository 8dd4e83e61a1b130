import { brandFlows } from './brand-flows.ts';
import { flowPage } from './executor/challenge.ts';
import { flowSlug } from './executor/flow-reads.ts';
import type { Step } from './executor/stage-kind.ts';

/** The page for forgotten passwords: the recovery flow of the stage, else, at a sign-in, that of the brand. */
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
