import type { Kind } from '../core/kind/kind.ts';
import type { Query } from '../platform/db/database.ts';
import type { Call, NewEvent } from '../resource/call.ts';
import type { Resource } from '../resource/resource.ts';
import type { PolicySettings } from './policy.family.ts';
import type { PolicyRequest } from './request.ts';

/** A kind of policy: how it is administered, and how it decides by its settings `S`. */
export interface PolicyKind<S = PolicySettings> extends Kind {
  readonly resource: Resource<S>;
  /** Whether it might pass for an event of this action; left out where any might. */
  mightMatch?(policy: S, action: string): boolean;
  /** Hears how attempts to sign in end, in the transaction that records it. */
  noteAttempt?(tx: Query, attempt: SignInAttempt): Promise<void>;
  /** Throws when it cannot decide; what a policy that throws means, its binding says (deny, unless told otherwise). */
  evaluate(policy: S, request: PolicyRequest, query: Query): Promise<Verdict> | Verdict;
}

/** Infers the type of the settings, and takes all kinds together in one list. */
export const definePolicyKind = <S extends PolicySettings>(kind: PolicyKind<S>): PolicyKind => kind;

export interface SignInAttempt {
  /** The name that was given. */
  readonly identifier: string;
  readonly ip: string;
  /** 1 for one that succeeded, -1 for one that failed. */
  readonly by: number;
  readonly now: string;
}

export interface Verdict {
  readonly passing: boolean;
  /** What the person who is refused is told. */
  readonly messages: readonly string[];
  /** What the author of the policy is told. */
  readonly logs?: readonly string[];
  /** What the author of the policy wants written down of it. */
  readonly events?: readonly NewEvent[];
  /** What the decision brings about; left out where a policy is only tried. */
  readonly consequence?: (tx: Query, call: Call) => Promise<void>;
}

/** Thrown by a policy that cannot decide, with words for the person who is refused. */
export class CannotDecide extends Error {}

export const pass: Verdict = { passing: true, messages: [] };
export const refuse = (...messages: string[]): Verdict => ({ passing: false, messages });
