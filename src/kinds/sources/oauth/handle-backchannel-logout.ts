import { actingAs } from '../../../core/access/impersonation-guard.ts';
import { loadUserFacts } from '../../../core/mapping/user-facts.ts';
import { endSession } from '../../../core/session/session.ts';
import type { RouteServer } from '../../../flow/protocol-kind.ts';
import { asObject, isJsonObject } from '../../../lib/json.ts';
import { readForm } from '../../../lib/read-form.ts';
import type { Route } from '../../../platform/http/route.ts';
import type { HttpResponse } from '../../../platform/http/routes.ts';
import type { InstanceKey } from '../../../platform/keys.ts';
import { createNetworkLimit, createRateLimit } from '../../../platform/limits/rate-limit.ts';
import { type Call, callOf } from '../../../resource/call.ts';
import { isStorable } from '../../../resource/fields/well-formed.ts';
import type { Resource } from '../../../resource/resource.ts';
import { findSource } from '../../../source/load-source.ts';
import { sourceFacts } from '../../../source/sign-in.ts';
import { SourceRefusal } from '../../../source/source-refusal.ts';
import { clientIdOf } from './client.ts';
import { type OAuthSource, oauthLogoutPaths } from './oauth-model.ts';
import { sessionsNamed, useLogoutToken } from './oauth-sessions.ts';
import type { SourceEndpoints } from './source-endpoints.ts';
import { rulesOf } from './type-rules.ts';
import { notVerified, verifyJwt } from './verify-jwt.ts';

interface Dependencies extends SourceEndpoints {
  readonly key: InstanceKey;
}

const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout';
const maxAge = '10 minutes';
/** The age, and the tolerance for clocks on both sides of it. */
const rememberedMs = 12 * 60_000;
const maxFormBytes = 65_536;
const types: readonly unknown[] = [undefined, 'jwt', 'logout+jwt', 'application/logout+jwt'];

/** Ends the sessions that a provider names in a logout token (OpenID Connect Back-Channel Logout §2.5 to §2.8). */
export function backchannelLogoutRoute(
  needs: Dependencies,
  resource: Resource<OAuthSource>,
  server: RouteServer,
): Route {
  // Verifying takes far longer than sending something to be verified.
  const limit = (max: number) =>
    createNetworkLimit((allowance) => createRateLimit({ max: max * allowance, windowMs: 60_000 }));
  const tokens = limit(300);
  const refused = limit(60);
  return {
    methods: ['POST'],
    path: oauthLogoutPaths.backchannel,
    async handle({ facts, params, body }) {
      const call = callOf({ facts, params }, server, { now: server.clock.now(), actor: null });
      const { clientIp } = facts;
      if (refused.isReached(clientIp) || tokens.waitAfter(clientIp) > 0) {
        return errorAnswer(429, 'Too many logout tokens came from this network. Try again in a minute.');
      }
      try {
        await logOut(needs, resource, call, body);
        return { status: 200, headers: { 'cache-control': 'no-store' } };
      } catch (error) {
        if (!(error instanceof SourceRefusal)) throw error;
        refused.waitAfter(clientIp);
        return errorAnswer(400, error.message);
      }
    },
  };
}

const errorAnswer = (status: number, error_description: string): HttpResponse => ({
  status,
  headers: { 'cache-control': 'no-store', 'content-type': 'application/json' },
  body: JSON.stringify({ error: 'invalid_request', error_description }),
});

async function logOut(needs: Dependencies, resource: Resource<OAuthSource>, call: Call, body: Buffer): Promise<void> {
  const source = await findSource(resource, call.params.slug ?? '', call);
  if (!source?.enabled || !rulesOf(source.provider_type).isOpenId) {
    throw new SourceRefusal('No source at this address accepts logout tokens.');
  }
  const form = body.length > maxFormBytes ? new URLSearchParams() : readForm(body);
  const [token, ...others] = form.getAll('logout_token');
  if (!token || others.length > 0) throw new SourceRefusal('Exactly one logout_token is expected.');
  const { sub, sid, jti } = await readLogoutToken(needs, source, token, call);
  const found = await sessionsNamed(call.db.read, source.pk, { sub, sid });
  const users = await Promise.all(
    [...new Set(found.map(({ user }) => user))].map((user) => loadUserFacts(call.db.read, user)),
  );
  await call.db.write(async (tx) => {
    const once = { jti, now: call.now, lifetimeMs: rememberedMs };
    if (!(await useLogoutToken(tx, needs.key, source.pk, once))) {
      throw notVerified(source, 'logout token', 'it was used before');
    }
    for (const { session } of found) await endSession(tx, session);
    for (const user of users) {
      if (!user) continue;
      const sessions = found.filter((one) => one.user === user.pk).length;
      const context = { source: sourceFacts(source), sessions };
      await call.world.record(tx, actingAs(call, user), { action: 'logout', app: resource.app, context });
    }
  });
}

async function readLogoutToken(
  { remoteKeys, endpoints }: SourceEndpoints,
  source: OAuthSource,
  jwt: string,
  call: Call,
): Promise<{ readonly sub: string | null; readonly sid: string | null; readonly jti: string }> {
  const wrong = (why: string) => notVerified(source, 'logout token', why);
  const { claims, header } = await verifyJwt(remoteKeys, source, await endpoints(source, call), {
    jwt,
    what: 'logout token',
    options: { audience: clientIdOf(source), maxTokenAge: maxAge, requiredClaims: ['iss', 'iat', 'jti', 'events'] },
    now: call.now,
  });
  const { sub, sid, jti, events, nonce } = claims;
  if (!types.includes(header.typ?.toLowerCase())) throw wrong('it is a token of another type (typ)');
  if (!isJsonObject(asObject(events)[logoutEvent])) throw wrong('its events do not name a logout');
  // An ID token must not pass for it.
  if (nonce !== undefined) throw wrong('it has a nonce');
  if (typeof jti !== 'string' || jti === '') throw wrong('its claim jti is wrong');
  if (![sub, sid].every((id) => id === undefined || (typeof id === 'string' && id !== '' && isStorable(id)))) {
    throw wrong('its claims sub and sid must be texts');
  }
  if (sub === undefined && sid === undefined) throw wrong('it names neither sub nor sid');
  return { sub: sub ?? null, sid: typeof sid === 'string' ? sid : null, jti };
}
