import { sql } from 'kysely';
import { applicationTarget } from '../../../../core/application/application-access.ts';
import { brandTitle } from '../../../../core/brand/brand-title.ts';
import { beginPlanned } from '../../../../flow/executor/begin-planned.ts';
import type { Json } from '../../../../lib/json.ts';
import type { Query } from '../../../../platform/db/database.ts';
import { plainPage } from '../../../../platform/http/plain-page.ts';
import type { HttpAnswer } from '../../../../platform/http/routes.ts';
import { randomToken } from '../../../../platform/random.ts';
import { type Call, requireActor } from '../../../../resource/call.ts';
import { type Client, loadClient } from '../client.ts';
import { readHint, subjectOfCaller } from '../id-token-hint.ts';
import { OAuthError } from '../oauth-error.ts';
import { browserRefusalOf } from '../refusal-of.ts';
import { claimPermissions } from '../requested-claims.ts';
import { findRequest } from '../requests.ts';
import { isFapi2 } from '../security-profile.ts';
import { signInOfSession } from '../sign-in-of-session.ts';
import { authorizePath, issuerOf } from '../urls.ts';
import { answerAllowed, refuseRequest } from './answer-allowed.ts';
import { answerClient, redirectBrowser } from './answer-client.ts';
import { type AnswerTo, type AuthorizeRequest, isSilent } from './authorize-request.ts';
import type { BrowserNeeds } from './browser-needs.ts';
import { allowing, refusing } from './decide-request.ts';
import { isRegisteredUri } from './match-redirect-uri.ts';
import { type ProvenClient, proveClient } from './prove-client.ts';
import { mustSignIn, readNote, signInPage, slugOf } from './sign-in-first.ts';
import { readRequest } from './steps.ts';

/** The authorize endpoint. What it throws is for the person: there is no client yet that could be told. */
export async function handleAuthorize(needs: BrowserNeeds, call: Call, query: string): Promise<HttpAnswer> {
  const given = new URLSearchParams(query);
  const ticket = given.get('ticket');
  // RFC 6749 §3.1: in a client's request it means nothing.
  if (ticket !== null && !given.has('client_id')) return redeemTicket(needs, call, ticket);
  const { text, sentAt } = readNote(needs.key, query, call.now);
  const proven = await proveClient(needs, call, text);
  const { client } = proven;
  return tellingClient(needs, call, client, proven.to, async () => {
    const { params, to, pushed, flaw } = proven;
    if (flaw) throw flaw;
    checkSignsInForThemselves(call);
    const { client_id } = client;
    const request = readRequest(params, client, { ...to, client_id, pushed });
    const signIn = await signInOfSession(call.db.read, call.actor?.session ?? null);
    if (mustSignIn(request, signIn?.at ?? null, sentAt, call.now)) {
      if (isSilent(request)) throw new OAuthError('login_required', 'Nobody is signed in, or not recently enough.');
      const { login_hint } = request;
      return redirectBrowser(await signInPage(needs, call, client, { text, login_hint }));
    }
    await checkExpected(needs, call, proven, request);
    if (!(await mayUse(needs, call, client))) {
      throw new OAuthError('access_denied', 'The person may not use this application.');
    }
    return goThroughFlow(needs, call, client, request);
  });
}

/** Who acts as another user lets no client in: what it is given would last when they have stopped. */
export function checkSignsInForThemselves({ actor }: Call): void {
  if (actor?.impersonator)
    throw new OAuthError('access_denied', 'Nobody can sign in to an application for somebody else.');
}

/**
 * Refusals from here on are told to the client, at the address that is proven to be its own. Faults are refusals as well
 * (RFC 6749 §4.1.2.1): whatever breaks on the way, the client is not left waiting.
 */
async function tellingClient(
  { publicUrl }: BrowserNeeds,
  { request: { id } }: Call,
  client: Client,
  to: AnswerTo,
  work: () => Promise<HttpAnswer>,
): Promise<HttpAnswer> {
  try {
    return await work();
  } catch (error) {
    const { refusal, fault } = browserRefusalOf(error, id);
    return { ...answerClient(to, issuerFor(publicUrl, client), refusal.body(), redirectStatus(client)), fault };
  }
}

const issuerFor = (publicUrl: string, { assigned_application_slug, issuer_mode }: Client): string =>
  issuerOf(publicUrl, assigned_application_slug, issuer_mode);

/** FAPI 2.0 Security Profile §5.3.2.2 */
const redirectStatus = (client: Client) => (isFapi2(client) ? 303 : 302);

/** OpenID Connect Core §3.1.2.1, §5.5.1: whoever the client expects must be the one who is signed in. */
async function checkExpected(
  needs: BrowserNeeds,
  call: Call,
  { client, params }: ProvenClient,
  { claims }: AuthorizeRequest,
): Promise<void> {
  const hint = params.get('id_token_hint');
  // Clients write it: no member is certain.
  const expected = (claims?.id_token as { sub?: { value?: unknown } | null } | null)?.sub?.value;
  if (hint === undefined && expected === undefined) return;
  const subject = await subjectOfCaller(needs, call, client);
  const hinted = hint === undefined ? subject : (await readHint(needs, client, hint, call.now))?.sub;
  if (subject !== null && hinted === subject && (expected ?? subject) === subject) return;
  throw new OAuthError('login_required', 'The client expects somebody else than the person who is signed in.');
}

/** What the policies bound to the application say, asked at every use. Why not is not for the person to know; an event tells it. */
export async function mayUse({ evaluateAccess, refusals }: BrowserNeeds, call: Call, client: Client): Promise<boolean> {
  const { application } = client;
  const answers = await evaluateAccess(call, requireActor(call).user.pk, [applicationTarget(application)]);
  const answer = answers.get(application.pk);
  if (answer?.passing === true) return true;
  await refusals.denied(call, client, answer);
  return false;
}

async function goThroughFlow(
  needs: BrowserNeeds,
  call: Call,
  client: Client,
  request: AuthorizeRequest,
): Promise<HttpAnswer> {
  const flow = client.authorization_flow ?? '';
  const slug = await slugOf(call.db.read, client.authorization_flow);
  const id = randomToken();
  const next = `${authorizePath}?ticket=${id}`;
  const decided = { kind: 'authorize', provider: client.pk, flow, id, request } as const;
  const begun = await beginPlanned(needs, call, {
    slug: slug ?? '',
    context: await consentContext(call.db.read, client, request),
    append: [allowing(decided)],
    refusal: { append: [refusing(decided)], next, application_name: client.application.name },
    next,
  });
  switch (begun.outcome) {
    case 'over': {
      const answer = await redeemTicket(needs, call, id);
      const cookies = [...begun.cookies];
      return cookies.length === 0 ? answer : { ...answer, headers: { ...answer.headers, 'set-cookie': cookies } };
    }
    case 'asks':
      if (!isSilent(request)) return redirectBrowser(begun.to, begun.cookies);
      await begun.forget();
      throw begun.component === 'xak-stage-consent'
        ? new OAuthError('consent_required', 'The person has to agree first.')
        : new OAuthError('interaction_required', 'The person has to do something first.');
    case 'denied':
      if (begun.message === null || isSilent(request)) return redeemTicket(needs, call, id);
      return deniedPage(call, client, begun.message, next);
    case 'missing':
      throw new OAuthError('server_error', 'The provider has no authorization flow.');
    case 'broken':
      throw new OAuthError('server_error', 'The authorization flow could not be carried out.');
  }
}

/** For somebody whom the flow denied before it showed them anything: the client learns of it when they have read why. */
const deniedPage = async (call: Call, { application }: Client, message: string, to: string): Promise<HttpAnswer> =>
  plainPage({
    status: 403,
    brand: await brandTitle(call.request.host, call.db.read),
    title: 'You cannot go on here',
    paragraphs: [message],
    link: { to, text: `Back to ${application.name}` },
  });

/** What the consent stage reads. */
export async function consentContext(
  query: Query,
  { pk, application }: Client,
  {
    scope,
    prompt,
    claims = null,
  }: Pick<AuthorizeRequest, 'scope' | 'prompt'> & Partial<Pick<AuthorizeRequest, 'claims'>>,
): Promise<Record<string, Json>> {
  const { rows } = await sql<{ id: string; name: string }>`select s.scope_name as id, s.description as name
    from provider_property_mappings pm join mapping_scope s on s.pk = pm.mapping
    where pm.provider = ${pk} order by s.scope_name`.execute(query);
  return {
    application: application.pk,
    application_name: application.name,
    consent_header: `You are about to sign in to ${application.name}.`,
    consent_permissions: [
      ...rows.filter(({ id }) => scope.includes(id)).map(({ id, name }) => ({ id, name })),
      ...claimPermissions(claims, scope),
    ],
    ...(prompt.includes('consent') && { consent_asked_anew: true }),
  };
}

/** Somebody comes back from a flow. The ticket is theirs alone, for this session, once. */
async function redeemTicket(needs: BrowserNeeds, call: Call, ticket: string): Promise<HttpAnswer> {
  const found = await findRequest(needs.db.read, needs.key, 'authorize', ticket);
  const session = call.actor?.session ?? null;
  if (
    !found ||
    found.expires <= call.now ||
    session === null ||
    found.session !== session ||
    found.user !== call.actor?.user.pk
  ) {
    throw new OAuthError('invalid_request', 'This request was answered before, or is not yours.');
  }
  // What `decideOnRequest` stored.
  const { request, flow } = found.content as unknown as { request: AuthorizeRequest; flow: string };
  const client = await loadClient(needs, { provider: found.provider });
  if (!client || !isRegisteredUri(needs.sandbox, client.redirect_uris, request.redirect_uri)) {
    throw new OAuthError('invalid_request', 'The client has changed in the meantime.');
  }
  return tellingClient(needs, call, client, request, async () => {
    const isAllowed = found.state === 'granted' && (await mayUse(needs, call, client));
    if (!isAllowed) return refuseRequest(needs, call, { request, pk: found.pk });
    const members = await answerAllowed(needs, call, { client, request, pk: found.pk, flow });
    return answerClient(request, issuerFor(needs.publicUrl, client), members, redirectStatus(client));
  });
}
