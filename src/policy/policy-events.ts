import type { Query } from '../platform/db/database.ts';
import type { Call, NewEvent } from '../resource/call.ts';
import { type ActiveBinding, noBinding } from './bindings.ts';
import type { Verdict } from './kind.ts';
import type { PolicyRequest } from './request.ts';

/** The event of a decision, for policies with execution logging. */
export function executed(
  binding: ActiveBinding,
  policy: PolicyName,
  request: PolicyRequest,
  { passing, messages }: Verdict,
): NewEvent {
  const context = { ...factsOf(binding, policy, request), message: 'Policy Execution', result: { passing, messages } };
  return { action: 'policy_execution', app: 'svc_policies', context };
}

/** The event of a policy that failed to decide. */
export function failed(binding: ActiveBinding, policy: PolicyName, request: PolicyRequest, message: string): NewEvent {
  const result = { passing: binding.failure_result, messages: [message] };
  return {
    action: 'policy_exception',
    app: 'svc_policies',
    context: { ...factsOf(binding, policy, request), message, result },
  };
}

/** Records events and carries out consequences. */
export async function applyConsequences(
  outcomes: readonly Outcome[],
  call: Call,
  tx: Query | undefined,
): Promise<void> {
  if (!outcomes.some(({ events, consequence }) => events.length > 0 || consequence)) return;
  const work = async (query: Query) => {
    for (const { events, consequence } of outcomes) {
      for (const event of events) await call.world.record(query, call, event);
      await consequence?.(query, call);
    }
  };
  await (tx ? work(tx) : call.db.write(work));
}

type Outcome = Pick<Verdict, 'consequence'> & { readonly events: readonly NewEvent[] };

type PolicyName = { readonly pk: string; readonly name: string };

/** The event of an evaluation. Leaves out the request's context, which may contain form input. */
function factsOf(
  binding: ActiveBinding,
  policy: PolicyName,
  { user, clientIp }: PolicyRequest,
): Record<string, unknown> {
  return {
    policy_uuid: policy.pk.replaceAll('-', ''),
    policy_name: policy.name,
    ...(binding.pk !== noBinding && {
      binding: {
        app: 'svc_policies',
        model_name: 'policybinding',
        pk: binding.pk.replaceAll('-', ''),
        target: binding.target,
      },
    }),
    request: { user: user && { pk: user.pk, username: user.username, email: user.email }, client_ip: clientIp },
  };
}
