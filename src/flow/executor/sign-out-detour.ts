import type { Call } from '../../resource/call.ts';
import type { Row } from '../../resource/fields/field.ts';
import { flowPage, redirectComponent, redirectTo } from './challenge.ts';
import type { ExecutorFlow, FlowState } from './flow-state.ts';

/** The address by way of which a browser comes to `to`. */
export type Detour = (to: string) => string;

/**
 * For a session that is about to end in its own browser: the way by those who can be told of it by that browser alone. Null
 * when there is nobody to tell.
 */
export type DetourOf = (call: Call, session: string) => Promise<Detour | null>;

/** The same, by the detour first. A walk does not outlast its session: whoever was asked something is asked anew, as a stranger. */
export function afterDetour(detour: Detour, flow: ExecutorFlow, { next }: FlowState, shown: Row): Row {
  return redirectTo(detour(shown.component === redirectComponent ? String(shown.to) : flowPage(flow.slug, next)));
}
