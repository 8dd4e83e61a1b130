import { applicationTarget, type EvaluateAccess, requestedUser } from '../core/application/application-access.ts';
import { cachedUserFacts } from '../core/mapping/user-facts.ts';
import { nameDeciders } from '../policy/deciders.ts';
import type { PolicyEngine } from '../policy/engine.ts';
import { policyRequest } from '../policy/request.ts';
import { requireActor } from '../resource/call.ts';
import { integerSchema } from '../resource/json-schema.ts';
import type { Action } from '../resource/resource.ts';

/** Evaluates the policies bound to applications. Without a user, policies that need one deny. */
export function createEvaluateAccess(engine: PolicyEngine): EvaluateAccess {
  return async (call, userPk, applications) => {
    const user = await cachedUserFacts(call, userPk);
    return engine.evaluateTargets({
      call,
      request: policyRequest(call, { user }),
      targets: applications.map(({ pk, mode, facts }) => ({ pk, mode, obj: facts })),
      dryRun: true,
    });
  };
}

/** Whether the caller, or a user whom the caller may query, has access to an application. Only superusers see the reasons. */
export function checkAccessAction(ask: EvaluateAccess): Action {
  return {
    name: 'check_access',
    on: 'row',
    method: 'GET',
    summary: 'Check whether a user may use the application',
    access: 'visible',
    query: { for_user: integerSchema },
    answer: { status: 200, schema: { $ref: '#/components/schemas/PolicyTestResult' } },
    async run({ call, row }) {
      const application = applicationTarget(row as unknown as Parameters<typeof applicationTarget>[0]);
      const answers = await ask(call, await requestedUser(call), [application]);
      const { passing = false, messages = [], logs = [], deciders = [] } = answers.get(application.pk) ?? {};
      if (!requireActor(call).isSuperuser) return { passing, messages: [], log_messages: [] };
      const decided = (await nameDeciders(deciders, call.db.read)).map(({ name, binding }) => ({
        level: 'info',
        text: `${passing ? 'Let in' : 'Refused'} by ${name}.`,
        attributes: { binding },
      }));
      const log_messages = [...logs, ...decided].map(({ level, text, attributes }) => ({
        timestamp: call.now,
        log_level: level,
        logger: 'gatehouse.policy',
        event: text,
        attributes,
      }));
      return { passing, messages, log_messages };
    },
  };
}
