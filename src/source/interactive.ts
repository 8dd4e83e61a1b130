import { pageFrame } from '../core/brand/language.ts';
import { actorOfSession } from '../core/session/session-credential.ts';
import type { RouteServer } from '../flow/protocol-kind.ts';
import type { Json } from '../lib/json.ts';
import { Invalid, messagesOf, Problem } from '../lib/problem.ts';
import { createRateLimit } from '../lib/rate-limit.ts';
import { readForm } from '../lib/read-form.ts';
import { plainPage } from '../platform/http/plain-page.ts';
import type { Route } from '../platform/http/route.ts';
import type { HttpAnswer, HttpCall } from '../platform/http/routes.ts';
import type { InstanceKey } from '../platform/keys.ts';
import { modelFacts } from '../resource/audit.ts';
import { type Call, callOf } from '../resource/call.ts';
import type { Resource } from '../resource/resource.ts';
import { findSource } from './load-source.ts';
import { type SignInNeeds, sourceFacts } from './sign-in.ts';
import type { SourceRow } from './source.family.ts';
import { SourceRefusal } from './source-refusal.ts';
import type { Came } from './visit-outcome.ts';

/** How a kind of source speaks to its other side, by way of a person's browser. `A` is an answer of the other side. */
export interface Speaker<S extends SourceRow, A = URLSearchParams> {
  /** Where people leave for the source and come back from it, with `{slug}` for the source's slug. */
  readonly paths: { readonly login: string; readonly callback: string };
  readonly mappingModel: string;
  readonly connectionModel: string;
  /** The key of a flow that people go through before they leave. */
  flowBefore?(source: S): string;
  /** Whether people are asked before they are sent on. */
  asksFirst?(source: S): boolean;
  /** Where the browser goes. `secrets` are given to `arrive`; they are stored sealed, and used once. */
  depart(source: S, about: Departure, call: Call): Promise<{ readonly to: Destination; readonly secrets: Json }>;
  /** An answer sent by a form comes without our cookies. Gives the query with which the browser comes again by GET. */
  takeForm(source: S, form: URLSearchParams, call: Call): Promise<URLSearchParams>;
  /** The most bytes that such a form may have. */
  readonly maxForm: number;
  /** What an answer says. Throws `SourceRefusal`. */
  read(source: S, given: URLSearchParams, call: Call): Promise<Answer<A>>;
  /** Who comes back. Throws `SourceRefusal`. */
  arrive(source: S, answer: A, secrets: Json, call: Call): Promise<Came>;
}

/** An address, or a form that sends itself to one. */
export type Destination = string | { readonly action: string; readonly members: Readonly<Record<string, string>> };

export type Answer<A> = { readonly content: A } & (
  | { /** Of the departure that it answers. */ readonly state: string | null }
  /** It answers none, and the source lets people in all the same. */
  | { readonly isUnasked: true; readonly next: string | null }
);

export interface Departure {
  /** Unguessable, and used once. */
  readonly state: string;
  /** What the person called themselves, if they did. */
  readonly loginHint: string | null;
  /** The user is signed in and proves again who they are: the source should ask them, not answer from its own session. */
  readonly isAgain: boolean;
}

export interface InteractiveNeeds extends SignInNeeds {
  readonly key: InstanceKey;
  readonly config: { readonly publicUrl: string };
}

/** One request of a browser at a source. */
export interface Visitor<S extends SourceRow> {
  readonly source: S;
  readonly call: Call;
  readonly given: URLSearchParams;
}

export interface InteractiveSource<S extends SourceRow, A = URLSearchParams> {
  readonly needs: InteractiveNeeds;
  readonly server: RouteServer;
  readonly resource: Resource<S>;
  readonly speaker: Speaker<S, A>;
  readonly isSecure: boolean;
}

/** A path of a speaker for one source. */
export const pathFor = (path: string, slug: string): string => path.replace('{slug}', () => encodeURIComponent(slug));

type Handle<S extends SourceRow, A> = (kind: InteractiveSource<S, A>, visitor: Visitor<S>) => Promise<HttpAnswer>;

/** The addresses at which people leave for a source and come back from it. */
export function interactiveRoutes<S extends SourceRow, A>(
  kind: InteractiveSource<S, A>,
  { leave, submitLink, comeBack }: Readonly<Record<'leave' | 'submitLink' | 'comeBack', Handle<S, A>>>,
): Route[] {
  const { speaker } = kind;
  const serve = createServe(kind);
  const { login, callback } = speaker.paths;
  return [
    { methods: ['GET'], path: login, handle: serve((visitor) => leave(kind, visitor)) },
    {
      methods: ['POST'],
      path: login,
      handle: serve((visitor, { body }) => submitLink(kind, { ...visitor, given: ownForm(body) })),
    },
    { methods: ['GET'], path: callback, handle: serve((visitor) => comeBack(kind, visitor)) },
    {
      methods: ['POST'],
      path: callback,
      handle: serve(async ({ source, call }, { facts, body }) => {
        const form = body.length > speaker.maxForm ? new URLSearchParams() : readForm(body);
        return redirect(`${facts.path}?${await speaker.takeForm(source, form, call)}`, [], 303);
      }),
    },
  ];
}

/** A form of ours repeats the query of the page that shows it. */
const maxOwnForm = 8_192;
const ownForm = (body: Buffer): URLSearchParams => (body.length > maxOwnForm ? new URLSearchParams() : readForm(body));

type Serve<S extends SourceRow> = (
  handle: (visitor: Visitor<S>, http: HttpCall) => Promise<HttpAnswer>,
) => (http: HttpCall) => Promise<HttpAnswer>;

/** Answers requests of browsers at a source. Whatever goes wrong there is told by a page. */
export function createServe<S extends SourceRow>(
  { server, resource }: Pick<InteractiveSource<S>, 'server' | 'resource'>,
  which: 'enabled' | 'enabled or not' = 'enabled',
): Serve<S> {
  // Strangers can meet the same misconfiguration as often as they like.
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
      return refusalPage(server, error, call);
    }
  };
}

async function browserCall(
  server: RouteServer,
  { facts, params }: HttpCall,
): Promise<{ readonly call: Call; readonly given: URLSearchParams }> {
  const now = server.clock.now();
  // A form of the other side cannot send the CSRF header, and from our own site it brings the session; messages prove themselves.
  const actor = await actorOfSession(server.sessions, { ...facts, method: 'GET' }, now);
  // The query is the other side's, and no option of ours is to be read from it.
  const ours = { ...facts, query: new URLSearchParams() };
  return { given: facts.query, call: callOf({ facts: ours, params }, server, { now, actor }) };
}

async function refusalPage(server: RouteServer, error: unknown, call: Call): Promise<HttpAnswer> {
  if (!(error instanceof Problem || error instanceof Invalid || error instanceof SourceRefusal)) throw error;
  const back = call.actor
    ? { to: settingsPage, text: 'Back to your accounts' }
    : { to: await server.signInPath(call.request.host, call.db.read, null), text: 'Back to sign in' };
  return plainPage({
    status: error.status,
    ...(await pageFrame(call)),
    title: call.actor ? 'That did not work' : 'Sign-in failed',
    paragraphs: [...wordsOf(error), `Request id: ${call.request.id}`],
    link: back,
  });
}

export const settingsPage = '/if/user/connections/';

const wordsOf = (error: Error): string[] => (error instanceof Invalid ? messagesOf(error.complaints) : [error.message]);

export const redirect = (location: string, cookies: readonly string[] = [], status = 302): HttpAnswer => ({
  status,
  headers: {
    location,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    ...(cookies.length > 0 && { 'set-cookie': [...cookies] }),
  },
});
