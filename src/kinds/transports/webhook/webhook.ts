import { evaluateMapping, MappingFailed } from '../../../core/mapping/evaluate.ts';
import type { Json } from '../../../lib/json.ts';
import { postJson } from '../../../notify/post-json.ts';
import { type Message, type TransportKind, Undeliverable } from '../../../notify/transport-kind.ts';
import type { GuardedFetch } from '../../../platform/fetch/guarded-fetch.ts';
import type { Sandbox } from '../../../platform/sandbox/sandbox.ts';

/** Posts the notification as JSON, in our form or in that of a mapping. */
export function webhookTransport({ fetch, sandbox }: { fetch: GuardedFetch; sandbox: Sandbox }): TransportKind {
  return {
    mode: 'webhook',
    name: 'Generic Webhook',
    send: (message, { webhook_url, expression }) =>
      postJson(fetch, webhook_url, expression === null ? plainBody(message) : mapped(sandbox, expression, message)),
  };
}

function plainBody({ body, severity, user, event }: Message) {
  return {
    body,
    severity,
    user_email: user.email,
    user_username: user.username,
    event_user_email: event?.user.email ?? null,
    event_user_username: event?.user.username ?? null,
    event,
  };
}

function mapped(sandbox: Sandbox, expression: string, { body, severity, user, event }: Message): Json {
  const notification = { body, severity, user, event };
  try {
    return evaluateMapping(sandbox, expression, { notification, user: user });
  } catch (error) {
    if (!(error instanceof MappingFailed)) throw error;
    throw new Undeliverable(`The mapping failed: ${error.message}`, { cause: error });
  }
}
