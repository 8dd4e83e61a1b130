import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { brandTitle } from '../../../core/brand/brand-title.ts';
import { actorOfSession, type SessionNeeds } from '../../../core/session/session-credential.ts';
import { isUnreachable } from '../../../platform/db/unreachable.ts';
import { stayingInWindow } from '../../../platform/http/security-headers.ts';
import type { Call, ResourceWorld } from '../../../resource/call.ts';
import { requestFacts } from '../../../resource/http.ts';
import { type BrowserAnswer, redirectBrowser } from './authorize/answer-client.ts';
import type { BrowserNeeds } from './authorize/browser-needs.ts';
import { handleAuthorize } from './authorize/handle-authorize.ts';
import { devicePath } from './device/device-authorization.ts';
import { handleDevicePage } from './device/device-page.ts';
import { createFailureCount } from './failure-count.ts';
import { proofField } from './form-proof.ts';
import { handleEndSession } from './logout/end-session.ts';
import { OAuthError } from './oauth-error.ts';
import { plainPage } from './plain-page.ts';
import { createSigner } from './signing.ts';
import { authorizePath } from './urls.ts';

export interface BrowserMount extends Omit<BrowserNeeds, 'signer' | 'failures'> {
  readonly clock: { now(): string };
  readonly world: ResourceWorld;
  readonly sessions: SessionNeeds;
}

/** Answers somebody's browser. `text` is the query string, or the form that was sent. */
type BrowserEndpoint = (needs: BrowserNeeds, call: Call, text: string) => Promise<BrowserAnswer>;

/** Serves what people come to with a browser on their way to a client or back. */
export function mountBrowserEndpoints(app: FastifyInstance, mount: BrowserMount): void {
  const needs: BrowserNeeds = { ...mount, signer: createSigner(mount.key.box), failures: createFailureCount() };

  const serve = (endpoint: BrowserEndpoint) => async (request: FastifyRequest, reply: FastifyReply) => {
    const { status, headers, body } = await answerOf(request, async () =>
      endpoint(needs, await callOf(request), textOf(request)),
    );
    return reply.code(status).headers(stayingInWindow).headers(headers).send(body);
  };

  async function callOf(request: FastifyRequest): Promise<Call> {
    const facts = requestFacts(request);
    const now = mount.clock.now();
    return {
      // Forms cannot send the header that proves them to be ours; where they change something they bring another proof.
      actor: await actorOfSession(mount.sessions, { ...facts, method: 'GET' }, now),
      request: facts,
      params: request.params as Record<string, string>,
      now,
      db: mount.db,
      world: mount.world,
      body: () => ({}),
      upload: async () => null,
    };
  }

  async function answerOf(request: FastifyRequest, work: () => Promise<BrowserAnswer>): Promise<BrowserAnswer> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof OAuthError) return refusalPage(error, request);
      request.fault = error;
      if (isUnreachable(error)) return refusalPage(busy, request);
      return refusalPage(
        new OAuthError('server_error', `The server failed. Its log knows more: ${request.id}`),
        request,
      );
    }
  }

  /** For the person, because no client is proven that could be told. */
  async function refusalPage({ status, message }: OAuthError, request: FastifyRequest): Promise<BrowserAnswer> {
    const brand = await brandTitle(request.hostname, mount.db.read).catch(() => 'Gatehouse');
    return plainPage({ status, brand, title: 'This cannot be done', paragraphs: [message] });
  }

  // A form that another site makes the browser send comes without its cookies; asked for by GET, it comes with them.
  const byGet: BrowserEndpoint = async (_needs, { request }, text) => redirectBrowser(`${request.path}?${text}`);
  app.get(authorizePath, serve(handleAuthorize));
  app.post(authorizePath, serve(byGet));
  for (const path of ['/application/o/:slug/end-session/', '/application/o/end-session/']) {
    app.get(path, serve(handleEndSession));
    app.post(
      path,
      serve((mounted, call, text) => (isOurForm(text) ? handleEndSession : byGet)(mounted, call, text)),
    );
  }
  for (const path of [devicePath, `${devicePath}/`]) {
    app.get(path, serve(handleDevicePage));
    app.post(path, serve(handleDevicePage));
  }
}

const isOurForm = (text: string): boolean => new URLSearchParams(text).has(proofField);
const busy = new OAuthError('temporarily_unavailable', 'The server is busy. Try again shortly.');

function textOf(request: FastifyRequest): string {
  if (request.method === 'POST')
    return new URLSearchParams((request.body as Buffer | undefined)?.toString('utf8')).toString();
  const at = request.url.indexOf('?');
  return at === -1 ? '' : request.url.slice(at + 1);
}
