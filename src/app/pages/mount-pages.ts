import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { currentBrand } from '../../core/brand/current-brand.ts';
import { actorOfSession, type SessionNeeds } from '../../core/session/session-credential.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import { requestFacts } from '../../resource/http.ts';
import { type FlowPageFacts, factsOfFlowPage, signInPath } from './flow-pages.ts';
import { findBuiltPages } from './page-files.ts';
import { assetPrefix, missingPage, nothingForeign, pagePolicy, pageShell } from './shell.ts';

interface Needs extends SessionNeeds {
  readonly clock: Clock;
  readonly log: Log;
  /** Where browsers ask the media server. */
  readonly mediaApi: string;
}

const plainPage = { foreign: nothingForeign, asksMediaServer: false };

/** The pages people see: flows for everybody, their own page for those who are signed in. */
export async function mountPages(app: FastifyInstance, needs: Needs, built = findBuiltPages()): Promise<void> {
  const { db, settings } = needs;
  if (built) {
    await app.register(fastifyStatic, {
      root: built.folder,
      prefix: assetPrefix,
      index: false,
      decorateReply: false,
      preCompressed: true,
      immutable: true,
      maxAge: '365d',
    });
  } else needs.log.warn('the web pages have not been built, so nobody can sign in with a browser');

  async function show(
    request: FastifyRequest,
    reply: FastifyReply,
    page: string,
    { foreign, asksMediaServer }: Pick<FlowPageFacts, 'foreign' | 'asksMediaServer'> = plainPage,
  ): Promise<FastifyReply> {
    const files = built?.pages[page];
    reply.headers({ 'cache-control': 'no-store', 'content-type': 'text/html; charset=utf-8' });
    if (!files) return reply.code(503).send(missingPage());
    const brand = await currentBrand(request.hostname, db.read, await settings.current());
    reply.header('content-security-policy', pagePolicy(foreign));
    return reply.send(pageShell(files, brand, asksMediaServer ? needs.mediaApi : null));
  }

  const isSignedIn = async (request: FastifyRequest): Promise<boolean> =>
    (await actorOfSession(needs, requestFacts(request), needs.clock.now())) !== null;

  const toSignIn = async (request: FastifyRequest, next: string | null): Promise<string> =>
    signInPath(request.hostname, db.read, next);

  app.get('/', async (request, reply) => {
    const to = (await isSignedIn(request)) ? '/if/user/' : await toSignIn(request, null);
    return reply.header('cache-control', 'no-store').redirect(to);
  });

  app.get<{ Params: { slug: string } }>('/if/flow/:slug/', async (request, reply) => {
    const facts = await factsOfFlowPage(request.params.slug, db.read, needs.mediaApi);
    if (!facts.exists) reply.code(404);
    return show(request, reply, 'flow', facts);
  });

  app.get<{ Params: { slug: string } }>('/if/flow/:slug', (request, reply) =>
    reply.redirect(`/if/flow/${encodeURIComponent(request.params.slug)}/${queryOf(request)}`),
  );

  /** A page for people who are signed in; others sign in first and then come back to it. */
  const ownPage = (prefix: string, page: string) => {
    app.get(`${prefix}*`, async (request, reply) => {
      if (await isSignedIn(request)) return show(request, reply, page);
      return reply.header('cache-control', 'no-store').redirect(await toSignIn(request, request.url));
    });
    app.get(prefix.slice(0, -1), (_request, reply) => reply.redirect(prefix));
  };
  ownPage('/if/user/', 'account');
  ownPage('/if/admin/', built?.pages.admin ? 'admin' : 'account');
}

function queryOf({ url }: FastifyRequest): string {
  const at = url.indexOf('?');
  return at === -1 ? '' : url.slice(at);
}
