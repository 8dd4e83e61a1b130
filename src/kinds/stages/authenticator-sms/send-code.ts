import { sql } from 'kysely';
import { languageOfUser } from '../../../core/brand/language.ts';
import { pageFrame } from '../../../core/brand/page-frame.ts';
import type { UserFacts } from '../../../core/mapping/user-facts.ts';
import { createServiceFaultEvents, type ServiceFaultEvents } from '../../../flow/services/call-service.ts';
import { say } from '../../../lib/texts/translate.ts';
import type { InstanceKey } from '../../../platform/keys.ts';
import type { Call } from '../../../resource/call.ts';
import { type SendNeeds, sendMessage } from './send-message.ts';
import { issueCode, type Recipient } from './sms-code.ts';
import { type SmsSettings, smsStage } from './sms-stage.resource.ts';

export interface SmsNeeds extends SendNeeds {
  readonly key: InstanceKey;
}

export interface CodeNeeds extends SmsNeeds {
  readonly faultEvent: ServiceFaultEvents;
}

export const codeNeeds = (needs: SmsNeeds): CodeNeeds => ({ ...needs, faultEvent: createServiceFaultEvents() });

/** Sends a new code to the number. Returns an error message for the user, or null on success. */
export async function sendCode(
  needs: CodeNeeds,
  call: Call,
  stage: SmsSettings,
  user: UserFacts,
  { number, typedFrom }: Omit<Recipient, 'user'>,
): Promise<string | null> {
  const code = await issueCode(call.db, needs.key, { user: user.pk, number, typedFrom }, call.now);
  if (code === null) return 'Too many messages were sent. Please try again later.';
  const { brand: title, language } = await pageFrame(call);
  const text = say(languageOfUser(user.attributes, language), 'Use this code to authenticate in {title}: {code}', {
    title,
    code,
  });
  const message = { to: number, text, token: code, user: user };
  const fault = await sendMessage(needs, stage, await expressionOf(call, stage), message);
  if (!fault) return null;
  await call.db.write((tx) => needs.faultEvent(smsStage, stage, fault)(tx, call));
  return 'The message could not be sent. Please try again later.';
}

async function expressionOf({ db }: Call, { mapping }: SmsSettings): Promise<string | null> {
  if (mapping === null) return null;
  const { rows } = await sql<{ expression: string }>`select expression from property_mappings
    where pk = ${mapping}`.execute(db.read);
  return rows[0]?.expression ?? null;
}
