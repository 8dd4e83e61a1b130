import type { Call } from '../../resource/call.ts';
import type { Row } from '../../resource/fields/field.ts';
import { flowPage, redirectComponent, redirectTo } from './challenge.ts';
import type { ExecutorFlow, FlowState } from './flow-state.ts';

/** The URL that takes the browser to `to` through the detour. */
export type Detour = (to: string) => string;

/** A detour to clients that only this browser can notify when its session ends; null if there are none. */
export type DetourOf = (call: Call, session: string) => Promise<Detour | null>;

/**
 * Goes on through the detour. A walk ends with its session, so an open challenge is shown again to an anonymous
 * visitor.
 */
export function afterDetour(detour: Detour, flow: ExecutorFlow, { next }: FlowState, challenge: Row): Row {
  return redirectTo(
    detour(challenge.component === redirectComponent ? String(challenge.to) : flowPage(flow.slug, next, flow.attempt)),
  );
}
