import { sql } from 'kysely';
import { applicationTarget, type EvaluateAccess } from '../../../core/application/application-access.ts';
import { MappingFailed } from '../../../core/mapping/evaluate.ts';
import { loadUserFacts } from '../../../core/mapping/user-facts.ts';
import { addMilliseconds } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/database.ts';
import { statement } from '../../../platform/db/statement.ts';
import type { InstanceKey } from '../../../platform/keys.ts';
import { createSharedNetworkLimit } from '../../../platform/limits/shared-rate-limit.ts';
import type { Call } from '../../../resource/call.ts';
import { authorizationHash } from './cookies.ts';
import { type HeaderList, type IdentityNeeds, identityOf } from './identity.ts';
import { readCredentials } from './program-credentials.ts';
import { loadProtected, sessionLength } from './protected-application.ts';
import { storeProgram } from './proxy-sessions.ts';

/** The headers for a program that brings an app password; null if it does not, or its user has no access. */
export type Programs = (call: Call, provider: number, header: string) => Promise<HeaderList | null>;

interface ProxyProgramNeeds extends IdentityNeeds {
  readonly db: Database;
  readonly key: InstanceKey;
  readonly evaluateAccess: EvaluateAccess;
}

interface Found {
  readonly pk: string;
  readonly user: number;
  readonly username: string;
  /** The only application that the app password opens; null: any. */
  readonly application: string | null;
}

const select = statement<[hash: string, now: string], Found>(
  (
    hash,
    now,
  ) => sql`select t.pk, u.pk as "user", u.username, t.application from tokens t join users u on u.pk = t."user"
    where t.key_hash = ${hash} and t.intent = 'app_password' and t.audience is null
      and (not t.expiring or t.expires > ${now}) and u.is_active and u.type <> 'internal_service_account'`,
);

/**
 * App passwords for programs that cannot follow a sign-in, by Basic authentication or as a bearer token. Their sessions
 * are found by the header itself, and end with the app password.
 */
export function createPrograms(needs: ProxyProgramNeeds): Programs {
  const { db, key } = needs;
  const failures = createSharedNetworkLimit({ db, name: 'proxy app passwords', max: 100, windowMs: 60_000 });

  return async (call, pk, header) => {
    const credentials = readCredentials(header);
    if (!credentials) return null;
    const { clientIp } = call.request;
    const who = credentials.username ?? undefined;
    if (failures.isReached(clientIp, who)) return null;
    const secretHash = key.hash(credentials.secret);
    const [found] = await select(db.read, secretHash, call.now);
    if (!found || (credentials.username !== null && credentials.username !== found.username)) {
      failures.waitAfter(clientIp, who);
      return null;
    }
    const [application, user] = await Promise.all([
      loadProtected(db.read, { provider: pk }),
      loadUserFacts(db.read, found.user),
    ]);
    if (!application || !user?.is_active) return null;
    const target = applicationTarget(application.application);
    if (found.application !== null && found.application !== target.pk) return null;
    const answers = await needs.evaluateAccess(call, user.pk, [target], { dryRun: false });
    if (answers.get(target.pk)?.passing !== true) return null;
    const { now } = call;
    const expires = addMilliseconds(now, sessionLength(application));
    const headers = await identityOf(needs, db.read, { application, user, now, expires }).catch(async (error) => {
      if (!(error instanceof MappingFailed)) throw error;
      await db.write((tx) => call.world.record(tx, call, error.event()));
      return null;
    });
    if (headers === null) return null;
    const session = { provider: pk, user: user.pk, headers, now, expires, tokenHash: authorizationHash(key, header) };
    await db.write((tx) => storeProgram(tx, key, { ...session, appPassword: found.pk, appPasswordHash: secretHash }));
    return headers;
  };
}
