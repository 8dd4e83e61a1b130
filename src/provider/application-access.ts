import { sql } from 'kysely';
import {
  type ApplicationRow,
  applicationTarget,
  type EvaluateAccess,
  requestedUser,
  switchedOff,
} from '../core/application/application-access.ts';
import { cachedUserFacts } from '../core/mapping/user-facts.ts';
import { nameDeciders } from '../policy/deciders.ts';
import type { PolicyEngine } from '../policy/engine.ts';
import { shownLog } from '../policy/outcome.ts';
import { policyRequest } from '../policy/request.ts';
import { type Call, requireActor } from '../resource/call.ts';
import { integerSchema } from '../resource/json-schema.ts';
import type { Action } from '../resource/resource.ts';

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

/** The keys of applications that a user may not use. Those without bindings are open to all and not evaluated. */
export const refusedApplications =
  (evaluate: EvaluateAccess) =>
  async (call: Call, userPk: number): Promise<string[]> => {
    const { rows } = await sql<ApplicationRow>`select a.pk, a.name, a.slug, a."group", a.policy_engine_mode, a.enabled
      from applications a
      where not a.enabled or a.pk in (select pb.target from policy_bindings pb where pb.enabled)`.execute(call.db.read);
    if (rows.length === 0) return [];
    const answers = await evaluate(call, userPk, rows.map(applicationTarget), { dryRun: true });
    return [...answers].filter(([, { passing }]) => !passing).map(([pk]) => pk);
  };

/** Whether the caller, or a user whom the caller may query, has access to an application. Only superusers see the reasons. */
export function checkAccessAction(evaluate: EvaluateAccess): Action<ApplicationRow> {
  return {
    name: 'check_access',
    on: 'row',
    method: 'GET',
    page: { noButton: 'The page Access explains the same.' },
    summary: 'Check whether a user may use the application',
    access: 'visible',
    query: { for_user: integerSchema },
    answer: { status: 200, schema: { $ref: '#/components/schemas/PolicyTestResult' } },
    async run({ call, row }) {
      const application = applicationTarget(row);
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
  };
}
