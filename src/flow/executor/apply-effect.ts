import { sql } from 'kysely';
import { Invalid, Problem } from '../../lib/problem.ts';
import type { Query } from '../../platform/db/database.ts';
import { dialectStatement } from '../../platform/db/statement.ts';
import type { Call } from '../../resource/call.ts';
import { redirectTo } from './challenge.ts';
import { denyWalk, type EndDependencies, endWalk } from './end-walk.ts';
import { type ExecutorFlow, type FlowState, getPasswordTime, needsNewToken } from './flow-state.ts';
import type { FindLogoutRedirect } from './logout-redirects.ts';
import { inSequence, type Write } from './stage-kind.ts';
import { type ActiveWalk, reloadState, saveState } from './state-store.ts';
import type { Effect, Walk, WalkMove } from './walk.ts';

export interface EffectDependencies extends EndDependencies {
  /** Where the browser goes when a flow ends without a `next`. */
  defaultRedirect(flow: ExecutorFlow, call: Call): Promise<string>;
  readonly findLogoutRedirect: FindLogoutRedirect;
  /** Consumes what stages accepted, such as invitations. */
  completePassedStages(state: FlowState, tx: Query, call: Call): Promise<void>;
}

/** Carries out the effect of a step. Returns the resulting walk, or a move to make instead. */
export async function applyEffect(
  needs: EffectDependencies,
  call: Call,
  before: Walk,
  walk: Walk,
  effect: Exclude<Effect, { do: 'nothing' }>,
): Promise<Walk | WalkMove> {
  switch (effect.do) {
    case 'store':
    case 'end':
      return storeOrEnd(needs, call, before, walk, effect);
    case 'deny': {
      const write = inSequence(before.unwritten, effect.write);
      const challenge = await denyWalk(needs, call, walk, effect.message, write);
      return { ...walk, screen: { challenge, isOver: true, denial: effect.message } };
    }
    case 'go-home':
      return {
        ...walk,
        screen: { challenge: redirectTo(await needs.defaultRedirect(walk.flow, call)), isOvertaken: true },
      };
  }
}

async function storeOrEnd(
  needs: EffectDependencies,
  call: Call,
  before: Walk,
  walk: Walk,
  { do: what, write, ends, isRefused }: Extract<Effect, { do: 'store' | 'end' }>,
): Promise<Walk | WalkMove> {
  // Determined before the write, which ends the session, and after which caches are to be refreshed.
  const home = what === 'end' ? (walk.state.next ?? (await needs.defaultRedirect(walk.flow, call))) : null;
  const logoutRedirect = walk.logoutRedirect ?? (ends ? await needs.findLogoutRedirect(call, ends) : null) ?? undefined;
  const checked = isRefused ? write : inSequence(samePassword(walk.state), write);
  const completing: Write | undefined = isRefused
    ? undefined
    : (tx, writing) => needs.completePassedStages(walk.state, tx, writing);
  const storing =
    what === 'end'
      ? endWalk(needs, call, before.stored, walk.state, inSequence(inSequence(before.unwritten, checked), completing))
      : store(needs, call, before, walk.state, write && checked);
  // A step without a write cannot be refused: any error is a fault.
  const result = await (write || what === 'end' ? storing.catch(refusal) : storing);
  if (result === null) return { move: 'overtaken', by: await reloadState(call, needs.key, before.stored) };
  if ('move' in result) return result;
  const moved = { ...walk, stored: result, logoutRedirect };
  return home === null ? moved : { ...moved, screen: { challenge: redirectTo(home), isOver: true } };
}

/**
 * Refuses to go on with a proof that a new password has made void while this request ran. Until the walk is stored, its
 * user's password stays: what it gains, such as a session, is there to be ended by the next change.
 */
function samePassword({ context }: Walk['state']): Write | undefined {
  const { pending_user } = context;
  const noted = getPasswordTime(context);
  if (pending_user === null || noted === null) return undefined;
  return async (tx) => {
    const same = await hasPassword(tx, pending_user, noted);
    if (same.length === 0) throw new Problem('permission_denied', 'Your password has changed. Please start again.');
  };
}

const hasPassword = dialectStatement<[user: number, set: string], unknown>(
  (dialect, user, set) =>
    sql`select pk from users t where pk = ${user} and password_change_date = ${set} ${dialect.forUpdate}`,
);

/** Turns the refusal of a write into a move. */
function refusal(error: unknown): WalkMove {
  if (error instanceof Problem) return { move: 'deny', message: error.words };
  if (error instanceof Invalid) return { move: 'send-back', errors: error.complaints };
  throw error;
}

/**
 * Stores the next state with the writes of its moves. Null if another answer won. A state without writes is not
 * durable: at worst the person starts over.
 */
export async function store(
  { key }: Pick<EffectDependencies, 'key'>,
  call: Call,
  { stored, unwritten }: Pick<Walk, 'stored' | 'unwritten'>,
  state: Walk['state'],
  last?: Write,
): Promise<ActiveWalk | null> {
  const before = JSON.stringify(state);
  const write = inSequence(unwritten, last);
  if (state.plan.isWithoutBrowser) {
    const work = write;
    if (work) await call.db.write((tx) => work(tx, call));
    return { ...stored, state };
  }
  // An unchanged walk is not stored: ignored guesses cost no write.
  if (stored.version > 0 && !write && before === JSON.stringify(stored.state)) return stored;
  const isRenewed = () => needsNewToken(stored.state.context, state.context);
  return call.db.write(
    async (tx) => {
      const saved = await saveState(tx, key, stored, { state, isRenewed: isRenewed() }, call);
      if (!saved || !write) return saved;
      await write(tx, call);
      // The write may have changed the state, for example by adding the user it created.
      if (JSON.stringify(state) === before) return saved;
      return saveState(tx, key, saved, { state, isRenewed: isRenewed() }, call);
    },
    // A write may add to the state, so it must not run twice.
    { durable: last !== undefined, isRepeatable: !write },
  );
}
