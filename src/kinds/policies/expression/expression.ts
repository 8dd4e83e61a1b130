import { asJson } from '../../../core/mapping/user-facts.ts';
import type { Json } from '../../../lib/json.ts';
import type { Sandbox } from '../../../platform/sandbox/sandbox.ts';
import type { PolicyKind } from '../../../policy/kind.ts';
import type { PolicyRequest } from '../../../policy/request.ts';
import { expressionPolicy } from './expression.resource.ts';

export function expressions(needs: { readonly sandbox: Sandbox }): PolicyKind {
  return {
    resource: expressionPolicy(needs),
    evaluate(policy, request) {
      const result = needs.sandbox.run(policy.expression as string, { globals: globalsOf(request) });
      if (!result.ok) throw new Error(result.error);
      return { passing: isTruthy(result.value), messages: result.messages, logs: result.logs };
    },
  };
}

function globalsOf({ user, context, http, obj }: PolicyRequest): Record<string, Json> {
  const facts = asJson(user);
  const known = context as Record<string, Json>;
  return {
    request: { user: facts, context: known, http_request: { ...http }, obj },
    user: facts,
    context: known,
  };
}

/** An empty list or object found nothing: it does not pass, as little as in the language such expressions come from. */
function isTruthy(value: Json): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}
