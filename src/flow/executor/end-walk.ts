import { checkNotImpersonating } from '../../core/access/impersonation-guard.ts';
import { Problem } from '../../lib/problem.ts';
import type { UserText } from '../../lib/texts/message.ts';
import type { Query } from '../../platform/db/database.ts';
import type { InstanceKey } from '../../platform/keys.ts';
import type { Call } from '../../resource/call.ts';
import type { Row } from '../../resource/fields/field.ts';
import type { PlanStep } from '../plan.ts';
import { deniedChallenge, refusedChallenge } from './challenge.ts';
import type { FlowState } from './flow-state.ts';
import { deniedUserMembers } from './pending-user.ts';
import type { Write } from './stage-kind.ts';
import { refusedState } from './state-after.ts';
import { type ActiveWalk, deleteState, nullIfConflict } from './state-store.ts';
import type { Walk } from './walk.ts';

export interface EndDependencies {
  readonly key: InstanceKey;
  /** Carries out the steps that a plan appends to a flow's own stages. */
  append(step: PlanStep, state: FlowState, tx: Query, call: Call): Promise<void>;
}

/** Ends a walk, with the writes of its last moves and of its end. Null if a concurrent answer was stored first. */
export function endWalk(
  { key, append }: EndDependencies,
  call: Call,
  stored: ActiveWalk,
  state: FlowState,
  write?: Write,
): Promise<ActiveWalk | null> {
  const { plan } = state;
  const ending = call.db.write(
    async (tx) => {
      await deleteState(tx, key, stored, plan.flow.pk);
      await write?.(tx, call);
      // Links, groups and decisions would outlast an impersonation.
      if (plan.append.length > 0) checkNotImpersonating(call);
      for (const step of plan.append) await append(step, state, tx, call);
      return stored;
    },
    { isRepeatable: !write },
  );
  return ending.catch(nullIfConflict);
}

/** Ends a denied walk. An application that waits for the result gets a response. */
export async function denyWalk(
  needs: EndDependencies,
  call: Call,
  { flow, stored, state: { context } }: Pick<Walk, 'flow' | 'stored' | 'state'>,
  message: UserText,
  write?: Write,
): Promise<Row> {
  const { state } = stored;
  const { refusal } = state.plan;
  const whom = await deniedUserMembers(call, context);
  if (refusal && (await isRefused(endWalk(needs, call, stored, refusedState(state, refusal), write)))) {
    return refusedChallenge(flow, message, refusal, whom);
  }
  const bare = { ...state, plan: { ...state.plan, append: [] } };
  if (stored.version > 0 || write) await endWalk(needs, call, stored, bare, write);
  // The request can no longer be denied, so there is no way back.
  return deniedChallenge(flow, message, refusal ? null : state.next, whom);
}

/** A request that can no longer be decided needs no response. */
const isRefused = (ended: Promise<ActiveWalk | null>): Promise<boolean> =>
  ended.then(
    (walk) => walk !== null,
    (error: unknown) => {
      if (error instanceof Problem) return false;
      throw error;
    },
  );
