import { brandTitle } from '../core/brand/brand-title.ts';
import { actorOfSession } from '../core/session/session-credential.ts';
import type { RouteServer } from '../flow/protocol-kind.ts';
import type { Json } from '../lib/json.ts';
import { Invalid, Problem } from '../lib/problem.ts';
import { createRateLimit } from '../lib/rate-limit.ts';
import { plainPage } from '../platform/http/plain-page.ts';
import type { Route } from '../platform/http/route.ts';
import type { HttpAnswer, HttpCall } from '../platform/http/routes.ts';
import type { InstanceKey } from '../platform/keys.ts';
import { modelFacts } from '../resource/audit.ts';
import type { Call } from '../resource/call.ts';
import type { Resource } from '../resource/resource.ts';
import { findSource } from './load-source.ts';
import { type SignInNeeds, sourceFacts } from './sign-in.ts';
import type { SourceRow } from './source.family.ts';
import { SourceRefusal } from './source-refusal.ts';
import type { Came } from './visit-outcome.ts';

/** How a kind of source speaks to its other side, by way of a person's browser. */
export interface Speaker<S extends SourceRow> {
  /** The last part of `/source/<path>/login/<slug>/` and `/source/<path>/callback/<slug>/` is the source's slug. */
  readonly path: string;
  readonly mappingModel: string;
  readonly connectionModel: string;
  /** Where the browser goes. `secrets` are given to `arrive`; they are stored sealed, and used once. */
  depart(source: S, about: Departure, call: Call): Promise<{ readonly to: string; readonly secrets: Json }>;
  /** Who comes back. Throws `SourceRefusal`. */
  arrive(source: S, answer: URLSearchParams, secrets: Json, call: Call): Promise<Came>;
  /** Of an answer that is sent by a form: the members that are read. */
  readonly formMembers: readonly string[];
}

export interface Departure {
  /** Unguessable, and used once. */
  readonly state: string;
  /** What the person called themselves, if they did. */
  readonly loginHint: string | null;
}

export interface DoorNeeds extends SignInNeeds {
  readonly key: InstanceKey;
  readonly config: { readonly publicUrl: string };
}

/** One request of a browser at a source. */
export interface Visitor<S extends SourceRow> {
  readonly source: S;
  readonly call: Call;
  readonly given: URLSearchParams;
}

export interface Door<S extends SourceRow> {
  readonly needs: DoorNeeds;
  readonly server: RouteServer;
  readonly resource: Resource<S>;
  readonly speaker: Speaker<S>;
  readonly isSecure: boolean;
}

export const loginPath = (path: string, slug: string): string => `/source/${path}/login/${encodeURIComponent(slug)}/`;
export const callbackPath = (path: string, slug: string): string =>
  `/source/${path}/callback/${encodeURIComponent(slug)}/`;

/** The most of an answer that is sent by a form. */
const mostForm = 8_192;

type Handle<S extends SourceRow> = (door: Door<S>, visitor: Visitor<S>) => Promise<HttpAnswer>;

/** The addresses at which people leave for a source and come back from it. Whatever goes wrong there is told by a page. */
export function doorRoutes<S extends SourceRow>(
  door: Door<S>,
  { leave, comeBack }: { readonly leave: Handle<S>; readonly comeBack: Handle<S> },
): Route[] {
  const { server, resource, speaker } = door;
  // Strangers can meet the same misconfiguration as often as they like.
  const reports = createRateLimit({ max: 1, windowMs: 10 * 60_000 });

  const serve = (handle: Handle<S>) => async (http: HttpCall) => {
    const { call, given } = await callOf(server, http);
    let source: S | null = null;
    try {
      source = await findSource(resource, call.params.slug ?? '', call);
      if (!source?.enabled) throw new Problem('not_found', 'There is no source at this address.');
      return await handle(door, { source, call, given });
    } catch (error) {
      await report(source, error, call);
      return refusalPage(door, error, call);
    }
  };

  async function report(source: S | null, error: unknown, call: Call): Promise<void> {
    if (!source || !(error instanceof SourceRefusal) || error.misconfiguration === null) return;
    if (reports.waitAfter(source.pk) > 0) return;
    const context = { message: error.misconfiguration, source: modelFacts(resource, source.pk, sourceFacts(source)) };
    const event = { action: 'configuration_error', app: resource.app, context };
    await call.db.write((tx) => call.world.record(tx, call, event));
  }

  /** A form that another site sends comes without our cookies; asked for by GET, it comes with them. */
  const byGet = async ({ facts, body }: HttpCall): Promise<HttpAnswer> => {
    const form = new URLSearchParams(body.length > mostForm ? '' : body.toString('utf8'));
    const kept = [...form].filter(([name]) => speaker.formMembers.includes(name));
    return redirect(`${facts.path}?${new URLSearchParams(kept)}`, [], 303);
  };

  const login = `/source/${speaker.path}/login/{slug}/`;
  const callback = `/source/${speaker.path}/callback/{slug}/`;
  return [
    { methods: ['GET'], path: login, handle: serve(leave) },
    { methods: ['GET'], path: callback, handle: serve(comeBack) },
    { methods: ['POST'], path: callback, handle: byGet },
  ];
}

async function callOf(
  { db, clock, world, sessions }: RouteServer,
  { facts, params }: HttpCall,
): Promise<{ readonly call: Call; readonly given: URLSearchParams }> {
  const now = clock.now();
  const actor = await actorOfSession(sessions, facts, now);
  const given = facts.query;
  // The query is the other side's, and no option of ours is to be read from it.
  const request = { ...facts, query: new URLSearchParams() };
  return { given, call: { actor, request, params, now, db, world, body: () => ({}), upload: async () => null } };
}

async function refusalPage<S extends SourceRow>({ server }: Door<S>, error: unknown, call: Call): Promise<HttpAnswer> {
  if (!(error instanceof Problem || error instanceof Invalid || error instanceof SourceRefusal)) throw error;
  const back = call.actor
    ? { to: settingsPage, text: 'Back to your accounts' }
    : { to: await server.signInPath(call.request.host, call.db.read, null), text: 'Back to sign in' };
  return plainPage({
    status: error.status,
    brand: await brandTitle(call.request.host, call.db.read),
    title: 'You cannot come in this way',
    paragraphs: [...wordsOf(error), `Request id: ${call.request.id}`],
    link: back,
  });
}

export const settingsPage = '/if/user/connections/';

const wordsOf = (error: Error): string[] =>
  error instanceof Invalid
    ? Object.values(error.complaints).flatMap((texts) => Object.values(texts).flat())
    : [error.message];

export const redirect = (location: string, cookies: readonly string[] = [], status = 302): HttpAnswer => ({
  status,
  headers: {
    location,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    ...(cookies.length > 0 && { 'set-cookie': [...cookies] }),
  },
});
