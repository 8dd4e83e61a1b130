import { hash } from 'node:crypto';
import { createLruCache } from '../../lib/lru-cache.ts';
import { Problem } from '../../lib/problem.ts';
import type { RequestFacts } from '../../platform/http/request-facts.ts';
import type { InstanceKey } from '../../platform/keys.ts';
import type { Actor } from '../../resource/access/actor.ts';
import { checkOwnOrigin } from '../session/own-origin.ts';
import { actorOfSession, type SessionNeeds } from '../session/session-credential.ts';
import { actorOfToken } from '../token/token-credential.ts';

interface Dependencies extends SessionNeeds {
  readonly key: InstanceKey;
  /** The host name of the public URL. */
  readonly publicHost: string;
  /** The actor of a bearer credential that is not an API token; null if it is unknown. */
  otherBearer(credentials: string, now: string): Promise<Actor | null>;
}

const maxHashes = 1_000;

/**
 * Authenticates by bearer token, else by session cookie, else as anonymous. An invalid credential is refused, never
 * ignored.
 */
export function createAuthenticate(needs: Dependencies) {
  const { db, key, publicHost, otherBearer } = needs;
  const hashes = createLruCache<string>(maxHashes);

  /** An HMAC takes three to five times as long as a digest. Cached by digest, so that no token stays in memory. */
  function hashOf(token: string): string {
    const digest = hash('sha256', token, 'base64');
    const cached = hashes.get(digest);
    if (cached !== undefined) return cached;
    const made = key.hash(token);
    hashes.set(digest, made);
    return made;
  }

  return async (request: RequestFacts, now: string): Promise<Actor | null> => {
    const authorization = request.header('authorization');
    const [scheme = '', ...rest] = authorization?.trim().split(/\s+/) ?? [];
    const credentials = rest.join(' ');
    if (!credentials) {
      checkOwnOrigin(request, publicHost);
      return actorOfSession(needs, request, now);
    }
    if (scheme.toLowerCase() !== 'bearer') throw new Problem('unsupported_scheme');
    try {
      return await actorOfToken(db, hashOf(credentials), now);
    } catch (error) {
      const actor = error instanceof Problem ? await otherBearer(credentials, now) : null;
      if (actor) return actor;
      throw error;
    }
  };
}
