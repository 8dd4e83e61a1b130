import { sql } from 'kysely';
import { applicationTarget, type EvaluateAccess } from '../../../core/application/application-access.ts';
import { MappingFailed } from '../../../core/mapping/evaluate.ts';
import { loadUserFacts } from '../../../core/mapping/user-facts.ts';
import { addMilliseconds } from '../../../platform/clock.ts';
import { statement } from '../../../platform/db/statement.ts';
import type { InstanceKey } from '../../../platform/keys.ts';
import { createSharedNetworkLimit } from '../../../platform/limits/shared-rate-limit.ts';
import type { Call } from '../../../resource/call.ts';
import { authorizationHash } from './cookies.ts';
import { type HeaderList, type IdentityNeeds, identityOf } from './identity.ts';
import { type ProgramCredentials, readCredentials } from './program-credentials.ts';
import { loadProtected, type ProtectedApplication, sessionLength } from './protected-application.ts';
import { type ProgramSession, storeProgram } from './proxy-sessions.ts';
import { findWorkload, type WorkloadNeeds } from './workloads.ts';

/** The headers for a program that brings credentials; null if it does not, or its user has no access. */
export type Programs = (call: Call, provider: number, header: string) => Promise<HeaderList | null>;

interface ProxyProgramNeeds extends IdentityNeeds, WorkloadNeeds {
  readonly key: InstanceKey;
  readonly evaluateAccess: EvaluateAccess;
}

interface AppPassword {
  readonly pk: string;
  readonly user: number;
  readonly username: string;
  /** The only application that the app password opens; null: any. */
  readonly application: string | null;
}

interface Program {
  readonly user: number;
  readonly by: ProgramSession['by'];
  /** How long it is let in, and how long until it is checked again. */
  readonly expires: string;
  readonly recheck: string;
}

const select = statement<[hash: string, now: string], AppPassword>(
  (
    hash,
    now,
  ) => sql`select t.pk, u.pk as "user", u.username, t.application from tokens t join users u on u.pk = t."user"
    where t.key_hash = ${hash} and t.intent = 'app_password' and t.audience is null
      and (not t.expiring or t.expires > ${now}) and u.is_active and u.type <> 'internal_service_account'`,
);

/** The keys of a source may be withdrawn: tokens are verified again this often. */
const verifyEveryMs = 60_000;

/**
 * App passwords for programs that cannot follow a sign-in, and tokens of JWKS sources, by Basic authentication or as a
 * bearer token. Their sessions are found by the header itself.
 */
export function createPrograms(needs: ProxyProgramNeeds): Programs {
  const { db, key } = needs;
  const failures = createSharedNetworkLimit({ db, name: 'proxy app passwords', max: 100, windowMs: 60_000 });

  async function findProgram(call: Call, application: ProtectedApplication, credentials: ProgramCredentials) {
    const { username, secret } = credentials;
    const longest = addMilliseconds(call.now, sessionLength(application));
    const hash = key.hash(secret);
    const [found] = await select(db.read, hash, call.now);
    if (found) {
      if (username !== null && username !== found.username) return null;
      if (found.application !== null && found.application !== application.application.pk) return null;
      return { user: found.user, by: { appPassword: found.pk, hash }, expires: longest, recheck: longest };
    }
    const workload = username === null ? await findWorkload(needs, call, application, secret) : null;
    if (!workload) return null;
    const expires = workload.expires < longest ? workload.expires : longest;
    const minute = addMilliseconds(call.now, verifyEveryMs);
    const { user, source } = workload;
    return { user, by: { source }, expires, recheck: expires < minute ? expires : minute };
  }

  return async (call, pk, header) => {
    const credentials = readCredentials(header);
    if (!credentials) return null;
    const { clientIp } = call.request;
    const who = credentials.username ?? undefined;
    if (failures.isReached(clientIp, who)) return null;
    const application = await loadProtected(db.read, { provider: pk });
    if (!application) return null;
    const program: Program | null = await findProgram(call, application, credentials);
    if (!program) {
      failures.waitAfter(clientIp, who);
      return null;
    }
    const headers = await admit(needs, call, application, program);
    if (headers === null) return null;
    const { user, by, recheck: expires } = program;
    const tokenHash = authorizationHash(key, header);
    const session = { provider: pk, user, headers, now: call.now, expires, tokenHash, by };
    await db.write((tx) => storeProgram(tx, key, session));
    return headers;
  };
}

/** The headers for the application, if its policies let the program in. */
async function admit(
  needs: ProxyProgramNeeds,
  call: Call,
  application: ProtectedApplication,
  program: Program,
): Promise<HeaderList | null> {
  const { db } = needs;
  const { now } = call;
  const user = await loadUserFacts(db.read, program.user);
  if (!user?.is_active) return null;
  const target = applicationTarget(application.application);
  const answers = await needs.evaluateAccess(call, user.pk, [target], { dryRun: false });
  if (answers.get(target.pk)?.passing !== true) return null;
  const { expires } = program;
  return identityOf(needs, db.read, { application, user, now, expires }).catch(async (error) => {
    if (!(error instanceof MappingFailed)) throw error;
    await db.write((tx) => call.world.record(tx, call, error.event()));
    return null;
  });
}
