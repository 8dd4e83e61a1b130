import { checkNotImpersonating } from '../core/access/impersonation-guard.ts';
import { pageFrame } from '../core/brand/page-frame.ts';
import { newAttempt, planCookies, plansOf } from '../flow/attempt.ts';
import { flowPage } from '../flow/executor/challenge.ts';
import { savePlan } from '../flow/plan.ts';
import { message } from '../lib/texts/message.ts';
import { plainPage } from '../platform/http/plain-page.ts';
import type { HttpResponse } from '../platform/http/routes.ts';
import { callersFacts } from '../policy/request.ts';
import type { Call } from '../resource/call.ts';
import { inWrite } from '../resource/write/write.ts';
import { type PendingLogin, toExternalIdentity } from './callback-result.ts';
import type { ExternalIdentity } from './external-identity.ts';
import { linkCaller } from './link-caller.ts';
import { findConnection } from './match-user.ts';
import { browserSecret, consumePending, newBrowserSecret, returnCookies, storePendingLogin } from './pending-logins.ts';
import type { MappedIdentity } from './properties.ts';
import { type RedirectSource, redirect, type SourceRequest, settingsPage } from './redirect-source.ts';
import { checkSourcePolicies, planSignIn } from './sign-in.ts';
import type { SourceRow } from './source.family.ts';
import { SourceRefusal } from './source-refusal.ts';
import { makeTemporaryUser } from './temporary-users.ts';

const notExpected =
  'This response was not requested by this browser, was already used, or has expired. Please start again.';

/** Handles the callback of a source. */
export async function handleCallback<S extends SourceRow, A>(
  kind: RedirectSource<S, A>,
  visitor: SourceRequest<S>,
): Promise<HttpResponse> {
  const { needs, resource, protocol, isSecure } = kind;
  const { source, call, given } = visitor;
  const answer = await protocol.parseCallback(source, given, call);
  if ('isUnsolicited' in answer) return handleUnsolicitedResponse(kind, visitor, answer);
  const pending = await consumePendingLogin(kind, visitor, answer.state);
  if ((call.actor?.user.pk ?? null) !== pending.actor) {
    throw new SourceRefusal('You have signed in or out in the meantime. Please start again.');
  }
  const result = await protocol.identifyUser(source, answer.content, pending.secrets, call);
  if (pending.ticket !== null) {
    const browser = newBrowserSecret();
    const visit = { purpose: 'back', token: pending.ticket, browser, source: source.pk } as const;
    await call.db.write((tx) => storePendingLogin(tx, needs.key, visit, result, call));
    return redirect(pending.next ?? '/', returnCookies(call.request, isSecure, pending.ticket, browser));
  }
  const external = toExternalIdentity(result, source, resource, protocol);
  if (!call.actor) return signIn(kind, external, pending.next, call);
  return pending.isLink ? link(kind, external, pending.next, call) : signInAgain(kind, external, pending.next, call);
}

async function consumePendingLogin<S extends SourceRow, A>(
  { needs, isSecure }: RedirectSource<S, A>,
  { source, call }: SourceRequest<S>,
  state: string | null,
): Promise<PendingLogin> {
  const browser = browserSecret(call.request, isSecure);
  if (!state || browser === null) throw new SourceRefusal(notExpected);
  const visit = { purpose: 'out', token: state, browser, source: source.pk } as const;
  const pending = await call.db.write((tx) => consumePending(tx, needs.key, visit, call.now));
  if (pending === null) throw new SourceRefusal(notExpected);
  return pending;
}

/**
 * An unsolicited (IdP-initiated) response. Any site can send a browser here with an account of its choice (login CSRF),
 * so nothing is linked to the signed-in user.
 */
async function handleUnsolicitedResponse<S extends SourceRow, A>(
  kind: RedirectSource<S, A>,
  { source, call }: SourceRequest<S>,
  { content, next }: { readonly content: A; readonly next: string | null },
): Promise<HttpResponse> {
  const external = toExternalIdentity(
    await kind.protocol.identifyUser(source, content, null, call),
    source,
    kind.resource,
    kind.protocol,
  );
  if (!call.actor) return signIn(kind, external, next, call, true);
  await checkOwnAccount(external, call);
  return redirect(next ?? '/');
}

async function checkOwnAccount({ source, identity }: ExternalIdentity, { db, actor }: Call): Promise<void> {
  if (actor && (await findConnection(db.read, source.pk, identity.identifier)) === actor.user.pk) return;
  throw new SourceRefusal(
    message(
      'You are already signed in, but not as the owner of this account of {name}. Sign out first, or connect the account on your settings page.',
      { name: source.name },
    ),
  );
}

/** Reauthenticates the user of the session, by an account that is already linked. */
async function signInAgain<S extends SourceRow, A>(
  kind: RedirectSource<S, A>,
  external: ExternalIdentity,
  next: string | null,
  call: Call,
): Promise<HttpResponse> {
  checkNotImpersonating(call);
  await checkOwnAccount(external, call);
  // As an anonymous visitor: the flows of sources are for users who are not signed in.
  return signIn(kind, external, next, { ...call, actor: null });
}

async function signIn<S extends SourceRow, A>(
  { needs, server }: RedirectSource<S, A>,
  external: ExternalIdentity,
  next: string | null,
  call: Call,
  isUnasked = false,
): Promise<HttpResponse> {
  const makeUser = (mapped: MappedIdentity) => makeTemporaryUser(server.engine, external, mapped, call);
  const plan = await planSignIn(needs, external, call, external.temporaryUntil ? makeUser : undefined, { isUnasked });
  // A separate attempt: another tab may return from another source.
  const attempt = newAttempt();
  const token = await call.db.write((tx) => savePlan(tx, needs.key, plan, call.now, plansOf(needs.key, call)));
  const to = flowPage(plan.flow.slug, next, attempt);
  const cookies = planCookies(call, needs.config.publicUrl, { attempt, token });
  if (plan.connects === undefined) return redirect(to, cookies);
  const page = plainPage({
    ...(await pageFrame(call)),
    title: 'Is this your account?',
    paragraphs: [
      'There is an account here with the address of yours. The address was not verified: sign in to the account to connect it.',
    ],
    link: { to, text: 'Sign in' },
  });
  return { ...page, headers: { ...page.headers, 'set-cookie': cookies } };
}

/** Links the account to the signed-in user. Never changes the user of the session. */
async function link<S extends SourceRow, A>(
  { needs, server }: RedirectSource<S, A>,
  external: ExternalIdentity,
  next: string | null,
  call: Call,
): Promise<HttpResponse> {
  const { registry } = server.engine;
  const { source, connectionModel } = external;
  await checkSourcePolicies(needs.policies, source, await callersFacts(call, call.db.read), call);
  const outcome = await inWrite(call, registry.require(connectionModel), (tx) =>
    linkCaller(external, 'refresh', call, registry, tx),
  );
  const to = next ?? settingsPage;
  if (outcome === 'linked') return redirect(to);
  return plainPage({
    ...(await pageFrame(call)),
    title: 'Already connected',
    paragraphs: [
      message('Your account of {name} was already connected. Its data have been updated.', { name: source.name }),
    ],
    link: { to, text: 'Continue' },
  });
}
