import { copyJson, type Json } from '../../lib/json.ts';
import type { FlowPlan } from '../plan.ts';

/** A flow as the executor needs it. */
export interface ExecutorFlow {
  readonly pk: string;
  readonly slug: string;
  readonly name: string;
  readonly title: string;
  readonly designation: string;
  readonly background: string;
  readonly layout: string;
  readonly denied_action: string;
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

/** What the walk has collected. Policies see the same names in `context`. */
export type FlowContext = {
  pending_user: number | null;
  /** The name that the person entered, whether or not such a user exists. */
  pending_user_identifier: string | null;
  prompt_data: Record<string, Json>;
  auth_method: string | null;
  auth_method_args: Record<string, Json>;
  is_sso: boolean;
  source: FlowPlan['source'];
  /** Keys of devices proven on this walk. */
  mfa_devices: string[];
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
  /** Who was signed in when the walk began. The walk is theirs, and ends with their session. */
  readonly actor: number | null;
  /** The hash of the token of the link that led here. */
  readonly link?: string;
}

/** What stages note of the user: that they opened a link, their devices, what they agreed to. */
const notesOfUser = ['is_restored', 'enrolled_devices', 'proven_devices', 'mfa_setup_begun', 'consented_scopes'];

/** Sets the user whom the walk is about. What was proven for another user is reset. */
export function setPendingUser(context: FlowContext, user: number | null): void {
  if (context.pending_user !== user) {
    Object.assign(context, { auth_method: null, auth_method_args: {}, is_sso: false, mfa_devices: [] });
    for (const name of notesOfUser) delete context[name];
  }
  context.pending_user = user;
}

/** The initial values of a walk, besides its plan. */
export type Start = Pick<FlowState, 'next' | 'query' | 'actor'>;

export function firstContext(plan: FlowPlan): FlowContext {
  return {
    pending_user: plan.pending_user,
    pending_user_identifier: null,
    prompt_data: copyJson(plan.prompt_data),
    auth_method: null,
    auth_method_args: {},
    is_sso: plan.sso,
    source: plan.source,
    mfa_devices: [],
    ...(plan.is_restored && { is_restored: true }),
    ...plan.context,
  };
}
