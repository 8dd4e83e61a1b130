import { countFailure } from '../../../flow/executor/flow-state.ts';
import { pendingUserMembers, pendingUserSchemas } from '../../../flow/executor/pending-user.ts';
import {
  ask,
  defineStageKind,
  deny,
  next,
  type StageKind,
  type Step,
  stay,
} from '../../../flow/executor/stage-kind.ts';
import {
  lockedOutMessage,
  unavailableMessage,
  withTriesLeft,
  wrongPassword,
} from '../../../flow/passwords/attempt-messages.ts';
import { type PasswordDependencies, verifyPassword } from '../../../flow/passwords/verify-password.ts';
import { recoveryUrl } from '../../../flow/recovery-url.ts';
import { booleanSchema, stringSchema } from '../../../resource/document/json-schema.ts';
import { text } from '../../../resource/fields/text.ts';
import { passwordStage } from './password-stage.resource.ts';

export function password(needs: PasswordDependencies): StageKind {
  return defineStageKind({
    resource: passwordStage,
    component: 'xak-stage-password',
    allowsImpersonation: true,
    roles: () => ['needs user', 'proves'],
    challenge: { ...pendingUserSchemas, allow_show_password: booleanSchema, recovery_url: stringSchema },
    sometimes: ['recovery_url'],
    answer: { password: text({ trim: false, strict: true, writeOnly: true }) },
    async show(step) {
      const { allow_show_password } = step.settings;
      return ask(async () => {
        const recovery_url = await recoveryOf(step);
        return { ...(await pendingUserMembers(step)), allow_show_password, ...(recovery_url && { recovery_url }) };
      });
    },
    async verifyRegistration(step, { password: given }) {
      const { settings, context } = step;
      const verdict = await verifyPassword(needs, step, settings, given);
      if (verdict.outcome === 'blocked')
        return stay({ password: [lockedOutMessage(verdict.waitMs, (await recoveryOf(step)) !== null)] });
      if (verdict.outcome === 'unavailable') return stay({ password: [unavailableMessage] });
      if (verdict.outcome === 'right') {
        context.auth_method = verdict.method;
        return { ...next(verdict.write, verdict.cookies), mayWait: true };
      }
      const failures = countFailure(context, settings.pk);
      const maxFailures = settings.failed_attempts_before_cancel;
      if (maxFailures > 0 && failures >= maxFailures) return deny('Too many failed attempts.', verdict.write);
      const left = maxFailures > 0 ? Math.min(verdict.left, maxFailures - failures) : verdict.left;
      return stay({ password: [withTriesLeft(wrongPassword, left)] }, verdict.write);
    },
  });
}

const recoveryOf = (step: Step): Promise<string | null> =>
  recoveryUrl(step, typeof step.context.recovery_flow === 'string' ? step.context.recovery_flow : null);
