import type { Json } from '../lib/json.ts';
import type { UserText } from '../lib/texts/message.ts';
import type { NewEvent } from '../resource/call.ts';
import type { ActiveBinding } from './bindings.ts';
import type { Decider } from './deciders.ts';
import { CannotDecide, type Verdict } from './kind.ts';
import type { PolicyRequest } from './request.ts';

export type PolicyMode = 'all' | 'any';

export interface PolicyResult {
  readonly passing: boolean;
  readonly messages: readonly UserText[];
  readonly logs: readonly PolicyLog[];
  /** The bindings behind the decision: those that failed, or those that passed. */
  readonly deciders: readonly Decider[];
}

export interface PolicyLog {
  readonly level: 'info' | 'warning';
  readonly text: string;
  /** Names the policy. */
  readonly attributes: Readonly<Record<string, string>>;
}

export interface Target {
  readonly pk: string;
  readonly mode: PolicyMode;
  /** The result of a target without active bindings; passes by default. */
  readonly emptyResult?: boolean;
  /** What expressions see as `obj`, if one request covers several targets. */
  readonly obj?: Json;
}

/** The result of one binding. */
export interface PolicyOutcome extends Omit<PolicyResult, 'deciders'>, Pick<Verdict, 'consequence'> {
  readonly decider: Decider;
  readonly events: readonly NewEvent[];
}

/** Includes membership through child groups: a user's facts list the ancestors of their groups. */
export const isMember = ({ group }: ActiveBinding, { user }: PolicyRequest) =>
  user?.groups.some(({ pk }) => pk === group) === true;

export const isUser = ({ user }: ActiveBinding, request: PolicyRequest) => user !== null && user === request.user?.pk;

/** Hides the details of internal failures from the denied user. */
export const publicMessage = (error: unknown): UserText =>
  error instanceof CannotDecide ? error.words : 'The policy could not be evaluated.';

export const deciderOf = (
  { pk, group, user }: ActiveBinding,
  passing: boolean,
  policy?: { readonly name: string },
): Decider => ({
  binding: pk,
  passing,
  policy: policy?.name ?? null,
  group,
  user,
});

export const passingOutcome = (binding: ActiveBinding): PolicyOutcome => ({
  passing: true,
  messages: [],
  logs: [],
  events: [],
  decider: deciderOf(binding, true),
});

export const resultWithoutBindings = (passing: boolean): PolicyResult => ({
  passing,
  messages: [],
  logs: [],
  deciders: [],
});

export function combine({ mode, emptyResult = true }: Target, outcomes: readonly PolicyOutcome[]): PolicyResult {
  if (outcomes.length === 0) return resultWithoutBindings(emptyResult);
  const passing =
    mode === 'all' ? outcomes.every((outcome) => outcome.passing) : outcomes.some((outcome) => outcome.passing);
  return {
    passing,
    messages: outcomes.flatMap(({ messages }) => messages),
    logs: outcomes.flatMap(({ logs }) => logs),
    deciders: outcomes.map(({ decider }) => decider).filter((decider) => decider.passing === passing),
  };
}

/** A log entry as the API shows it. */
export const shownLog = (timestamp: string, { level, text, attributes }: PolicyLog) => ({
  timestamp,
  log_level: level,
  logger: 'gatehouse.policy',
  event: text,
  attributes,
});

export const logOf = (policy: { readonly name: string }, level: PolicyLog['level'], text: string): PolicyLog => ({
  level,
  text,
  attributes: { policy: policy.name },
});
