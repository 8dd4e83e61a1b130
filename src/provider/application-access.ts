import { sql } from 'kysely';
import {
  type ApplicationRow,
  type ApplicationTarget,
  applicationTarget,
  type EvaluateAccess,
  requestedUser,
  switchedOff,
} from '../core/application/application-access.ts';
import { cachedUserFacts } from '../core/mapping/user-facts.ts';
import { Problem } from '../lib/problem.ts';
import { nameDeciders } from '../policy/deciders.ts';
import type { PolicyEngine } from '../policy/engine.ts';
import { shownLog } from '../policy/outcome.ts';
import { policyRequest } from '../policy/request.ts';
import { type Call, requireActor } from '../resource/call.ts';
import { integerSchema } from '../resource/document/json-schema.ts';
import { defineEndpoint, type Endpoint } from '../resource/endpoint.ts';
import { isStorable } from '../resource/fields/well-formed.ts';

/** Evaluates the policies bound to applications. Without a user, policies that need one deny. */
export function createEvaluateAccess(engine: PolicyEngine): EvaluateAccess {
  return async (call, userPk, applications, { dryRun }) => {
    const user = await cachedUserFacts(call, userPk);
    const evaluated = await engine.evaluateTargets({
      call,
      request: policyRequest(call, { user }),
      targets: applications.filter(({ isOn }) => isOn).map(({ pk, mode, facts }) => ({ pk, mode, obj: facts })),
      dryRun,
    });
    const off = applications.filter(({ isOn }) => !isOn);
    return off.length === 0 ? evaluated : new Map([...evaluated, ...off.map(({ pk }) => [pk, switchedOff] as const)]);
  };
}

/** What `applicationTarget` reads. */
const targetColumns = sql`a.pk, a.name, a.slug, a."group", a.policy_engine_mode, a.enabled`;

/** The keys of applications that a user may not use. Those without bindings are open to all and not evaluated. */
export const refusedApplications =
  (evaluate: EvaluateAccess) =>
  async (call: Call, userPk: number): Promise<string[]> => {
    const { rows } = await sql<ApplicationRow>`select ${targetColumns} from applications a
      where not a.enabled or a.pk in (select pb.target from policy_bindings pb where pb.enabled)`.execute(call.db.read);
    if (rows.length === 0) return [];
    const answers = await evaluate(call, userPk, rows.map(applicationTarget), { dryRun: true });
    return [...answers].filter(([, { passing }]) => !passing).map(([pk]) => pk);
  };

/**
 * Whether the caller, or a user whom the caller may query, has access to an application. Only superusers see the
 * reasons. Separate from the resource, because callers may check applications that they may not view.
 */
export function checkAccessEndpoint(evaluate: EvaluateAccess): Endpoint {
  return defineEndpoint({
    id: 'core_applications_check_access_retrieve',
    method: 'GET',
    path: '/core/applications/{slug}/check_access/',
    page: { noButton: 'The page Access explains the same.' },
    summary: 'Check whether a user may use the application',
    access: 'authenticated',
    query: [{ name: 'for_user', schema: integerSchema, allowEmptyValue: true }],
    answer: { status: 200, schema: { $ref: '#/components/schemas/PolicyTestResult' } },
    async run({ call }) {
      const application = await findApplication(call);
      const answers = await evaluate(call, await requestedUser(call), [application], { dryRun: true });
      const { passing = false, messages = [], logs = [], deciders = [] } = answers.get(application.pk) ?? {};
      if (!requireActor(call).isSuperuser) return { passing, messages: [], log_messages: [] };
      const decided = (await nameDeciders(deciders, call.db.read)).map(({ name, binding }) => ({
        level: 'info' as const,
        text: `${passing ? 'Let in' : 'Refused'} by ${name}.`,
        attributes: { binding },
      }));
      return { passing, messages, log_messages: [...logs, ...decided].map((log) => shownLog(call.now, log)) };
    },
  });
}

async function findApplication({ db, params: { slug = '' } }: Call): Promise<ApplicationTarget> {
  if (!isStorable(slug)) throw new Problem('not_found');
  const { rows } =
    await sql<ApplicationRow>`select ${targetColumns} from applications a where a.slug = ${slug}`.execute(db.read);
  if (!rows[0]) throw new Problem('not_found');
  return applicationTarget(rows[0]);
}
