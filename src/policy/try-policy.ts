import { loadUserFacts } from '../core/mapping/user-facts.ts';
import { Invalid } from '../lib/problem.ts';
import { isVisible } from '../resource/access/access.ts';
import { actionOn } from '../resource/define.ts';
import { arrayOf, booleanSchema, objectSchema, stringSchema } from '../resource/document/json-schema.ts';
import { logSchema } from '../resource/document/log-schema.ts';
import { missingObject, ref } from '../resource/fields/ref.ts';
import { json } from '../resource/fields/structured.ts';
import type { ActionInput } from '../resource/resource.ts';
import type { PolicyEngine } from './engine.ts';
import { shownLog } from './outcome.ts';
import { policyRequest } from './request.ts';

const body = {
  user: ref('svc_core.user', 'int', { help: 'Whom the policy is asked about.' }),
  context: json({ default: () => ({}), help: 'What the policy finds in its context.' }),
};

type Tried = { pk: string; kind: string; name: string };

/** Testing a policy requires permission to change it; viewing is not enough. Without side effects. */
export function tryPolicyAction(engine: PolicyEngine) {
  return actionOn<Tried>()({
    name: 'test',
    on: 'row',
    method: 'POST',
    page: { noButton: 'The page of a policy runs it under Try.' },
    summary: 'Try a policy',
    access: 'change',
    body,
    bodySchema: 'PolicyTestRequest',
    answer: {
      status: 200,
      schema: objectSchema({
        passing: booleanSchema,
        messages: arrayOf(stringSchema),
        log_messages: arrayOf(logSchema),
      }),
      schemaName: 'PolicyTestResult',
    },
    prepare: (input) => tryPolicy(engine, input),
    run: async ({ prepared }) => prepared,
  });
}

async function tryPolicy(engine: PolicyEngine, { call, registry, row, values }: ActionInput<Tried, typeof body>) {
  const pk = values.user;
  // A user whom the caller may not see does not exist for them.
  const isThere = await isVisible(registry.require('svc_core.user'), pk, call, registry);
  const user = isThere ? await loadUserFacts(call.db.read, pk) : null;
  if (!user) throw Invalid.field('user', missingObject(pk));
  const request = policyRequest(call, { user, context: values.context });
  const { passing, messages, logs } = await engine.tryPolicy({ call, request, policy: row });
  return { passing, messages, log_messages: logs.map((log) => shownLog(call.now, log)) };
}
