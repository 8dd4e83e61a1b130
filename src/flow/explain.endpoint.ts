import { loadUserFacts, type UserFacts } from '../core/mapping/user-facts.ts';
import { Invalid } from '../lib/problem.ts';
import { boundKinds, nameDeciders } from '../policy/deciders.ts';
import type { PolicyEngine, TracedBinding } from '../policy/engine.ts';
import { policyRequest } from '../policy/request.ts';
import { holdsOn, isVisible } from '../resource/access/access.ts';
import { requireActor } from '../resource/call.ts';
import {
  arrayOf,
  booleanSchema,
  integerSchema,
  type JsonSchema,
  objectSchema,
  orNull,
  stringSchema,
  uuidSchema,
} from '../resource/document/json-schema.ts';
import { defineEndpoint, type Endpoint } from '../resource/endpoint.ts';
import { parseKey } from '../resource/read/read.ts';
import { type ExplainInput, explainedNodes } from './explain-nodes.ts';

const forEditors = 'Empty for callers who may not change the policy.';
const bindingSchema = objectSchema({
  binding: uuidSchema,
  name: { ...stringSchema, description: 'What is bound, such as “the group Staff”.' },
  bound: {
    ...objectSchema({ kind: { type: 'string', enum: boundKinds }, name: stringSchema }),
    description: 'The same as data, for other languages.',
  },
  policy: orNull(uuidSchema),
  group: orNull(uuidSchema),
  user: orNull(integerSchema),
  negate: booleanSchema,
  passing: booleanSchema,
  messages: { ...arrayOf(stringSchema), description: forEditors },
  logs: { ...arrayOf(stringSchema), description: forEditors },
});

const nodeSchema: JsonSchema = objectSchema({
  model: stringSchema,
  pk: stringSchema,
  name: stringSchema,
  mode: { type: 'string', enum: ['all', 'any'] },
  enabled: { ...booleanSchema, description: 'A disabled object denies everyone, whatever its bindings say.' },
  passing: booleanSchema,
  bindings: arrayOf(bindingSchema),
});

/** Tells the result of each binding of a target for a user. Evaluates without side effects. */
export function explainEndpoint(policies: PolicyEngine): Endpoint {
  return defineEndpoint({
    id: 'policies_explain_retrieve',
    method: 'GET',
    path: '/policies/explain/',
    summary: 'Explain why a user may use an application, a flow or another target',
    access: { permission: 'svc_policies.view_policybinding' },
    query: [
      { name: 'user', schema: integerSchema, required: true, description: 'The key of the user.' },
      { name: 'target', schema: uuidSchema, required: true, description: 'The key of what policies are bound to.' },
    ],
    answer: {
      status: 200,
      schemaName: 'AccessExplanation',
      schema: objectSchema({
        passing: booleanSchema,
        input: {
          type: 'object',
          additionalProperties: true,
          description: 'What policies see of the user. Empty for callers who are not superusers.',
        },
        nodes: { ...arrayOf(nodeSchema), description: 'The object; for a flow its stages too, in their order.' },
      }),
    },
    async run(input) {
      const { call } = input;
      const user = await requestedUser(input);
      const nodes = [];
      for (const { target, facts, ...node } of await explainedNodes(call.request.query.get('target') ?? '', input)) {
        const { passing, trace } = await policies.explainTarget({
          call,
          request: policyRequest(call, { user, obj: facts }),
          target: { pk: target, mode: node.mode },
        });
        nodes.push({ ...node, passing: passing && node.enabled, bindings: await showBindings(trace, input) });
      }
      return { passing: nodes[0]?.passing ?? false, input: requireActor(call).isSuperuser ? user : {}, nodes };
    },
  });
}

/** The permission that `check_access` requires, too. */
const aboutOthers = 'svc_core.view_user_applications';

async function requestedUser({ call, engine: { registry }, tx }: ExplainInput): Promise<UserFacts> {
  const text = call.request.query.get('user') ?? '';
  if (text === '') throw Invalid.field('user', 'This field is required.');
  const users = registry.require('svc_core.user');
  const actor = requireActor(call);
  const pk = parseKey(users, text);
  const isAllowed =
    pk !== null &&
    (pk === actor.user.pk ||
      ((await isVisible(users, pk, call, registry)) && (await holdsOn(actor, aboutOthers, users, pk, tx))));
  const user = isAllowed ? await loadUserFacts(tx, Number(pk)) : null;
  // Callers without the permission get 404 for the user.
  if (!user) throw Invalid.field('user', 'User not found');
  return user;
}

async function showBindings(trace: readonly TracedBinding[], { call, engine: { registry }, tx }: ExplainInput) {
  const actor = requireActor(call);
  const policies = registry.require('svc_policies.policy');
  const named = await nameDeciders(
    trace.map(({ decider }) => decider),
    tx,
  );
  const shown = [];
  for (const [at, { binding, decider, messages, logs }] of trace.entries()) {
    const { name = '', bound } = named[at] ?? {};
    const { pk, policy, group, user, negate } = binding;
    // Messages of a policy can reveal its data, so they require the permission to test it.
    const isOpen = policy === null || (await holdsOn(actor, policies.permission('change'), policies, policy, tx));
    shown.push({
      ...{ binding: pk, name, bound, policy, group, user, negate },
      passing: decider.passing,
      messages: isOpen ? messages : [],
      logs: isOpen ? logs.map(({ text }) => text) : [],
    });
  }
  return shown;
}
