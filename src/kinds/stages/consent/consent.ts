import { hasConsent, lastConsent, storeConsent } from '../../../core/consent/consent.ts';
import { pendingUserMembers, pendingUserSchemas } from '../../../flow/executor/pending-user.ts';
import {
  ask,
  defineStageKind,
  next,
  refuse,
  rememberedText,
  type Step,
  stay,
} from '../../../flow/executor/stage-kind.ts';
import { defineStage } from '../../../flow/stage.family.ts';
import { equalInConstantTime } from '../../../lib/constant-time.ts';
import { parseDuration } from '../../../lib/duration.ts';
import { isJsonObject, type Json } from '../../../lib/json.ts';
import { messageFrom, type Words } from '../../../lib/texts/message.ts';
import { addMilliseconds } from '../../../platform/clock.ts';
import { randomText } from '../../../platform/random.ts';
import { arrayOf, objectSchema, stringSchema } from '../../../resource/document/json-schema.ts';
import { boolean, duration } from '../../../resource/fields/scalar.ts';
import { choice, text } from '../../../resource/fields/text.ts';

const consentStage = defineStage({
  path: '/stages/consent/',
  model: 'svc_stages_consent.consentstage',
  schema: 'ConsentStage',
  names: ['Consent Stage', 'Consent Stages'],
  component: 'xak-stage-consent-form',
  description: 'Asks the user whether an application may access their data.',
  table: 'stage_consent',
  fields: {
    mode: choice(['always_require', 'permanent', 'expiring'], {
      default: 'always_require',
      filter: true,
      help: 'How often people are asked: every time, once, or again after a while.',
    }),
    consent_expire_in: duration({
      aboveZero: true,
      default: 'weeks=4',
      filter: true,
      help: 'How long a consent is remembered in the mode `expiring`.',
    }),
  },
});

const permissionSchema = objectSchema({ id: stringSchema, name: stringSchema });

interface Permission {
  readonly id: string;
  readonly name: Words;
}

/** Asks for consent to the permissions in the flow's context, unless there is a valid consent. */
export const consentKind = defineStageKind({
  resource: consentStage,
  component: 'xak-stage-consent',
  roles: () => ['asks consent'],
  challenge: {
    ...pendingUserSchemas,
    header_text: stringSchema,
    permissions: arrayOf(permissionSchema),
    additional_permissions: arrayOf(permissionSchema),
    token: stringSchema,
  },
  answer: {
    token: text({ strict: true }),
    refused: boolean({ default: false, help: 'That the person does not agree.' }),
  },
  async show(step) {
    const { context, settings, call } = step;
    const consent = consentOf(step);
    const mayStand = settings.mode !== 'always_require' && context.consent_asked_anew !== true;
    if (consent && mayStand && (await hasConsent(call.db.read, consent, call.now))) return acceptConsent(step);
    const token = rememberedText(step, 'token', () => randomText(32));
    return ask(async () => {
      // Permissions that the user has consented to before, and new ones.
      const before = consent && (await lastConsent(call.db.read, consent, call.now));
      const isNew = ({ id }: Permission) => before !== null && !before.includes(id);
      return {
        ...(await pendingUserMembers(step)),
        header_text: wordsOf(context.consent_header) ?? 'Do you agree?',
        permissions: permissionsOf(step).filter((permission) => !isNew(permission)),
        additional_permissions: permissionsOf(step).filter(isNew),
        token,
      };
    });
  },
  async verifyRegistration(step, { token, refused }) {
    const { memory, settings, call } = step;
    if (typeof memory.token !== 'string' || !equalInConstantTime(memory.token, token))
      return stay({ token: ['Invalid consent token.'] });
    if (refused) return refuse(step, 'You did not agree.');
    const consent = consentOf(step);
    if (!consent || settings.mode === 'always_require') return acceptConsent(step);
    const lengthMs = parseDuration(settings.consent_expire_in) ?? 0;
    const expires = settings.mode === 'permanent' ? null : addMilliseconds(call.now, lengthMs);
    return acceptConsent(step, async (tx) => {
      await storeConsent(tx, consent, expires);
    });
  },
});

/** Continues and notes the consent: some scopes are never granted without it. */
function acceptConsent(step: Step, work?: Parameters<typeof next>[0]) {
  step.context.user_notes.consented_scopes = permissionsOf(step).map(({ id }) => id);
  return next(work);
}

function permissionsOf({ context }: Pick<Step, 'context'>): Permission[] {
  const listed: readonly Json[] = Array.isArray(context.consent_permissions) ? context.consent_permissions : [];
  return listed.filter(isJsonObject).map(({ id = '', name }) => ({ id: String(id), name: wordsOf(name) ?? '' }));
}

/** Descriptions are words of administrators; others are stored as messages. */
const wordsOf = (stored: unknown): Words | null => (typeof stored === 'string' ? stored : messageFrom(stored));

/** The user and the application; null if the flow is not for an application. */
function consentOf(step: Pick<Step, 'context'>) {
  const { pending_user: user, application } = step.context;
  if (user === null || typeof application !== 'string') return null;
  return { user, application, scopes: permissionsOf(step).map(({ id }) => id) };
}
