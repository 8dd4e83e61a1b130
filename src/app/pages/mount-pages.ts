import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { currentBrand } from '../../core/brand/current-brand.ts';
import { actorOfSession, type SessionNeeds } from '../../core/session/session-credential.ts';
import { flowPage } from '../../flow/executor/challenge.ts';
import type { Clock } from '../../platform/clock.ts';
import { isUnreachable } from '../../platform/db/unreachable.ts';
import { stayingInWindow } from '../../platform/http/security-headers.ts';
import type { Log } from '../../platform/log.ts';
import { type FlowPageFacts, factsOfFlowPage, signInPath } from './flow-pages.ts';
import { type BuiltPages, findBuiltPages } from './page-files.ts';
import { assetPrefix, nothingForeign, pagePolicy, pageShell, wordsOnly } from './shell.ts';

interface Needs extends SessionNeeds {
  readonly clock: Clock;
  readonly log: Log;
  /** Where browsers ask the media server. */
  readonly mediaApi: string;
}

const accountPath = '/if/user/';
const html = 'text/html; charset=utf-8';
const plainPage = { foreign: nothingForeign, asksMediaServer: false };

const missing =
  'This server runs without its web pages, because they have not been built. Its administrator can do that with ' +
  '“npm run build”, on a platform that the bundler supports. The API works all the same.';
const away = 'The server is busy, or cannot reach its database. Please try again in a moment.';

/** The pages people see: flows for everybody, their own page for those who are signed in. */
export async function mountPages(server: FastifyInstance, needs: Needs, built = findBuiltPages()): Promise<void> {
  if (!built) needs.log.warn('the web pages have not been built, so nobody can sign in with a browser');
  await server.register(async (app) => {
    app.setErrorHandler((error, request, reply) => {
      request.fault = error;
      reply.headers({ 'cache-control': 'no-store', 'content-type': html });
      if (isUnreachable(error)) return reply.code(503).send(wordsOnly('Not available at the moment', away));
      const text = `If it keeps happening, tell your administrator this request id: ${request.id}`;
      return reply.code(500).send(wordsOnly('Something went wrong', text));
    });
    if (built) await mountFiles(app, built);
    mountDocuments(app, needs, built);
  });
}

/** Scripts and styles: their names change with their contents, so browsers need not ask again. */
async function mountFiles(app: FastifyInstance, { folder }: BuiltPages): Promise<void> {
  await app.register(fastifyStatic, {
    root: folder,
    prefix: assetPrefix,
    index: false,
    decorateReply: false,
    preCompressed: true,
    immutable: true,
    maxAge: '365d',
  });
}

function mountDocuments(app: FastifyInstance, needs: Needs, built: BuiltPages | null): void {
  const { db, settings } = needs;

  async function show(
    request: FastifyRequest,
    reply: FastifyReply,
    page: string,
    { foreign, asksMediaServer }: Pick<FlowPageFacts, 'foreign' | 'asksMediaServer'> = plainPage,
  ): Promise<FastifyReply> {
    const files = built?.pages[page];
    reply.headers({ 'cache-control': 'no-store', 'content-type': html });
    if (!files) return reply.code(503).send(wordsOnly('The pages are missing', missing));
    const brand = await currentBrand(request.facts.host, db.read, await settings.current());
    reply.header('content-security-policy', pagePolicy(foreign));
    return reply.send(pageShell(files, brand, asksMediaServer ? needs.mediaApi : null));
  }

  const leadTo = (reply: FastifyReply, path: string) => reply.header('cache-control', 'no-store').redirect(path);

  const isSignedIn = async (request: FastifyRequest): Promise<boolean> =>
    (await actorOfSession(needs, request.facts, needs.clock.now())) !== null;

  const signInPage = (request: FastifyRequest, next: string | null): Promise<string> =>
    signInPath(request.facts.host, db.read, next);

  app.get('/', async (request, reply) =>
    leadTo(reply, (await isSignedIn(request)) ? accountPath : await signInPage(request, null)),
  );

  app.get<{ Params: { slug: string } }>('/if/flow/:slug/', async (request, reply) => {
    const facts = await factsOfFlowPage(request.params.slug, db.read, needs.mediaApi);
    if (!facts.exists) reply.code(404);
    reply.headers(stayingInWindow);
    return show(request, reply, 'flow', facts);
  });

  app.get<{ Params: { slug: string } }>('/if/flow/:slug', (request, reply) =>
    leadTo(reply, `${flowPage(request.params.slug)}${queryOf(request)}`),
  );

  /** A page for people who are signed in; others sign in first and then come back to it. */
  const ownPage = (prefix: string, page: string) => {
    app.get(`${prefix}*`, async (request, reply) => {
      if (!(await isSignedIn(request))) return leadTo(reply, await signInPage(request, request.url));
      const isBuilt = built === null || built.pages[page] !== undefined;
      return isBuilt || prefix === accountPath ? show(request, reply, page) : leadTo(reply, accountPath);
    });
    app.get(prefix.slice(0, -1), (request, reply) => leadTo(reply, `${prefix}${queryOf(request)}`));
  };
  ownPage(accountPath, 'account');
  ownPage('/if/admin/', 'admin');
}

function queryOf({ url }: FastifyRequest): string {
  const at = url.indexOf('?');
  return at === -1 ? '' : url.slice(at);
}
