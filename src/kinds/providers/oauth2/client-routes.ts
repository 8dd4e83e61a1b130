import { sql } from 'kysely';
import type { Database } from '../../../platform/db/database.ts';
import type { Route } from '../../../platform/http/route.ts';
import { anyMethod, type HandleCall, type HttpCall, withHead } from '../../../platform/http/routes.ts';
import { callOf, type ResourceWorld } from '../../../resource/call.ts';
import { backChannelRoutes } from './back-channel-routes.ts';
import type { OAuthDependencies } from './dependencies.ts';
import { OAuthError } from './oauth-error.ts';
import { handleOAuthRequest, type OAuthEndpoint, readJson } from './oauth-request.ts';
import { publicRoutes } from './public-routes.ts';
import { isOriginOf } from './redirect-uris.ts';

export interface MountDependencies extends OAuthDependencies {
  readonly clock: { now(): string };
  readonly world: ResourceWorld;
}

const root = '/application/o/';
const urlOf = (path: string) => (path.startsWith('/') ? path : `${root}${path}`);
/** How long browsers may cache a preflight response (CORS). */
const preflightSeconds = 600;

/** The endpoints of OAuth 2 and OpenID Connect that clients call. */
export function clientRoutes(mount: MountDependencies): Route[] {
  const clientCall = (http: HttpCall) => callOf(http, mount, { now: mount.clock.now(), body: () => readJson(http) });
  const preflight =
    (methods: readonly string[]): HandleCall =>
    async ({ facts }) => {
      const origin = facts.header('origin');
      const headers = { vary: 'Origin', 'cache-control': 'no-store' };
      if (origin === undefined || !(await isOriginOfAny(mount.db, origin))) return { status: 204, headers };
      return {
        status: 204,
        headers: {
          ...headers,
          'access-control-allow-origin': origin,
          'access-control-allow-methods': methods.join(', '),
          'access-control-allow-headers': 'Authorization, Content-Type, DPoP',
          'access-control-max-age': String(preflightSeconds),
        },
      };
    };
  return [...backChannelRoutes(mount), ...publicRoutes(mount)].flatMap(
    ([methods, shortPath, endpoint, maxBodyBytes]) => {
      const path = urlOf(shortPath);
      const refuse = notOffered([...withHead(methods), 'OPTIONS']);
      return [
        { methods, path, handle: (http) => handleOAuthRequest(http, clientCall(http), endpoint, maxBodyBytes) },
        { methods: ['OPTIONS'], path, handle: preflight(methods) },
        { methods: [anyMethod], path, handle: (http) => handleOAuthRequest(http, clientCall(http), refuse) },
      ] satisfies Route[];
    },
  );
}

/** RFC 9110 §15.5.6 */
const notOffered =
  (methods: readonly string[]): OAuthEndpoint =>
  async ({ call }) => {
    throw new OAuthError('invalid_request', `Method ${call.request.method} is not offered here.`, {
      status: 405,
      headers: { allow: methods.join(', ') },
    });
  };

/** CORS preflight: any client's origin is allowed; the response itself only for the client's own origins. */
async function isOriginOfAny(db: Database, origin: string): Promise<boolean> {
  const { rows } = await sql<{ redirect_uris: string }>`select redirect_uris from provider_oauth2
    where ${db.dialect.contains(sql.ref('redirect_uris'), origin)}`.execute(db.read);
  return rows.some(({ redirect_uris }) => isOriginOf(origin, JSON.parse(redirect_uris)));
}
