import { Problem } from '../../lib/problem.ts';
import type { Database } from '../../platform/db/database.ts';
import type { InstanceKey } from '../../platform/keys.ts';
import type { Actor } from '../../resource/actor.ts';
import type { RequestFacts } from '../../resource/call.ts';
import { actorOfSession } from '../session/session.ts';
import { actorOfToken } from '../token/token-credential.ts';

interface Needs {
  readonly db: Database;
  readonly key: InstanceKey;
  /** Whether browsers reach the server over TLS: it decides which cookies count. */
  readonly isSecure: boolean;
  now(): string;
  /** Who presents a bearer credential that is no API token, if it is one of another kind. */
  otherBearer(credentials: string, now: string): Promise<Actor | null>;
}

/** Who asks: by bearer token, else by session cookie, else nobody. A wrong credential is refused, never ignored. */
export function createAuthenticate({ db, key, isSecure, now, otherBearer }: Needs) {
  return async (request: RequestFacts): Promise<Actor | null> => {
    const [scheme = '', credentials = ''] = (request.header('authorization') ?? '').trim().split(/\s+/, 2);
    if (!credentials) return actorOfSession({ db, key, isSecure }, request, now());
    if (scheme.toLowerCase() !== 'bearer') throw new Problem('unsupported_scheme');
    try {
      return await actorOfToken(db, key, credentials, now());
    } catch (error) {
      const actor = error instanceof Problem ? await otherBearer(credentials, now()) : null;
      if (actor) return actor;
      throw error;
    }
  };
}
