import type { Call } from '../../resource/call.ts';
import type { Row } from '../../resource/fields/field.ts';
import { flowPage, redirectComponent, redirectTo } from './challenge.ts';
import type { ExecutorFlow, FlowState } from './flow-state.ts';

/** Builds the URL that redirects the browser to clients and then to `to`. */
export type LogoutRedirect = (to: string) => string;

/** The redirect to clients that only this browser can notify when its session ends; null if there are none. */
export type FindLogoutRedirect = (call: Call, session: string) => Promise<LogoutRedirect | null>;

/**
 * Redirects to those clients first. A walk ends with its session, so an open challenge is shown again to an anonymous
 * visitor.
 */
export function redirectThroughLogout(
  logoutRedirect: LogoutRedirect,
  flow: ExecutorFlow,
  { next }: FlowState,
  challenge: Row,
): Row {
  return redirectTo(
    logoutRedirect(
      challenge.component === redirectComponent ? String(challenge.to) : flowPage(flow.slug, next, flow.attempt),
    ),
  );
}
