import type { Call } from '../../resource/call.ts';
import type { Row } from '../../resource/fields/field.ts';
import { flowPage, redirectComponent, redirectTo } from './challenge.ts';
import type { ExecutorFlow, FlowState } from './flow-state.ts';

/** The URL that takes the browser to `to` by the detour. */
export type Detour = (to: string) => string;

/** For a session that ends in its own browser: the detour past clients that only this browser can notify. Null when there are none. */
export type DetourOf = (call: Call, session: string) => Promise<Detour | null>;

/** The same by the detour. A walk ends with its session, so an open challenge is shown again to an anonymous visitor. */
export function afterDetour(detour: Detour, flow: ExecutorFlow, { next }: FlowState, shown: Row): Row {
  return redirectTo(detour(shown.component === redirectComponent ? String(shown.to) : flowPage(flow.slug, next)));
}
