import { brokenBinding } from '../../../core/session/binding.ts';
import { endSession } from '../../../core/session/session.ts';
import type { SessionNeeds } from '../../../core/session/session-credential.ts';
import type { InstanceKey } from '../../../platform/keys.ts';
import type { Sandbox } from '../../../platform/sandbox/sandbox.ts';
import type { OutpostFacts } from '../../../provider/outpost/authenticate-outpost.ts';
import type { Call } from '../../../resource/call.ts';
import { readTokens } from './cookies.ts';
import type { Original } from './forwarded.ts';
import { findGuardedHost, type GuardedHost, type HostProvider, type HostSession } from './guarded-host.ts';
import { type HeaderList, inOneLine } from './identity.ts';
import type { Programs } from './programs.ts';
import { proxyApp } from './proxy-model.ts';
import type { Recheck } from './recheck.ts';
import { isSkipped, skipPatterns } from './skip-paths.ts';

export type Decision =
  | {
      readonly outcome: 'allowed';
      readonly provider: HostProvider;
      readonly headers: HeaderList;
      readonly isProgram: boolean;
    }
  /** The path needs no sign-in. */
  | { readonly outcome: 'skipped'; readonly provider: HostProvider }
  | { readonly outcome: 'sign-in'; readonly provider: HostProvider }
  /** The request brought an Authorization header that gives no access. */
  | { readonly outcome: 'refused'; readonly provider: HostProvider }
  | { readonly outcome: 'unknown host' };

export interface CheckNeeds {
  readonly key: Pick<InstanceKey, 'hash' | 'box'>;
  readonly sandbox: Sandbox;
  readonly sessions: Pick<SessionNeeds, 'geo'>;
  readonly recheck: Recheck;
  readonly programs: Programs;
  readonly outpost: OutpostFacts | null;
}

/** Which providers a request may be for: those whose proxy asks, or those of which this server is the proxy. */
export type ServedMode = 'forward' | 'proxy';

/** Decides about one request to a protected application. Access is denied by default. */
export async function check(
  needs: CheckNeeds,
  call: Call,
  original: Original,
  served: ServedMode = 'forward',
): Promise<Decision> {
  const { request } = call;
  const authorization = request.header('authorization');
  const tokens = readTokens(needs.key, request.cookies, authorization);
  const guarded = await findGuardedHost(needs, call, original.host, tokens.hashes);
  if (!guarded || (guarded.provider.mode === 'proxy') !== (served === 'proxy')) return { outcome: 'unknown host' };
  const { provider } = guarded;
  if (provider.slug === null || !provider.enabled) return { outcome: 'sign-in', provider };
  const session = guarded.sessions.find((one) => tokens.isOf(provider, one));
  if (session && (await staysBound(needs, call, session))) {
    const headers = await needs.recheck(call, provider, session);
    if (headers)
      return { outcome: 'allowed', provider, headers: named(needs, headers), isProgram: session.main === null };
  }
  if (isPublicPath(needs, provider, original)) return { outcome: 'skipped', provider };
  if (authorization === undefined) return { outcome: 'sign-in', provider };
  const headers = await needs.programs(call, provider.pk, authorization);
  if (headers) return { outcome: 'allowed', provider, headers: named(needs, headers), isProgram: true };
  return { outcome: provider.intercept_header_auth ? 'refused' : 'sign-in', provider };
}

/** Sessions are shared by all outposts that serve the provider. */
const named = ({ outpost }: CheckNeeds, headers: HeaderList): HeaderList =>
  outpost === null
    ? headers
    : headers.map(([name, value]) => [name, name === 'X-Gatehouse-Meta-Outpost' ? inOneLine(outpost.name) : value]);

/**
 * A session that is bound to a network or location and used from elsewhere has been stolen: it ends, here and
 * everywhere.
 */
async function staysBound({ sessions }: CheckNeeds, call: Call, { binding, main }: HostSession): Promise<boolean> {
  if (binding === null || main === null) return true;
  const broken = brokenBinding(sessions.geo, JSON.parse(binding), call.request.clientIp);
  if (broken === null) return true;
  const context = { logout_reason: 'Session binding broken', binding: broken };
  await call.db.write(async (tx) => {
    if (await endSession(tx, main)) await call.world.record(tx, call, { action: 'logout', app: proxyApp, context });
  });
  return false;
}

function isPublicPath({ sandbox }: CheckNeeds, provider: GuardedHost['provider'], { scheme, host, path }: Original) {
  const target = provider.mode === 'forward_domain' ? `${scheme}://${host}${path}` : path;
  return isSkipped(sandbox, skipPatterns(provider.skip_path_regex), path, target);
}
