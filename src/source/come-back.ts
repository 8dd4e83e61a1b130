import { checkActsForThemselves } from '../core/access/acting-as.ts';
import { pageFrame } from '../core/brand/language.ts';
import { newAttempt, planCookies, plansOf } from '../flow/attempt.ts';
import { flowPage } from '../flow/executor/challenge.ts';
import { savePlan } from '../flow/plan.ts';
import { plainPage } from '../platform/http/plain-page.ts';
import type { HttpAnswer } from '../platform/http/routes.ts';
import { callersFacts } from '../policy/request.ts';
import type { Call } from '../resource/call.ts';
import { inWrite } from '../resource/write.ts';
import type { Arrival } from './arrival.ts';
import { type InteractiveSource, redirect, settingsPage, type Visitor } from './interactive.ts';
import { linkCaller } from './link-caller.ts';
import { findConnection } from './match-user.ts';
import type { MappedIdentity } from './properties.ts';
import { checkSourcePolicies, planSignIn } from './sign-in.ts';
import type { SourceRow } from './source.family.ts';
import { SourceRefusal } from './source-refusal.ts';
import { makeTemporaryUser } from './temporary-users.ts';
import { type Away, arrivalOf } from './visit-outcome.ts';
import { browserCookie, browserSecret, newBrowserSecret, storeVisit, takeVisit } from './visits.ts';

const notExpected =
  'This answer does not belong to anything that was begun in this browser, was used before, or took too long. Please start again.';

/** Takes somebody in who comes back from a source. */
export async function comeBack<S extends SourceRow, A>(
  kind: InteractiveSource<S, A>,
  visitor: Visitor<S>,
): Promise<HttpAnswer> {
  const { needs, resource, speaker, isSecure } = kind;
  const { source, call, given } = visitor;
  const answer = await speaker.read(source, given, call);
  if ('isUnasked' in answer) return comeUnasked(kind, visitor, answer);
  const away = await takeAway(kind, visitor, answer.state);
  if ((call.actor?.user.pk ?? null) !== away.actor) {
    throw new SourceRefusal('Somebody has signed in or out here in the meantime. Please start again.');
  }
  const came = await speaker.arrive(source, answer.content, away.secrets, call);
  if (away.ticket !== null) {
    const browser = newBrowserSecret();
    const visit = { purpose: 'back', token: away.ticket, browser, source: source.pk } as const;
    await call.db.write((tx) => storeVisit(tx, needs.key, visit, came, call));
    return redirect(away.next ?? '/', [browserCookie(browser, isSecure, 'back')]);
  }
  const arrival = arrivalOf(came, source, resource, speaker);
  if (!call.actor) return signIn(kind, arrival, away.next, call);
  return away.isLink ? link(kind, arrival, away.next, call) : signInAgain(kind, arrival, away.next, call);
}

async function takeAway<S extends SourceRow, A>(
  { needs, isSecure }: InteractiveSource<S, A>,
  { source, call }: Visitor<S>,
  state: string | null,
): Promise<Away> {
  const browser = browserSecret(call.request, isSecure);
  if (!state || browser === null) throw new SourceRefusal(notExpected);
  const visit = { purpose: 'out', token: state, browser, source: source.pk } as const;
  const away = await call.db.write((tx) => takeVisit(tx, needs.key, visit, call.now));
  if (away === null) throw new SourceRefusal(notExpected);
  return away;
}

/**
 * Somebody whom a source sends of its own accord. Any site can send any browser here with an account of its own choice, so
 * nothing is linked to whoever is signed in already.
 */
async function comeUnasked<S extends SourceRow, A>(
  kind: InteractiveSource<S, A>,
  { source, call }: Visitor<S>,
  { content, next }: { readonly content: A; readonly next: string | null },
): Promise<HttpAnswer> {
  const arrival = arrivalOf(
    await kind.speaker.arrive(source, content, null, call),
    source,
    kind.resource,
    kind.speaker,
  );
  if (!call.actor) return signIn(kind, arrival, next, call, true);
  await checkOwnAccount(arrival, call);
  return redirect(next ?? '/');
}

async function checkOwnAccount({ source, identity }: Arrival, { db, actor }: Call): Promise<void> {
  if (actor && (await findConnection(db.read, source.pk, identity.identifier)) === actor.user.pk) return;
  throw new SourceRefusal(
    `You are signed in already, and not as the owner of this account of ${source.name}. Sign out first, or connect the account on your own page.`,
  );
}

/** The user of the session proves again who they are, by an account that is theirs already. */
async function signInAgain<S extends SourceRow, A>(
  kind: InteractiveSource<S, A>,
  arrival: Arrival,
  next: string | null,
  call: Call,
): Promise<HttpAnswer> {
  checkActsForThemselves(call);
  await checkOwnAccount(arrival, call);
  // As if by a visitor: flows that sources sign in with are for those who are not signed in.
  return signIn(kind, arrival, next, { ...call, actor: null });
}

async function signIn<S extends SourceRow, A>(
  { needs, server }: InteractiveSource<S, A>,
  arrival: Arrival,
  next: string | null,
  call: Call,
  isUnasked = false,
): Promise<HttpAnswer> {
  const makeUser = (mapped: MappedIdentity) => makeTemporaryUser(server.engine, arrival, mapped, call);
  const plan = await planSignIn(needs, arrival, call, arrival.temporaryUntil ? makeUser : undefined, { isUnasked });
  // An attempt of its own: in another tab somebody else may come back from another source.
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

/** For somebody who is signed in. Nobody becomes another user by it. */
async function link<S extends SourceRow, A>(
  { needs, server }: InteractiveSource<S, A>,
  arrival: Arrival,
  next: string | null,
  call: Call,
): Promise<HttpAnswer> {
  const { registry } = server.engine;
  const { source, connectionModel } = arrival;
  await checkSourcePolicies(needs.policies, source, await callersFacts(call, call.db.read), call);
  const outcome = await inWrite(call, registry.require(connectionModel), (tx) =>
    linkCaller(arrival, 'refresh', call, registry, tx),
  );
  const to = next ?? settingsPage;
  if (outcome === 'linked') return redirect(to);
  return plainPage({
    ...(await pageFrame(call)),
    title: 'Already connected',
    paragraphs: [`Your account of ${source.name} was connected before. What is stored of it has been renewed.`],
    link: { to, text: 'Continue' },
  });
}
