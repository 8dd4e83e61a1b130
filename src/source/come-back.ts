import { brandTitle } from '../core/brand/brand-title.ts';
import { flowPage } from '../flow/executor/challenge.ts';
import { planCookie, savePlan } from '../flow/plan.ts';
import { plainPage } from '../platform/http/plain-page.ts';
import type { HttpAnswer } from '../platform/http/routes.ts';
import { callersFacts } from '../policy/request.ts';
import type { Call } from '../resource/call.ts';
import { inWrite } from '../resource/write.ts';
import { type Door, redirect, settingsPage, type Visitor } from './interactive.ts';
import { linkCaller } from './link-caller.ts';
import { type Arrival, checkSourcePolicies, planSignIn } from './sign-in.ts';
import type { SourceRow } from './source.family.ts';
import { SourceRefusal } from './source-refusal.ts';
import { type Away, arrivalOf } from './visit-outcome.ts';
import { browserSecret, storeVisit, takeVisit } from './visits.ts';

const notExpected =
  'This answer does not belong to anything that was begun in this browser, was used before, or took too long. Please start again.';

/** Takes somebody in who comes back from a source. */
export async function comeBack<S extends SourceRow>(door: Door<S>, visitor: Visitor<S>): Promise<HttpAnswer> {
  const { needs, resource, speaker } = door;
  const { source, call, given } = visitor;
  const { away, browser } = await takeAway(door, visitor);
  if ((call.actor?.user.pk ?? null) !== away.actor) {
    throw new SourceRefusal('Somebody has signed in or out here in the meantime. Please start again.');
  }
  const came = await speaker.arrive(source, given, away.secrets, call);
  if (away.ticket !== null) {
    const visit = { purpose: 'back', token: away.ticket, browser, source: source.pk } as const;
    await call.db.write((tx) => storeVisit(tx, needs.key, visit, came, call));
    return redirect(away.next ?? '/');
  }
  const arrival = arrivalOf(came, source, resource, speaker);
  return call.actor ? link(door, arrival, away, call) : signIn(door, arrival, away, call);
}

async function takeAway<S extends SourceRow>(
  { needs, isSecure }: Door<S>,
  { source, call, given }: Visitor<S>,
): Promise<{ readonly away: Away; readonly browser: string }> {
  const [state, ...others] = given.getAll('state');
  const browser = browserSecret(call.request, isSecure);
  if (!state || others.length > 0 || browser === null) throw new SourceRefusal(notExpected);
  const visit = { purpose: 'out', token: state, browser, source: source.pk } as const;
  const away = await call.db.write((tx) => takeVisit(tx, needs.key, visit, call.now));
  if (away === null) throw new SourceRefusal(notExpected);
  return { away, browser };
}

async function signIn<S extends SourceRow>(
  { needs }: Door<S>,
  arrival: Arrival,
  { next }: Away,
  call: Call,
): Promise<HttpAnswer> {
  const plan = await planSignIn(needs, arrival, call);
  const token = await call.db.write((tx) => savePlan(tx, needs.key, plan, call.now));
  return redirect(flowPage(plan.flow.slug, next), [planCookie(token, needs.config.publicUrl).header]);
}

/** For somebody who is signed in. Nobody becomes another user by it. */
async function link<S extends SourceRow>(
  { needs, server }: Door<S>,
  arrival: Arrival,
  { next }: Away,
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
    brand: await brandTitle(call.request.host, call.db.read),
    title: 'Already connected',
    paragraphs: [`Your account of ${source.name} was connected before. What is stored of it has been renewed.`],
    link: { to, text: 'Continue' },
  });
}
