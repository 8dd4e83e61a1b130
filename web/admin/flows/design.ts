import type { FlowDesign } from '../../api/types.ts';
import { type Loadable, useAnswer } from '../../elements/loading.tsx';
import { type Text, t } from '../../texts/texts.ts';
import { useEntry } from '../api/interface.ts';
import { kindName } from '../labels.ts';

export type DesignStep = FlowDesign['steps'][number];

export type Gate = FlowDesign['gates'][number];

export type Finding = NonNullable<FlowDesign['findings']>[number];

export const flowsPath = '/flows/instances/';
export const bindingsPath = '/flows/bindings/';
export const gatesPath = '/policies/bindings/';

export const useDesign = (slug: string): Loadable<FlowDesign> =>
  useAnswer<FlowDesign>(`${flowsPath}${encodeURIComponent(slug)}/design/`);

/** Only superusers change flows that users sign in through. */
export const useCanDesign = (design: FlowDesign | null): boolean =>
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

export const purposeOf = ({ designation }: Pick<FlowDesign, 'designation'>): string =>
  purposes[designation] ? t(purposes[designation]) : designation;

const afterWrong: Readonly<Record<string, Text>> = {
  retry: 'The stage is repeated',
  restart: 'The flow restarts',
  restart_with_context: 'The flow restarts, keeping its data',
};

export const afterWrongAnswer = ({ invalid_response_action: action }: DesignStep): string =>
  afterWrong[action] ? t(afterWrong[action]) : action;
