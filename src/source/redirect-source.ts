import { pageFrame } from '../core/brand/page-frame.ts';
import { actorOfSession } from '../core/session/session-credential.ts';
import type { RouteServer } from '../flow/protocol-kind.ts';
import type { Json } from '../lib/json.ts';
import { Invalid, messagesOf, Problem } from '../lib/problem.ts';
import { readForm } from '../lib/read-form.ts';
import { message, type UserMessage, verbatim } from '../lib/texts/message.ts';
import { type PlainPage, plainPage } from '../platform/http/plain-page.ts';
import type { Route } from '../platform/http/route.ts';
import type { HttpCall, HttpResponse } from '../platform/http/routes.ts';
import type { InstanceKey } from '../platform/keys.ts';
import { createRateLimit } from '../platform/limits/rate-limit.ts';
import { type Call, callOf } from '../resource/call.ts';
import type { Resource } from '../resource/resource.ts';
import { modelFacts } from '../resource/write/audit.ts';
import type { CallbackResult } from './callback-result.ts';
import { findSource } from './load-source.ts';
import { type SignInNeeds, sourceFacts } from './sign-in.ts';
import type { SourceRow } from './source.family.ts';
import { SourceRefusal } from './source-refusal.ts';

/** The protocol between a kind of source and its service, through the browser. `A` is a response of the service. */
export interface RedirectProtocol<S extends SourceRow, A = URLSearchParams> {
  /** The paths of the login redirect and the callback, with `{slug}` for the source's slug. */
  readonly paths: { readonly login: string; readonly callback: string };
  readonly mappingModel: string;
  readonly connectionModel: string;
  /** The key of a flow that runs before the redirect. */
  preLoginFlow?(source: S): string;
  /** Whether the user confirms the redirect. */
  confirmsRedirect?(source: S): boolean;
  /** The redirect target. `secrets` are stored sealed, passed to `identifyUser`, and used once. */
  startLogin(
    source: S,
    about: LoginRequest,
    call: Call,
  ): Promise<{ readonly to: RedirectTarget; readonly secrets: Json }>;
  /** A posted response arrives without our cookies. Returns the query with which the browser is redirected to GET. */
  handleFormPost(source: S, form: URLSearchParams, call: Call): Promise<URLSearchParams>;
  /** The maximum size of such a form. */
  readonly maxFormBytes: number;
  /** Parses and verifies a response. Throws `SourceRefusal`. */
  parseCallback(source: S, given: URLSearchParams, call: Call): Promise<CallbackResponse<A>>;
  /** The account that the response is for. Throws `SourceRefusal`. */
  identifyUser(source: S, answer: A, secrets: Json, call: Call): Promise<CallbackResult>;
}

/** An address, or a form that sends itself to one. */
export type RedirectTarget = string | { readonly action: string; readonly members: Readonly<Record<string, string>> };

export type CallbackResponse<A> = { readonly content: A } & (
  | { /** The state of the request that it responds to. */ readonly state: string | null }
  /** Unsolicited, and the source accepts such responses. */
  | { readonly isUnsolicited: true; readonly next: string | null }
);

export interface LoginRequest {
  /** Unguessable, and used once. */
  readonly state: string;
  /** The name that the user entered, if any. */
  readonly loginHint: string | null;
  /** Reauthentication: the source should ask the user, not reuse its own session. */
  readonly isAgain: boolean;
}

const clockSkewMs = 60_000;

/**
 * Rejects a response from an old session if the user had to authenticate again (OpenID Connect Core §3.1.2.1,
 * `max_age`; SAML core, section 3.4.1, `ForceAuthn`). `askedAt`: when the request was sent; null if none was.
 * `authenticatedAt`: null if the source does not return it.
 */
export function checkAuthenticatedSince(source: string, askedAt: string | null, authenticatedAt: number | null): void {
  if (askedAt === null) return;
  // It may be in whole seconds.
  if (authenticatedAt !== null && authenticatedAt >= Date.parse(askedAt) - 1_000 - clockSkewMs) return;
  const why =
    authenticatedAt === null ? 'did not say when you signed in there' : 'did not ask you to sign in there again';
  throw new SourceRefusal(`${source} ${why}. Sign out there, then try again.`);
}

export interface RedirectSourceDependencies extends SignInNeeds {
  readonly key: InstanceKey;
  readonly config: { readonly publicUrl: string };
}

/** One request of a browser at a source. */
export interface SourceRequest<S extends SourceRow> {
  readonly source: S;
  readonly call: Call;
  readonly given: URLSearchParams;
}

export interface RedirectSource<S extends SourceRow, A = URLSearchParams> {
  readonly needs: RedirectSourceDependencies;
  readonly server: RouteServer;
  readonly resource: Resource<S>;
  readonly protocol: RedirectProtocol<S, A>;
  readonly isSecure: boolean;
}

/** A path of a protocol for one source. */
export const buildSourcePath = (path: string, slug: string): string =>
  path.replace('{slug}', () => encodeURIComponent(slug));

type Handle<S extends SourceRow, A> = (kind: RedirectSource<S, A>, visitor: SourceRequest<S>) => Promise<HttpResponse>;

/** The routes of the login redirect and the callback. */
export function redirectRoutes<S extends SourceRow, A>(
  kind: RedirectSource<S, A>,
  {
    redirectToSource,
    submitLink,
    handleCallback,
  }: Readonly<Record<'redirectToSource' | 'submitLink' | 'handleCallback', Handle<S, A>>>,
): Route[] {
  const { protocol } = kind;
  const serve = createSourceHandler(kind);
  const { login, callback } = protocol.paths;
  return [
    { methods: ['GET'], path: login, handle: serve((visitor) => redirectToSource(kind, visitor)) },
    {
      methods: ['POST'],
      path: login,
      handle: serve((visitor, { body }) => submitLink(kind, { ...visitor, given: ownForm(body) })),
    },
    { methods: ['GET'], path: callback, handle: serve((visitor) => handleCallback(kind, visitor)) },
    {
      methods: ['POST'],
      path: callback,
      handle: serve(async ({ source, call }, { facts, body }) => {
        const form = body.length > protocol.maxFormBytes ? new URLSearchParams() : readForm(body);
        return redirect(`${facts.path}?${await protocol.handleFormPost(source, form, call)}`, [], 303);
      }),
    },
  ];
}

/** A form of ours repeats the query of the page that shows it. */
const maxOwnForm = 8_192;
const ownForm = (body: Buffer): URLSearchParams => (body.length > maxOwnForm ? new URLSearchParams() : readForm(body));

type Serve<S extends SourceRow> = (
  handle: (visitor: SourceRequest<S>, http: HttpCall) => Promise<HttpResponse>,
) => (http: HttpCall) => Promise<HttpResponse>;

/** Handles browser requests of a source. Errors are shown as a page. */
export function createSourceHandler<S extends SourceRow>(
  { server, resource }: Pick<RedirectSource<S>, 'server' | 'resource'>,
  which: 'enabled' | 'enabled or not' = 'enabled',
): Serve<S> {
  // Anonymous callers can repeat a misconfiguration without limit.
  const reports = createRateLimit({ max: 1, windowMs: 10 * 60_000 });

  async function report(source: S | null, error: unknown, call: Call): Promise<void> {
    if (!source || !(error instanceof SourceRefusal) || error.misconfiguration === null) return;
    if (reports.waitAfter(source.pk) > 0) return;
    const context = { message: error.misconfiguration, source: modelFacts(resource, source.pk, sourceFacts(source)) };
    const event = { action: 'configuration_error', app: resource.app, context };
    await call.db.write((tx) => call.world.record(tx, call, event));
  }

  return (handle) => async (http) => {
    const { call, given } = await browserCall(server, http);
    let source: S | null = null;
    try {
      source = await findSource(resource, call.params.slug ?? '', call);
      if (!source || (which === 'enabled' && !source.enabled))
        throw new Problem('not_found', 'There is no source at this address.');
      return await handle({ source, call, given }, http);
    } catch (error) {
      await report(source, error, call);
      return renderErrorPage(server, error, call);
    }
  };
}

async function browserCall(
  server: RouteServer,
  { facts, params }: HttpCall,
): Promise<{ readonly call: Call; readonly given: URLSearchParams }> {
  const now = server.clock.now();
  // A form of the other side cannot send the CSRF header, and from our own site it brings the session; messages prove
  // themselves.
  const actor = await actorOfSession(server.sessions, { ...facts, method: 'GET' }, now);
  // The query is the other side's, and no option of ours is to be read from it.
  const ours = { ...facts, query: new URLSearchParams() };
  return { given: facts.query, call: callOf({ facts: ours, params }, server, { now, actor }) };
}

async function renderErrorPage(server: RouteServer, error: unknown, call: Call): Promise<HttpResponse> {
  if (!(error instanceof Problem || error instanceof Invalid || error instanceof SourceRefusal)) throw error;
  const back: PlainPage['link'] = call.actor
    ? { to: settingsPage, text: 'Back to your accounts' }
    : { to: await server.signInPath(call.request.host, call.db.read, null), text: 'Back to sign in' };
  return plainPage({
    status: error.status,
    ...(await pageFrame(call)),
    title: call.actor ? 'That did not work' : 'Sign-in failed',
    paragraphs: [...errorMessages(error), message('Request id: {id}', { id: call.request.id })],
    link: back,
  });
}

export const settingsPage = '/if/user/connections/';

const errorMessages = (error: Problem | Invalid | SourceRefusal): UserMessage[] =>
  error instanceof Invalid ? messagesOf(error.complaints).map(verbatim) : [error.words];

export const redirect = (location: string, cookies: readonly string[] = [], status = 302): HttpResponse => ({
  status,
  headers: {
    location,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    ...(cookies.length > 0 && { 'set-cookie': [...cookies] }),
  },
});
