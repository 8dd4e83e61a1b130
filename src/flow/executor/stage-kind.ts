import type { Kind } from '../../core/kind/kind.ts';
import type { UserFacts } from '../../core/mapping/user-facts.ts';
import type { Json } from '../../lib/json.ts';
import type { Complaints } from '../../lib/problem.ts';
import type { UserText } from '../../lib/texts/message.ts';
import type { Query } from '../../platform/db/database.ts';
import type { Call } from '../../resource/call.ts';
import type { JsonSchema } from '../../resource/document/json-schema.ts';
import type { Fields, Row, ValuesOf } from '../../resource/fields/field.ts';
import type { NoFields } from '../../resource/read/stored-row.ts';
import type { Action, Engine, Resource } from '../../resource/resource.ts';
import type { PageNeeds } from '../page-needs.ts';
import type { Refusal } from '../plan.ts';
import type { StageSettings } from '../stage.family.ts';
import type { ExecutorFlow, FlowContext, FlowState } from './flow-state.ts';

/**
 * The role of a stage in a flow, for the linter.
 * - `identifies`: determines the user of the flow. `needs user`: requires an identified user.
 * - `proves`: authenticates the user.
 * - `asks for device`: the same, for users with a device; `demands device`: denies users without one.
 * - `mails`: sends a link to that user, or during an enrolment to the entered address.
 * - `turns away`: always denies.
 */
export type StageRole =
  | 'identifies'
  | 'needs user'
  | 'proves'
  | 'asks for device'
  | 'demands device'
  | 'sets up device'
  | 'signs in'
  | 'signs out'
  | 'mails'
  | 'turns away'
  | 'writes user'
  | 'creates user'
  | 'deletes user'
  | 'takes invitation'
  | 'asks consent'
  | 'keeps programs out';

/** A screen and the answers to it. */
export interface StageScreen<A extends Fields = Fields> {
  /** Identifies the screen and the answers to it. */
  readonly component: string;
  /** Members of its challenge in addition to the common ones. */
  readonly challenge: Readonly<Record<string, JsonSchema>>;
  /** Members that may be missing. */
  readonly sometimes?: readonly string[];
  /** The members of an answer. */
  readonly answer?: A;
}

/**
 * The behaviour of a kind of stage. Its settings `S` come from the resource and its answers from `answer`; the engine
 * does everything else.
 */
export interface StageKind<S = StageSettings, A extends Fields = Fields> extends Kind, StageScreen<A> {
  readonly resource: Resource<S>;
  /** Further screens, for kinds whose settings determine the screen; `ask` selects it. */
  readonly otherScreens?: readonly StageScreen[];
  /** What the page of a flow with these stages needs. */
  pageNeeds?(stages: readonly string[], query: Query): Promise<PageNeeds>;
  /** What the stage does, as far as the linter of flows cares. */
  roles?(settings: S): readonly StageRole[];
  /**
   * Whether it may run in an impersonated session: it asks, or changes the session. Whatever changes an account
   * (devices, consents, data, links) must not: the change would outlast the impersonation.
   */
  readonly allowsImpersonation?: boolean;
  /** Actions on users. */
  readonly userActions?: readonly Action[];
  /** For kinds whose settings define the answer's members: whether this may be an answer. `judge` gets all of it. */
  isAnswer?(given: Row): boolean;
  /**
   * Returns a challenge, or a move that needs no input. Called again before each answer is judged, so it must not
   * change what `memory` already holds.
   */
  show(step: Step<S>): Promise<Move>;
  /** Judges an answer that has passed validation. */
  verifyRegistration?(step: Step<S>, answer: ValuesOf<A>): Promise<Move>;
  /**
   * Consumes what the stage accepted, such as an invitation. Called in the transaction that creates the user and in the
   * one that ends the flow; notes in the context what is consumed. Throws `Problem` if it is no longer valid.
   */
  completeStage?(context: FlowContext, tx: Query, call: Call): Promise<void>;
}

/** Infers the types of settings and answer, and erases them so that all kinds fit into one list. */
export const defineStageKind = <S extends StageSettings, A extends Fields = NoFields>(
  kind: StageKind<S, A>,
): StageKind => kind;

/** The current step of a walk, as its stage sees it. */
export interface Step<S = StageSettings> {
  readonly call: Call;
  readonly flow: ExecutorFlow;
  /** For stages that write objects, under the same rules as a request. */
  readonly engine: Engine;
  /** The stage's settings, secrets decrypted. */
  readonly settings: S;
  /** Belongs to the whole walk; a stage's changes are stored with its move. */
  readonly context: FlowContext;
  /** Belongs to this step and ends with it: the challenge sent, an unconfirmed key. */
  readonly memory: Record<string, Json>;
  /** The query string of the page on which the walk began. */
  readonly query: Readonly<Record<string, string>>;
  /** The state of the walk, for a stage that continues it elsewhere. */
  readonly walk: FlowState;
  /** The user whom the flow is about; null if unknown or nonexistent. */
  pendingUser(): Promise<UserFacts | null>;
  /** Has earlier stages consume what they accepted, before a stage makes lasting changes. */
  completeStages(tx: Query, call: Call): Promise<void>;
}

/** Called only if the challenge is shown, not before an answer to it is judged. */
type MakeChallenge = () => Promise<Row>;

export type Move =
  | { readonly move: 'ask'; readonly challenge: Row | MakeChallenge; readonly component?: string }
  /** The answer is invalid: the screen stays and shows the errors. */
  | { readonly move: 'stay'; readonly errors: Complaints; readonly write?: Write }
  | {
      readonly move: 'next';
      readonly write?: Write;
      readonly cookies?: readonly string[];
      /** Whether the write may be stored with the following moves of this request, without waiting for the disk. */
      readonly mayWait?: boolean;
      /** This browser's session, if `write` signs its user out; never with `mayWait`. */
      readonly ends?: string;
    }
  /** Goes to another stage first, then to this step again. */
  | { readonly move: 'detour'; readonly stage: string; readonly kind: string; readonly write?: Write }
  | { readonly move: 'deny'; readonly message: UserText; readonly write?: Write }
  /** The person declines: the walk ends by the plan's `refusal`. */
  | { readonly move: 'refuse'; readonly refusal: Refusal; readonly write?: Write }
  /** Leaves for another site, to return to this step. */
  | { readonly move: 'leave'; readonly to: string; readonly write?: Write };

/**
 * Changes that belong to a move, stored in one transaction with the state of the walk. Throws `Invalid` to send the
 * person back to the previous step, `Problem` to end the walk.
 */
export type Write = (tx: Query, call: Call) => Promise<void>;

/** Combines the writes of two moves. */
export const inSequence = (one: Write | undefined, other: Write | undefined): Write | undefined =>
  one && other
    ? async (tx, call) => {
        await one(tx, call);
        await other(tx, call);
      }
    : (one ?? other);

export const ask = (challenge: Row | MakeChallenge = {}, component?: string): Move => ({
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
/** Continues without the browser's session, which `write` ends. */
export const signOut = (session: string, write: Write, cookies: readonly string[]): Move => ({
  move: 'next',
  write,
  cookies,
  ends: session,
});
export const deny = (message: UserText, write?: Write): Move => ({ move: 'deny', message, ...(write && { write }) });
/** Denies if the plan has no refusal. */
export const refuse = ({ walk: { plan } }: Pick<Step, 'walk'>, message: UserText): Move =>
  plan.refusal ? { move: 'refuse', refusal: plan.refusal } : deny(message);

/** A text in the step's memory, created on first use. */
export function rememberedText({ memory }: Pick<Step, 'memory'>, name: string, make: () => string): string {
  const stored = memory[name];
  if (typeof stored === 'string') return stored;
  const created = make();
  memory[name] = created;
  return created;
}
