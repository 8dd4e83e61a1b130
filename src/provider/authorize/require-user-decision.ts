import { pageFrame } from '../../core/brand/page-frame.ts';
import { startPlannedFlow } from '../../flow/executor/start-planned-flow.ts';
import type { FlowPlan } from '../../flow/plan.ts';
import { message, type UserText } from '../../lib/texts/message.ts';
import { plainPage } from '../../platform/http/plain-page.ts';
import type { HttpResponse } from '../../platform/http/routes.ts';
import { randomToken } from '../../platform/random.ts';
import type { Call } from '../../resource/call.ts';
import { redirectBrowser } from '../browser-responses.ts';
import type { ClientApplication } from '../client-application.ts';
import { createDecisionStep } from './decide.ts';
import type { AuthorizationDependencies, RequestingProvider } from './dependencies.ts';
import { slugOf } from './sign-in-first.ts';

export interface AuthorizationRequest {
  /** The model of the provider, whose appended steps respond to the request. */
  readonly kind: string;
  readonly provider: RequestingProvider;
  /** The request of the application, returned with the ticket. */
  readonly request: unknown;
  /** What the stages of the flow read. */
  readonly context: FlowPlan['context'];
  /** Whether the person is to see no page. */
  readonly isSilent: boolean;
  /** The path at which a ticket is redeemed. */
  pathOf(ticket: string): string;
}

/** How far the person came. */
export type AuthorizationOutcome =
  /** The flow needed no input: the ticket can be redeemed at once. */
  | { readonly outcome: 'decided'; readonly ticket: string; readonly cookies: readonly string[] }
  /** They see a page; in the end they come with the ticket. */
  | { readonly outcome: 'page'; readonly answer: HttpResponse }
  /** They would have seen a page, with this component, but must not. */
  | { readonly outcome: 'silenced'; readonly component: string }
  | { readonly outcome: 'missing' }
  | { readonly outcome: 'broken' };

/** The context of a flow about its application. */
export const applicationContext = ({ pk, name }: Pick<ClientApplication, 'pk' | 'name'>) => ({
  application: pk,
  application_name: name,
  consent_header: message('You are about to sign in to {name}.', { name }).stored(),
});

/**
 * Takes the person through the authorization flow of a provider, whose last transaction allows or refuses the request.
 */
export async function requireUserDecision(
  needs: AuthorizationDependencies,
  call: Call,
  asking: AuthorizationRequest,
): Promise<AuthorizationOutcome> {
  const { kind, provider, request, isSilent } = asking;
  const { application, authorization_flow } = provider;
  const ticket = randomToken();
  const next = asking.pathOf(ticket);
  const decidable = { provider: provider.pk, flow: authorization_flow ?? '', id: ticket, request };
  const begun = await startPlannedFlow(needs, call, {
    slug: (await slugOf(call.db.read, authorization_flow)) ?? '',
    context: asking.context,
    append: [createDecisionStep(kind, 'granted', decidable)],
    refusal: {
      append: [createDecisionStep(kind, 'denied', decidable)],
      next,
      application_name: application.name,
    },
    next,
  });
  switch (begun.outcome) {
    case 'over':
      return { outcome: 'decided', ticket, cookies: begun.cookies };
    case 'asks':
      if (isSilent) {
        await begun.forget();
        return { outcome: 'silenced', component: begun.component };
      }
      return { outcome: 'page', answer: redirectBrowser(begun.to, begun.cookies) };
    case 'denied':
      if (begun.message === null || isSilent) return { outcome: 'decided', ticket, cookies: [] };
      return { outcome: 'page', answer: await deniedPage(call, provider, begun.message, next) };
    default:
      return { outcome: begun.outcome };
  }
}

/** The flow denied the user before its first challenge: the application is notified after the user has read why. */
const deniedPage = async (call: Call, { application }: RequestingProvider, why: UserText, to: string) =>
  plainPage({
    status: 403,
    ...(await pageFrame(call)),
    title: 'Access denied',
    paragraphs: [why],
    link: { to, text: message('Back to {name}', { name: application.name }) },
  });
