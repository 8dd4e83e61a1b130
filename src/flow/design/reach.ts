import type { StageRole } from '../executor/stage-kind.ts';

/** An enabled binding of a flow or one of its stages. */
export interface LintedGate {
  readonly negate: boolean;
  /** Its result before `negate`, if constant. */
  readonly decides: boolean | null;
  /** A group or a user: fails until a user is identified. */
  readonly isAboutPerson: boolean;
}

export interface Gates {
  readonly mode: 'all' | 'any';
  readonly gates: readonly LintedGate[];
}

export interface LintedStep extends Gates {
  readonly binding: string;
  readonly roles: readonly StageRole[];
  readonly evaluate_on_plan: boolean;
  readonly re_evaluate_policies: boolean;
}

/** The input of the linter. */
export interface LintedFlow extends Gates {
  readonly designation: string;
  readonly authentication: string;
  /** Whether people of a brand sign in by it. */
  readonly isSignIn: boolean;
  /** Whether a source starts it, for a person it has recognised. */
  readonly isOfSource: boolean;
  readonly steps: readonly LintedStep[];
}

type Outcome = 'always' | 'sometimes' | 'never';

/** A step, and who comes to it. */
export interface ReachedStep extends LintedStep {
  /** `ended`: an earlier step always ends the flow. */
  readonly reach: Outcome | 'ended';
  /** Whether the user is identified when the step begins. */
  readonly isUserKnown: boolean;
}

/** Designations of flows that people walk before they are signed in. */
export const anonymousDesignations: ReadonlySet<string> = new Set(['authentication', 'enrollment', 'recovery']);

export const startsWithUser = ({ designation, authentication, isOfSource }: LintedFlow): boolean =>
  !anonymousDesignations.has(designation) || isOfSource || /^require_(authenticated|superuser)$/.test(authentication);

/** Follows the flow from its beginning: who comes to which step. */
export function reachedSteps(flow: LintedFlow): ReachedStep[] {
  const atPlan = startsWithUser(flow);
  let isUserKnown = atPlan;
  let isEnded = outcomeOf(flow, atPlan) === 'never';
  return flow.steps.map((step) => {
    const outcomes = [
      ...(step.evaluate_on_plan ? [outcomeOf(step, atPlan)] : []),
      ...(step.re_evaluate_policies ? [outcomeOf(step, isUserKnown)] : []),
    ];
    const reach = isEnded ? 'ended' : combined(outcomes);
    const reached = { ...step, reach, isUserKnown } as const;
    if (isReached(reached) && step.roles.includes('identifies')) isUserKnown = true;
    if (reach === 'always' && step.roles.some((role) => role === 'signs out' || role === 'deletes user'))
      isUserKnown = false;
    if (reach === 'always' && step.roles.includes('turns away')) isEnded = true;
    return reached;
  });
}

export const isReached = ({ reach }: Pick<ReachedStep, 'reach'>): boolean =>
  reach === 'always' || reach === 'sometimes';

/** The combined result of the gates, as in the policy engine. */
export function outcomeOf({ mode, gates }: Gates, isUserKnown: boolean): Outcome {
  if (gates.length === 0) return 'always';
  const verdicts = gates.map(({ negate, decides, isAboutPerson }) => {
    const decided = isAboutPerson && !isUserKnown ? false : decides;
    return decided === null ? null : decided !== negate;
  });
  const [settling, other] = mode === 'all' ? [false, true] : [true, false];
  if (verdicts.includes(settling)) return settling ? 'always' : 'never';
  if (verdicts.every((verdict) => verdict === other)) return other ? 'always' : 'never';
  return 'sometimes';
}

function combined(outcomes: readonly Outcome[]): Outcome {
  if (outcomes.includes('never')) return 'never';
  return outcomes.includes('sometimes') ? 'sometimes' : 'always';
}
