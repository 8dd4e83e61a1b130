import { type ProvenEmail, proofMethods } from '../../core/directory/email-proof.ts';
import { asObject, copyJson, isJsonObject, isSameJson, type Json } from '../../lib/json.ts';
import type { Words } from '../../lib/texts/message.ts';
import type { FlowPlan } from '../plan.ts';

/** A flow as the executor needs it. */
export interface ExecutorFlow {
  readonly pk: string;
  readonly slug: string;
  readonly name: string;
  readonly title: Words;
  readonly designation: string;
  readonly background: string;
  readonly layout: string;
  readonly denied_action: string;
  /** The attempt of the requesting page, unless it is the shared one. */
  readonly attempt?: string;
  /** Whether cancelling leads back instead of to the sign-in. */
  readonly leadsBack?: boolean;
}

/** One stage to pass, as planned. */
export interface PlannedStage {
  readonly binding: string;
  /** The policy target of the binding. */
  readonly target: string;
  readonly mode: 'all' | 'any';
  readonly evaluateAtRun: boolean;
  readonly stage: string;
  readonly kind: string;
  readonly onInvalid: 'retry' | 'restart' | 'restart_with_context';
  /** Not bound to the flow: another stage led here, and continues after this one. */
  readonly isDetour?: boolean;
}

/** The data of the walk. Policies read the same names from `context`. */
export type FlowContext = {
  /** Whom the walk is about. `setPendingUser` changes it, with what belongs to it. */
  readonly pending_user: number | null;
  /** The name that the person entered, whether or not such a user exists. */
  pending_user_identifier: string | null;
  prompt_data: Record<string, Json>;
  auth_method: string | null;
  auth_method_args: Record<string, Json>;
  is_sso: boolean;
  source: FlowPlan['source'];
  /** Keys of devices proven on this walk. */
  mfa_devices: string[];
  /** Whether the person opened a link that was sent to them. */
  is_restored: boolean;
  /** What stages note about the pending user, for other stages. */
  user_notes: Record<string, Json>;
  /** Further members that stages pass on: an invitation, the requested application. */
  [name: string]: Json | FlowPlan['source'];
};

/** The state of one walk through one flow; sealed on the server, found by a cookie. */
export interface FlowState {
  readonly plan: FlowPlan;
  readonly stages: readonly PlannedStage[];
  /** The index of the current stage. */
  readonly at: number;
  readonly context: FlowContext;
  readonly memory: Record<string, Json>;
  /** The path on this server to continue at after the flow. */
  readonly next: string | null;
  /** The query string of the page on which the walk began. */
  readonly query: Readonly<Record<string, string>>;
  /** The user who was signed in when the walk began. It belongs to them and ends with their session. */
  readonly actor: number | null;
  /** The hash of the token of the link that led here. */
  readonly link?: string;
}

/** Members that are true of one user only, before the person has shown anything. */
const nothingShown = () => ({
  auth_method: null,
  auth_method_args: {},
  is_sso: false,
  mfa_devices: [],
  is_restored: false,
  user_notes: {},
  proven_email: null,
});

/** Sets the user whom the walk is about. What was shown for another user is reset. */
export function setPendingUser(context: FlowContext, user: number | null): void {
  if (context.pending_user !== user) Object.assign(context, { pending_user: user, ...nothingShown() });
}

/**
 * Sets the user of a typed name. An unknown name counts as another user, too, so that nothing reveals whether it exists
 * (user enumeration).
 */
export function setNamedUser(context: FlowContext, name: string | null, user: number | null): void {
  if (user === null) Object.assign(context, nothingShown());
  setPendingUser(context, user);
  context.pending_user_identifier = name;
}

/** Whether the user has authenticated on this walk, or was signed in before. */
export const isProven = ({ auth_method, is_sso, mfa_devices, is_restored }: FlowContext): boolean =>
  auth_method !== null || is_sso || mfa_devices.length > 0 || is_restored;

/** Whether that opens the account itself: app passwords are for programs, which may lose them. */
export const isOwnerProven = (context: FlowContext): boolean =>
  isProven({ ...context, auth_method: context.auth_method === 'app_password' ? null : context.auth_method });

/** Records that the user has verified an address. */
export function setProvenEmail(context: FlowContext, proven: ProvenEmail): void {
  context.proven_email = proven;
}

/** The address that was proven on this walk. */
export function provenEmail(context: FlowContext): ProvenEmail | null {
  const proven: unknown = context.proven_email;
  if (!isJsonObject(proven) || typeof proven.email !== 'string') return null;
  const by = proofMethods.find((method) => method === proven.by);
  return by === undefined ? null : { email: proven.email, by };
}

const passwordNote = 'password_set';

/**
 * Notes when the password was set that the user had when they showed who they are. Clocks of instances differ, so it is
 * compared as it is.
 */
export function setPasswordTime({ user_notes }: FlowContext, set: string): void {
  user_notes[passwordNote] = set;
}

/** The note; null if nothing was shown yet. */
export function getPasswordTime({ user_notes }: FlowContext): string | null {
  const set = user_notes[passwordNote];
  return typeof set === 'string' ? set : null;
}

/** Counts a wrong answer to a stage, for the whole walk: a restart does not reset the count. Returns the count. */
export function countFailure(context: FlowContext, stage: string): number {
  const counts = asObject(context.failures);
  const count = Number(counts[stage] ?? 0) + 1;
  context.failures = { ...counts, [stage]: count };
  return count;
}

/** The context of a walk that restarts. */
export const restartedContext = (plan: FlowPlan, { failures }: FlowContext): FlowContext => ({
  ...firstContext(plan),
  ...(failures !== undefined && { failures }),
});

/** The data that must not pass to another browser (session fixation): all but typed values, which prove nothing. */
function holdingsOf(context: FlowContext) {
  const { pending_user, pending_user_identifier, show_matched_user, recovery_flow, failures, prompt_data, ...held } =
    context;
  return isProven(context) ? { pending_user, ...held } : held;
}

/** Whether that data, or its user, has changed. */
export const needsNewToken = (before: FlowContext, after: FlowContext): boolean =>
  !isSameJson(holdingsOf(before), holdingsOf(after));

/**
 * The walk continues with the user that it created. Proofs of the person remain valid, except those of another user.
 */
export function setCreatedUser(context: FlowContext, user: number): void {
  if (context.pending_user !== null) setPendingUser(context, user);
  Object.assign(context, { pending_user: user, created_user: user });
}

/** The initial values of a walk, apart from its plan. */
export type Start = Pick<FlowState, 'next' | 'query' | 'actor'>;

export function firstContext(plan: FlowPlan): FlowContext {
  return {
    pending_user: plan.pending_user,
    pending_user_identifier: null,
    prompt_data: copyJson(plan.prompt_data),
    ...nothingShown(),
    ...(plan.password_set !== undefined && { user_notes: { [passwordNote]: plan.password_set } }),
    is_sso: plan.sso,
    is_restored: plan.is_restored === true,
    source: plan.source,
    ...plan.context,
  };
}

/** Parses a stored state. Release 0.2.0 stores data about the user in separate members. */
export function storedState(state: FlowState): FlowState {
  const { context } = state;
  return Object.hasOwn(context, 'user_notes') ? state : { ...state, context: { ...context, user_notes: context } };
}
