import type { Complaints } from '../../lib/problem.ts';
import { message, type UserText } from '../../lib/texts/message.ts';
import type { Call } from '../../resource/call.ts';
import { booleanSchema } from '../../resource/document/json-schema.ts';
import type { Row } from '../../resource/fields/field.ts';
import { sharedAttempt, withAttempt } from '../attempt.ts';
import type { Refusal } from '../plan.ts';
import type { ExecutorFlow, FlowState } from './flow-state.ts';

export const cancelPath = '/flows/-/cancel/';
/** The same for signed-in users, back to the page they came from. */
const backPath = `${cancelPath}?back`;
export const redirectComponent = 'xak-flow-redirect';
export const deniedComponent = 'xak-stage-access-denied';
export const faultComponent = 'xak-stage-flow-error';
/** The screens for a mailed link: one for sent, one for opened. */
export const linkComponent = 'xak-stage-email';

/** Asks for confirmation before a flow that changes something without other input (CSRF). */
export const confirmScreen = {
  component: 'xak-flow-confirm',
  challenge: { signs_out: booleanSchema, sends_mail: booleanSchema },
  answer: {},
} as const;

/** The members common to all challenges. */
export function challengeOf(flow: ExecutorFlow, component: string, members: Row): Row {
  return {
    flow_info: {
      title: flow.title,
      background: flow.background,
      cancel_url: withAttempt(flow.leadsBack ? backPath : cancelPath, flow.attempt ?? sharedAttempt),
      layout: flow.layout,
    },
    component,
    ...members,
  };
}

/** Who is signed in and sets something up goes back to where they came from; others go to the sign-in. */
export const withReturnLink = <Flow extends ExecutorFlow>(flow: Flow, { actor }: Call): Flow =>
  actor && flow.designation === 'stage_configuration' ? { ...flow, leadsBack: true } : flow;

const place = '%(app)s';
/** The title of the shipped flow; administrators may write others. */
export const titleForApplications = `Sign in to ${place}`;

/** Titles may name the application that the flow is for. */
export function withTitle(flow: ExecutorFlow, { context }: FlowState): ExecutorFlow {
  if (typeof flow.title !== 'string' || !flow.title.includes(place)) return flow;
  const app = typeof context.application_name === 'string' ? context.application_name : '';
  const title =
    flow.title === titleForApplications
      ? message('Sign in to {app}', { app })
      : flow.title.replaceAll(place, () => app);
  return { ...flow, title };
}

/** The screen for a denied user (`whom`), as configured in the flow. */
export function deniedChallenge(flow: ExecutorFlow, message: UserText, next: string | null, whom: Row): Row {
  if (flow.denied_action === 'continue' && next) return redirectTo(next);
  const to = flow.denied_action === 'message_continue' ? next : null;
  return challengeOf(flow, deniedComponent, { ...whom, error_message: message, ...(to && { to }) });
}

/**
 * The same when an application waits for the result. Unless the flow redirects, it shows the reason and a link back.
 */
export function refusedChallenge(
  flow: ExecutorFlow,
  message: UserText,
  { next: to, application_name }: Refusal,
  whom: Row,
): Row {
  if (flow.denied_action === 'continue') return redirectTo(to);
  return challengeOf(flow, deniedComponent, {
    ...whom,
    error_message: message,
    to,
    ...(application_name && { application_name }),
  });
}

/** The page of a flow, with `next` and the attempt. */
export const flowPage = (slug: string, next: string | null = null, attempt = sharedAttempt): string => {
  const query = next === null ? '' : `?next=${encodeURIComponent(next)}`;
  return withAttempt(`/if/flow/${encodeURIComponent(slug)}/${query}`, attempt);
};

export const redirectTo = (to: string): Row => ({ component: redirectComponent, to });

/** Adds the errors of the previous answer to a challenge, unless it ends the walk. */
export const withComplaints = (challenge: Row, errors: Complaints): Row =>
  endings.has(String(challenge.component)) ? challenge : { ...challenge, response_errors: detailedErrors(errors) };

const endings: ReadonlySet<string> = new Set([deniedComponent, faultComponent, redirectComponent]);

/** Complaints in the form that screens expect: a text and a code each. */
function detailedErrors(errors: Complaints): Row {
  const details = ([name, complaint]: [string, Complaints[string]]) => [
    name,
    Object.values(complaint)
      .flat()
      .map((text) => ({ string: text, code: 'invalid' })),
  ];
  return Object.fromEntries(Object.entries(errors).map(details));
}
