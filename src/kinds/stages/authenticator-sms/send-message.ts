import { evaluateMapping, MappingFailed } from '../../../core/mapping/evaluate.ts';
import { callService, isSuccess, ServiceFault } from '../../../flow/services/call-service.ts';
import type { Json } from '../../../lib/json.ts';
import type { GuardedFetch } from '../../../platform/fetch/guarded-fetch.ts';
import type { Sandbox } from '../../../platform/sandbox/sandbox.ts';
import type { SmsSettings } from './sms-stage.resource.ts';

export interface SendNeeds {
  readonly fetch: GuardedFetch;
  readonly sandbox: Sandbox;
}

export interface Message {
  readonly to: string;
  readonly text: string;
  readonly token: string;
  readonly user: Json;
}

const twilio = 'https://api.twilio.com';

/** Sends a message through the stage's service. Returns the error, or null on success. */
export async function sendMessage(
  { fetch, sandbox }: SendNeeds,
  settings: SmsSettings,
  expression: string | null,
  message: Message,
): Promise<ServiceFault | null> {
  if (settings.provider === 'twilio') return sendByTwilio(fetch, settings, message, twilio);
  const body = expression === null ? plainBody(settings, message) : mappedBody(sandbox, expression, message);
  if (body instanceof ServiceFault) return body;
  const headers = { authorization: authorizationOf(settings), 'content-type': 'application/json' };
  return post(fetch, settings.account_sid, headers, JSON.stringify(body));
}

export function sendByTwilio(
  fetch: GuardedFetch,
  { account_sid, auth, from_number }: Pick<SmsSettings, 'account_sid' | 'auth' | 'from_number'>,
  { to, text }: Message,
  origin: string,
): Promise<ServiceFault | null> {
  const url = `${origin}/2010-04-01/Accounts/${encodeURIComponent(account_sid)}/Messages.json`;
  const headers = { authorization: basic(account_sid, auth), 'content-type': 'application/x-www-form-urlencoded' };
  return post(fetch, url, headers, new URLSearchParams({ From: from_number, To: to, Body: text }).toString());
}

async function post(
  fetch: GuardedFetch,
  url: string,
  headers: Record<string, string>,
  body: string,
): Promise<ServiceFault | null> {
  const answer = await callService(fetch, url, { method: 'POST', headers, body });
  if (answer instanceof ServiceFault) return answer;
  return isSuccess(answer) ? null : new ServiceFault(`the service for messages answered with ${answer.status}`);
}

const plainBody = ({ from_number }: SmsSettings, { to, text }: Message) => ({
  From: from_number,
  To: to,
  Body: text,
  Message: text,
});

function mappedBody(sandbox: Sandbox, expression: string, { to, text, token, user }: Message): Json | ServiceFault {
  try {
    return evaluateMapping(sandbox, expression, { user, token, message: text, device: { phone_number: to } });
  } catch (error) {
    if (error instanceof MappingFailed) return new ServiceFault(`the mapping failed: ${error.message}`);
    throw error;
  }
}

function authorizationOf({ auth_type, auth, auth_password }: SmsSettings): string {
  return auth_type === 'bearer' ? `Bearer ${auth}` : basic(auth, auth_password);
}

const basic = (name: string, password: string): string =>
  `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;
