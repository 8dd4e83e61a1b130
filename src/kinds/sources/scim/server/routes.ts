import type { RouteServer } from '../../../../flow/protocol-kind.ts';
import type { Route } from '../../../../platform/http/route.ts';
import { decoded } from '../../../../platform/http/router.ts';
import { anyMethod, type HttpCall, type HttpResponse } from '../../../../platform/http/routes.ts';
import type { InstanceKey } from '../../../../platform/keys.ts';
import type { Sandbox } from '../../../../platform/sandbox/sandbox.ts';
import { callOf } from '../../../../resource/call.ts';
import { ScimError } from '../protocol/scim-error.ts';
import { createAuthenticate } from './authenticate.ts';
import { dispatch } from './dispatch.ts';
import { answerError, mediaType } from './errors.ts';
import { readBody, type ScimServerDependencies } from './scim-request.ts';

interface Dependencies {
  readonly key: Pick<InstanceKey, 'hash'>;
  readonly sandbox: Sandbox;
  readonly publicUrl: string;
}

/** The SCIM server of each source (RFC 7643, RFC 7644). */
export function scimRoutes(
  { key, sandbox, publicUrl }: Dependencies,
  { db, clock, world, engine }: RouteServer,
): Route[] {
  const authenticate = createAuthenticate(key, db);
  const needs: ScimServerDependencies = { engine, sandbox, publicUrl };

  async function handle(http: HttpCall): Promise<HttpResponse> {
    const { facts, params } = http;
    try {
      const asked = callOf(http, { db, world }, { now: clock.now(), body: () => readBody(http) });
      const { source, call } = await authenticate(asked, params.slug ?? '');
      checkAccept(facts.header('accept'));
      const { status, body, headers } = await dispatch({
        needs,
        call,
        source,
        method: facts.method === 'HEAD' ? 'GET' : facts.method,
        path: segmentsOf(params['*'] ?? ''),
        query: facts.query,
        ifMatch: facts.header('if-match'),
        ifNoneMatch: facts.header('if-none-match'),
        body: call.body,
      });
      const shared = { 'cache-control': 'no-store', ...headers };
      if (body === undefined) return { status, headers: shared };
      return { status, headers: { ...shared, 'content-type': mediaType }, body: JSON.stringify(body) };
    } catch (error) {
      return answerError(error, facts.id);
    }
  }

  const root = '/source/scim/{slug}/v2';
  return [root, `${root}/*`].map((path) => ({ methods: [anyMethod], path, handle }));
}

/** A slash at the end makes no difference. */
const segmentsOf = (rest: string): string[] =>
  rest
    .replace(/\/$/, '')
    .split('/')
    .filter((segment, _, all) => segment !== '' || all.length > 1)
    .map((segment) => {
      const text = decoded(segment);
      if (text === null) throw new ScimError(400, 'The address cannot be read.');
      return text;
    });

function checkAccept(accept: string | undefined): void {
  if (!accept || /(^|[\s,])(\*\/\*|application\/(\*|(scim\+)?json))/i.test(accept)) return;
  throw new ScimError(406, `Answers are of type ${mediaType}.`);
}
