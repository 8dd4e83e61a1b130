import { sql } from 'kysely';
import { expired } from '../../../core/cleanup/cleanup.jobs.ts';
import { enrol, findEnrollee } from '../../../flow/devices/enrol.ts';
import { pendingUserMembers, pendingUserSchemas } from '../../../flow/executor/pending-user.ts';
import {
  ask,
  defineStageKind,
  deny,
  type Move,
  type StageKind,
  type Step,
  stay,
} from '../../../flow/executor/stage-kind.ts';
import { booleanSchema } from '../../../resource/document/json-schema.ts';
import type { ValuesOf } from '../../../resource/fields/field.ts';
import { integer } from '../../../resource/fields/scalar.ts';
import { text } from '../../../resource/fields/text.ts';
import { readPhoneNumber } from './phone-number.ts';
import { type CodeNeeds, codeNeeds, type SmsNeeds, sendCode } from './send-code.ts';
import { consumeCode } from './sms-code.ts';
import { smsDevices } from './sms-device.ts';
import { type SmsSettings, smsStage } from './sms-stage.resource.ts';

const optional = { nullable: true, default: null } as const;
const answer = { phone_number: text({ ...optional, max: 40 }), code: integer({ ...optional, min: 0, max: 999_999 }) };

/** Asks for a number, sends a code to it, and stores the device once the code is confirmed. */
export function smsEnrolment(smsNeeds: SmsNeeds): StageKind {
  const needs = codeNeeds(smsNeeds);
  return defineStageKind({
    resource: smsStage,
    expiring: [expired('sms_codes', 'codes that were sent to phones'), expired('sms_sendings', 'counts of messages')],
    component: 'xak-stage-authenticator-sms',
    roles: () => ['needs user', 'sets up device'],
    challenge: { ...pendingUserSchemas, phone_number_required: booleanSchema },
    answer,
    async show(step) {
      const enrolling = await findEnrollee(step);
      return 'refusal' in enrolling ? deny(enrolling.refusal) : phoneScreen(step);
    },
    verifyRegistration: (step, answer) => judge(needs, step, answer),
    async demo({ api }) {
      const service = { provider: 'generic', account_sid: 'https://messages.example.com/', auth: 'demo-token' };
      const values = { ...service, from_number: '+15550100' };
      await api.ensure('/stages/authenticator/sms/', { name: 'Demo: phone' }, values);
    },
  });
}

const phoneScreen = async (step: Step<SmsSettings>): Promise<Move> =>
  ask({ ...(await pendingUserMembers(step)), phone_number_required: typeof step.memory.number !== 'string' });

async function judge(
  needs: CodeNeeds,
  step: Step<SmsSettings>,
  { phone_number, code }: ValuesOf<typeof answer>,
): Promise<Move> {
  const enrolling = await findEnrollee(step);
  if ('refusal' in enrolling) return deny(enrolling.refusal);
  const { user } = enrolling;
  const { call, memory, settings } = step;
  if (phone_number !== null) {
    const number = readPhoneNumber(phone_number);
    if (!number) return stay({ phone_number: ['Enter the number with its country code: +46 70 123 45 67.'] });
    const complaint = await sendCode(needs, call, settings, user, { number, typedFrom: call.request.clientIp });
    if (complaint) return stay({ phone_number: [complaint] });
    memory.number = number;
    return phoneScreen(step);
  }
  if (typeof memory.number !== 'string') return stay({ phone_number: ['This field is required.'] });
  if (code === null) return stay({ code: ['This field is required.'] });
  const { number } = memory;
  // A number in JSON has lost its leading zeros.
  const given = String(code).padStart(6, '0');
  if (!(await consumeCode(call.db, needs.key, { user: user.pk, number }, given, call.now)))
    return stay({ code: ['Code does not match'] });
  delete memory.number;
  const hash = needs.key.hash(`sms:device:${number}`);
  // Revealed only to someone who has proven that the phone is theirs.
  if (await isTaken(step, hash)) return stay({ phone_number: ['This number is in use already.'] });
  const is_hashed = settings.verify_only;
  return enrol(step, smsDevices, user, {
    name: is_hashed ? 'SMS Device' : maskedNumber(number),
    phone_number: is_hashed ? `hash:${hash}` : number,
    is_hashed,
    number_hash: hash,
    stage: settings.pk,
  });
}

async function isTaken({ call, settings }: Step<SmsSettings>, hash: string): Promise<boolean> {
  const { rows } = await sql`select 1 from device_sms where stage = ${settings.pk} and number_hash = ${hash}`.execute(
    call.db.read,
  );
  return rows.length > 0;
}

/** Shows just enough for people to recognize their own number. */
const maskedNumber = (number: string): string => `${number.slice(0, 3)} … ${number.slice(-3)}`;
