import { sql } from 'kysely';
import { checkNotImpersonating } from '../core/access/impersonation-guard.ts';
import { pageFrame } from '../core/brand/page-frame.ts';
import { csrfField, csrfFormField, isCsrfFormValid } from '../core/session/csrf-form-field.ts';
import { applicableFlow } from '../flow/applicable-flow.ts';
import { newAttempt, planCookies, plansOf } from '../flow/attempt.ts';
import { flowPage } from '../flow/executor/challenge.ts';
import { createPlan, savePlan } from '../flow/plan.ts';
import { ownPath } from '../lib/own-path.ts';
import { message } from '../lib/texts/message.ts';
import { autoForm } from '../platform/http/auto-form.ts';
import { plainPage } from '../platform/http/plain-page.ts';
import type { HttpResponse } from '../platform/http/routes.ts';
import type { InstanceKey } from '../platform/keys.ts';
import { randomToken } from '../platform/random.ts';
import { callersFacts } from '../policy/request.ts';
import { authenticateAgain, isRecentlyAuthenticated } from '../resource/access/recent-authentication.ts';
import { passStep } from './append-steps.ts';
import type { PendingLogin } from './callback-result.ts';
import {
  browserCookie,
  browserSecret,
  buildPendingLoginRow,
  consumePending,
  findPendingLogin,
  newBrowserSecret,
  storePendingLogin,
} from './pending-logins.ts';
import {
  type RedirectSource,
  type RedirectTarget,
  redirect,
  type SourceRequest,
  settingsPage,
} from './redirect-source.ts';
import { accessDenied, checkMayStartLogin, sourceFacts } from './sign-in.ts';
import type { SourceRow } from './source.family.ts';

/**
 * Sends a browser to a source: to sign in, to link the account there to the user who is signed in (`link`), to sign
 * that user in again, or to identify the user of a walk (`ticket`).
 */
export async function redirectToSource<S extends SourceRow, A>(
  kind: RedirectSource<S, A>,
  visitor: SourceRequest<S>,
): Promise<HttpResponse> {
  const { needs, protocol, isSecure } = kind;
  const { source, call, given } = visitor;
  await checkMayStartLogin(needs.policies, source, call);
  const ticket = tokenOf(given, 'ticket');
  const isLink = call.actor !== null && ticket === null && given.has(linkParameter);
  if (call.actor && ticket === null) checkNotImpersonating(call);
  if (isLink && !isRecentlyAuthenticated(call)) return redirect(authenticateAgain(ownAddress(visitor)), [], 303);
  const isConfirmed = isLink && isCsrfFormValid(needs.key, call, given, linkOf(source));
  const browser = browserSecret(call.request, isSecure) ?? newBrowserSecret();
  const detour = await redirectThroughPreLoginFlow(kind, visitor, browser, isLink && !isConfirmed);
  if (detour) return detour;
  if (isLink && !isConfirmed) return renderLinkConfirmation(needs.key, visitor);
  if (!isConfirmed && protocol.confirmsRedirect?.(source) && !given.has('go')) return renderContinuePage(visitor);
  const state = randomToken();
  const isAgain = call.actor !== null && !isLink;
  const { to, secrets } = await protocol.startLogin(source, { state, loginHint: hintOf(given), isAgain }, call);
  const next = ownPath(given.get('next'), needs.config.publicUrl);
  const pending: PendingLogin = { actor: call.actor?.user.pk ?? null, isLink, next, ticket, secrets };
  const visit = { purpose: 'out', token: state, browser, source: source.pk } as const;
  await call.db.write((tx) => storePendingLogin(tx, needs.key, visit, pending, call), { durable: false });
  return redirectOrPost(to, [browserCookie(browser, isSecure)]);
}

/** Submits the confirmation page. Without a session there is no user to link: a sign-in starts instead. */
export const submitLink = <S extends SourceRow, A>(
  kind: RedirectSource<S, A>,
  visitor: SourceRequest<S>,
): Promise<HttpResponse> =>
  visitor.call.actor ? redirectToSource(kind, visitor) : Promise.resolve(redirect(ownAddress(visitor), [], 303));

/** The user whose account is to be linked. Added by our own pages (`SourceLink.configureUrl`). */
const linkParameter = 'link';

/** The path at which a user begins to link their account at a source. */
export const linkPath = (loginPath: string): string => `${loginPath}?${linkParameter}`;

/** The address of this request, without the fields of the form. */
function ownAddress<S extends SourceRow>({ call, given }: SourceRequest<S>): string {
  const query = new URLSearchParams();
  for (const name of [linkParameter, 'next']) if (given.has(name)) query.set(name, given.get(name) ?? '');
  return `${call.request.path}?${query}`;
}

export function redirectOrPost(to: RedirectTarget, cookies: readonly string[] = []): HttpResponse {
  if (typeof to === 'string') return redirect(to, cookies);
  const page = autoForm(to.action, to.members);
  return cookies.length === 0 ? page : { ...page, headers: { ...page.headers, 'set-cookie': [...cookies] } };
}

const tokenOf = (given: URLSearchParams, name: 'ticket' | 'passed'): string | null => {
  const token = given.get(name);
  return token !== null && /^[\w-]{43}$/.test(token) ? token : null;
};

const hintOf = (given: URLSearchParams): string | null => {
  const hint = given.get('login_hint');
  return hint !== null && hint !== '' && hint.length <= 254 ? hint : null;
};

/**
 * Starts the pre-login flow, which returns here; null if it does not exist or has no stages. `isKept`: the
 * browser comes once more.
 */
async function redirectThroughPreLoginFlow<S extends SourceRow, A>(
  { needs, resource, protocol, isSecure }: RedirectSource<S, A>,
  { source, call, given }: SourceRequest<S>,
  browser: string,
  isKept: boolean,
): Promise<HttpResponse | null> {
  const before = protocol.preLoginFlow?.(source);
  if (before === undefined) return null;
  const visit = { purpose: 'passed', browser, source: source.pk } as const;
  const passed = tokenOf(given, 'passed');
  if (passed !== null) {
    const pass = { ...visit, token: passed };
    const hasPassed = isKept
      ? await findPendingLogin(call.db.read, needs.key, pass, call.now)
      : await call.db.write((tx) => consumePending(tx, needs.key, pass, call.now));
    if (hasPassed) return null;
  }
  const facts = { ...sourceFacts(source), model: resource.model };
  const user = await callersFacts(call, call.db.read);
  const choice = await applicableFlow(needs.policies, { flow: before, call, user, context: { source: facts } });
  if (choice.outcome !== 'applies') throw accessDenied(choice.outcome === 'refused' ? choice.messages : []);
  const { rows } = await sql`select 1 from flow_stage_bindings where target = ${choice.flow.pk} limit 1`.execute(
    call.db.read,
  );
  if (rows.length === 0) return null;
  const token = randomToken();
  const pass = passStep(resource.model, buildPendingLoginRow(needs.key, { ...visit, token }, true, call));
  const plan = { ...createPlan(choice.flow, user?.pk ?? null, { append: [pass] }), source: facts };
  const attempt = newAttempt();
  const planned = await call.db.write((tx) => savePlan(tx, needs.key, plan, call.now, plansOf(needs.key, call)));
  const back = new URLSearchParams([...given].filter(([name]) => name !== 'passed'));
  back.set('passed', token);
  const own = planCookies(call, needs.config.publicUrl, { attempt, token: planned });
  const next = `${call.request.path}?${back}`;
  return redirect(flowPage(choice.flow.slug, next, attempt), [...own, browserCookie(browser, isSecure)]);
}

/** Links, not forms: browsers hold what follows a form to the policy of the page. */
async function renderContinuePage<S extends SourceRow>({
  source,
  call,
  given,
}: SourceRequest<S>): Promise<HttpResponse> {
  const query = new URLSearchParams(given);
  query.set('go', '1');
  return plainPage({
    ...(await pageFrame(call)),
    title: message('Continue to {name}', { name: source.name }),
    paragraphs: [message('You sign in at {name} and come back here afterwards.', { name: source.name })],
    link: { to: `${call.request.path}?${query}`, text: message('Continue to {name}', { name: source.name }) },
  });
}

const linkOf = ({ pk }: SourceRow): string => `source link ${pk}`;

/**
 * Asks before an account is linked. No request header shows that the user wants it: our own redirects and images send
 * browsers here, too.
 */
async function renderLinkConfirmation<S extends SourceRow>(
  key: InstanceKey,
  { source, call, given }: SourceRequest<S>,
): Promise<HttpResponse> {
  const kept = [...given].filter(([name]) => name !== csrfField);
  return plainPage({
    ...(await pageFrame(call)),
    title: message('Connect {name}?', { name: source.name }),
    paragraphs: [
      message('From then on you can sign in here as {user} with your account of {name}.', {
        user: call.actor?.user.username ?? '',
        name: source.name,
      }),
      'Close this page if you did not ask for this.',
    ],
    form: {
      action: call.request.path,
      hidden: { ...Object.fromEntries(kept), ...csrfFormField(key, call, linkOf(source)) },
      submit: message('Connect {name}', { name: source.name }),
      leadsTo: 'anywhere',
    },
    link: { to: settingsPage, text: 'Back to your accounts' },
  });
}
