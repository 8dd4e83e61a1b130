import type { Kind } from '../../core/kind/kind.ts';
import type { UserFacts } from '../../core/mapping/user-facts.ts';
import type { Json } from '../../lib/json.ts';
import type { Complaints } from '../../lib/problem.ts';
import type { Query } from '../../platform/db/database.ts';
import type { Call } from '../../resource/call.ts';
import type { Fields, Row, ValuesOf } from '../../resource/fields/field.ts';
import type { JsonSchema } from '../../resource/json-schema.ts';
import type { Action, Engine, Resource } from '../../resource/resource.ts';
import type { NoFields } from '../../resource/stored-row.ts';
import type { PageNeeds } from '../page-needs.ts';
import type { Refusal } from '../plan.ts';
import type { StageSettings } from '../stage.family.ts';
import type { ExecutorFlow, FlowContext, FlowState } from './flow-state.ts';

/** What a person is shown, and may answer. */
export interface StageScreen<A extends Fields = Fields> {
  /** Names the screen that is shown, and marks the answers that are meant for it. */
  readonly component: string;
  /** Members of its challenge besides the common ones. */
  readonly challenge: Readonly<Record<string, JsonSchema>>;
  /** Those of them that may be missing. */
  readonly sometimes?: readonly string[];
  /** What an answer may hold. */
  readonly answer?: A;
}

/**
 * What a stage does when a person comes to it. Its settings `S` are the resource's, its answers follow from `answer`; the
 * engine owns everything else.
 */
export interface StageKind<S = StageSettings, A extends Fields = Fields> extends Kind, StageScreen<A> {
  readonly resource: Resource<S>;
  /** Further screens of a kind whose settings decide which one it shows; `ask` names it. */
  readonly otherScreens?: readonly StageScreen[];
  /** What the page of a flow with these stages needs, by their keys. */
  pageNeeds?(stages: readonly string[], query: Query): Promise<PageNeeds>;
  /** Actions that it adds to users. */
  readonly userActions?: readonly Action[];
  /** For a kind whose members its settings name: whether this may be an answer to it. Its `judge` is given the whole. */
  isAnswer?(given: Row): boolean;
  /**
   * Returns a challenge, or a move that needs no input. Called again before each answer is judged, so it must not change
   * what `memory` already holds.
   */
  show(step: Step<S>): Promise<Move>;
  /** Judges an answer whose members have the right form. */
  judge?(step: Step<S>, answer: ValuesOf<A>): Promise<Move>;
  /**
   * Consumes what the stage accepted, such as an invitation. Called in the transaction that creates the user and in the
   * one that ends the flow; notes in the context what is consumed. Throws `Problem` if it is no longer valid.
   */
  settle?(context: FlowContext, tx: Query, call: Call): Promise<void>;
}

/** Infers the types of settings and answer, and takes all kinds together in one list. */
export const defineStageKind = <S extends StageSettings, A extends Fields = NoFields>(
  kind: StageKind<S, A>,
): StageKind => kind;

/** The current step of a walk, as its stage sees it. */
export interface Step<S = StageSettings> {
  readonly call: Call;
  readonly flow: ExecutorFlow;
  /** For stages that write objects: what they write is held to the same rules as a request. */
  readonly engine: Engine;
  /** The stage's settings, secrets in clear. */
  readonly settings: S;
  /** Belongs to the whole walk; a stage's changes are stored with its move. */
  readonly context: FlowContext;
  /** Belongs to this step and ends with it: the challenge sent, a key not yet confirmed. */
  readonly memory: Record<string, Json>;
  /** The query string of the page that began the walk. */
  readonly query: Readonly<Record<string, string>>;
  /** The state of the walk, for a stage that continues it elsewhere. */
  readonly walk: FlowState;
  /** The user whom the flow is about; null if unknown or nonexistent. Reads in the open transaction, if any. */
  pendingUser(query?: Query): Promise<UserFacts | null>;
  /** Makes earlier stages consume what they accepted; for a stage that makes lasting changes. */
  settle(tx: Query, call: Call): Promise<void>;
}

export type Move =
  | { readonly move: 'ask'; readonly challenge: Row; readonly component?: string }
  /** The answer is invalid: the person stays and sees the errors. */
  | { readonly move: 'stay'; readonly errors: Complaints; readonly write?: Write }
  | {
      readonly move: 'next';
      readonly write?: Write;
      readonly cookies?: readonly string[];
      /** Whether what is written may wait to be stored with the moves that follow in this request, or a loss of power undo it. */
      readonly mayWait?: boolean;
      /** This browser's session, if `write` signs its user out; never with `mayWait`. */
      readonly ends?: string;
    }
  /** Another stage first, then this step again. */
  | { readonly move: 'detour'; readonly stage: string; readonly kind: string; readonly write?: Write }
  | { readonly move: 'deny'; readonly message: string; readonly write?: Write }
  /** The person declines: the walk ends by the plan's `refusal`. */
  | { readonly move: 'refuse'; readonly refusal: Refusal; readonly write?: Write }
  /** Elsewhere, to come back to this step. */
  | { readonly move: 'leave'; readonly to: string; readonly write?: Write };

/**
 * Changes that belong to a move, stored in one transaction with the state of the walk. Throws `Invalid` to send the
 * person back to the previous step, `Problem` to end the walk.
 */
export type Write = (tx: Query, call: Call) => Promise<void>;

/** What belongs to one move and to the next. */
export const bothOf = (one: Write | undefined, other: Write | undefined): Write | undefined =>
  one && other
    ? async (tx, call) => {
        await one(tx, call);
        await other(tx, call);
      }
    : (one ?? other);

export const ask = (challenge: Row = {}, component?: string): Move => ({
  move: 'ask',
  challenge,
  ...(component !== undefined && { component }),
});
export const stay = (errors: Complaints, write?: Write): Move => ({ move: 'stay', errors, ...(write && { write }) });
export const next = (write?: Write, cookies?: readonly string[]): Move => ({
  move: 'next',
  ...(write && { write }),
  ...(cookies && { cookies }),
});
/** Goes on without the session that the browser came with, which `write` ends. */
export const signOut = (session: string, write: Write, cookies: readonly string[]): Move => ({
  move: 'next',
  write,
  cookies,
  ends: session,
});
export const deny = (message: string, write?: Write): Move => ({ move: 'deny', message, ...(write && { write }) });
/** A walk whose plan has nothing for it is denied. */
export const refuse = ({ walk: { plan } }: Pick<Step, 'walk'>, message: string): Move =>
  plan.refusal ? { move: 'refuse', refusal: plan.refusal } : deny(message);

/** The text that a step keeps in its memory under a name, made when it is first needed. */
export function keptText({ memory }: Pick<Step, 'memory'>, name: string, make: () => string): string {
  const kept = memory[name];
  if (typeof kept === 'string') return kept;
  const made = make();
  memory[name] = made;
  return made;
}
