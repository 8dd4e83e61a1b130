import type { Kind } from '../core/kind/kind.ts';
import type { UserText } from '../lib/texts/message.ts';
import type { Query } from '../platform/db/database.ts';
import type { Call, NewEvent } from '../resource/call.ts';
import type { Resource } from '../resource/resource.ts';
import type { PolicySettings } from './policy.family.ts';
import type { PolicyRequest } from './request.ts';

/** A kind of policy: its resource, and its evaluation with settings `S`. */
export interface PolicyKind<S = PolicySettings> extends Kind {
  readonly resource: Resource<S>;
  /** Whether it might pass for an event of this action; by default, any might. */
  mightMatch?(policy: S, action: string): boolean;
  /** The result of a policy if it is constant; null if it depends on the request. */
  constantResult?(policy: S): boolean | null;
  /** Called when a sign-in attempt ends, in the transaction that records it. */
  noteAttempt?(tx: Query, attempt: SignInAttempt, call: Call): Promise<void>;
  /** Its rules about new passwords, for people who choose one. */
  passwordRules?(policy: S): readonly PasswordRule[];
  /** Throws when it cannot decide; then the binding's `failure_result` applies (deny by default). */
  evaluate(policy: S, request: PolicyRequest, query: Query): Promise<Verdict> | Verdict;
}

/** A rule about a new password that a page can check while it is typed. */
export interface PasswordRule {
  /** The prompt that it applies to. */
  readonly field_key: string;
  readonly kind: (typeof passwordRuleKinds)[number];
  readonly at_least: number;
  /** The characters that count as symbols; empty for other kinds. */
  readonly characters: string;
}

export const passwordRuleKinds = ['length', 'digits', 'uppercase', 'lowercase', 'symbols'] as const;

/** Infers the type of the settings, and erases it so that all kinds fit one list. */
export const definePolicyKind = <S extends PolicySettings>(kind: PolicyKind<S>): PolicyKind => kind;

export interface SignInAttempt {
  /** The name that was entered. */
  readonly identifier: string;
  readonly ip: string;
  /** 1 for success, -1 for failure. */
  readonly by: number;
  readonly now: string;
}

export interface Verdict {
  readonly passing: boolean;
  /** Messages for the denied user. */
  readonly messages: readonly UserText[];
  /** For the author of the policy. */
  readonly logs?: readonly string[];
  /** Events that the policy's author wants recorded. */
  readonly events?: readonly NewEvent[];
  /** Side effects of the decision; not run in tests of a policy. */
  readonly consequence?: (tx: Query, call: Call) => Promise<void>;
}

/** Thrown by a policy that cannot decide, with a message for the user. */
export class CannotDecide extends Error {
  readonly words: UserText;

  constructor(words: UserText) {
    super(String(words));
    this.words = words;
  }
}

export const pass: Verdict = { passing: true, messages: [] };
export const refuse = (...messages: UserText[]): Verdict => ({ passing: false, messages });
