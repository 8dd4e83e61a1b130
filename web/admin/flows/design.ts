import { type Loadable, useAnswer } from '../../elements/loading.tsx';
import { type Text, t } from '../../texts/texts.ts';
import { useEntry } from '../api/interface.ts';
import { kindName } from '../labels.ts';

/** What `flows_instances_design_retrieve` answers. Members that the caller may not see are null. */
export interface Design {
  readonly pk: string;
  readonly slug: string;
  readonly name: string;
  readonly title: string;
  readonly designation: string;
  readonly target: string;
  /** Whether a brand signs people in by it. */
  readonly is_sign_in: boolean;
  /** Why the caller may not change it although they may hold the permission. */
  readonly locked: string | null;
  readonly policy_engine_mode: 'all' | 'any';
  readonly gates: readonly Gate[];
  readonly steps: readonly DesignStep[];
  readonly findings: readonly Finding[] | null;
}

export interface DesignStep {
  readonly pk: string;
  readonly target: string;
  readonly order: number;
  readonly evaluate_on_plan: boolean;
  readonly re_evaluate_policies: boolean;
  readonly policy_engine_mode: 'all' | 'any';
  readonly invalid_response_action: string;
  readonly stage: string | null;
  readonly name: string | null;
  readonly type: string | null;
  readonly path: string | null;
  readonly gates: readonly Gate[];
}

export interface Gate {
  readonly pk: string;
  readonly order: number;
  readonly enabled: boolean;
  readonly negate: boolean;
  readonly policy: string | null;
  readonly group: string | null;
  readonly user: number | null;
  readonly name: string | null;
  readonly type: string | null;
  readonly path: string | null;
}

export interface Finding {
  readonly code: string;
  readonly severity: 'error' | 'warning' | 'info';
  readonly message: string;
  readonly advice: string;
  readonly binding: string | null;
}

export const flowsPath = '/flows/instances/';
export const bindingsPath = '/flows/bindings/';
export const gatesPath = '/policies/bindings/';

export const useDesign = (slug: string): Loadable<Design> =>
  useAnswer<Design>(`${flowsPath}${encodeURIComponent(slug)}/design/`);

/** Only superusers change flows that users sign in through. */
export const useCanDesign = (design: Design | null): boolean =>
  useEntry(flowsPath)?.may.change === 'all' && design?.locked === null;

/** Kinds are named by the server. */
export const typeOf = ({ type }: { readonly type: string | null }): string => (type === null ? '' : kindName(type));

const purposes: Readonly<Record<string, Text>> = {
  authentication: 'Flow for signing in',
  authorization: 'Flow for access to applications',
  enrollment: 'Flow for enrollment',
  invalidation: 'Flow for signing out',
  recovery: 'Flow for recovery',
  stage_configuration: 'Flow for setting something up',
  unenrollment: 'Flow for deleting accounts',
};

export const purposeOf = ({ designation }: Pick<Design, 'designation'>): string =>
  purposes[designation] ? t(purposes[designation]) : designation;

const afterWrong: Readonly<Record<string, Text>> = {
  retry: 'The stage is repeated',
  restart: 'The flow restarts',
  restart_with_context: 'The flow restarts, keeping its data',
};

export const afterWrongAnswer = ({ invalid_response_action: action }: DesignStep): string =>
  afterWrong[action] ? t(afterWrong[action]) : action;
