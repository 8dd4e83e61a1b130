import { countFailure } from '../../../flow/executor/flow-state.ts';
import { pendingUserMembers, pendingUserSchemas } from '../../../flow/executor/pending-user.ts';
import { ask, defineStageKind, deny, next, type StageKind, stay } from '../../../flow/executor/stage-kind.ts';
import {
  lockedOutMessage,
  type PasswordDependencies,
  unavailableMessage,
  verifyPassword,
  wrongPassword,
} from '../../../flow/passwords/verify-password.ts';
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
      const { recovery_flow } = step.context;
      return ask(async () => {
        const recovery_url = await recoveryUrl(step, typeof recovery_flow === 'string' ? recovery_flow : null);
        return { ...(await pendingUserMembers(step)), allow_show_password, ...(recovery_url && { recovery_url }) };
      });
    },
    async verifyRegistration(step, { password: given }) {
      const { settings, context } = step;
      const verdict = await verifyPassword(needs, step, settings, given);
      if (verdict.outcome === 'blocked') return stay({ password: [lockedOutMessage] });
      if (verdict.outcome === 'unavailable') return stay({ password: [unavailableMessage] });
      if (verdict.outcome === 'right') {
        context.auth_method = verdict.method;
        return { ...next(verdict.write, verdict.cookies), mayWait: true };
      }
      const failures = countFailure(context, settings.pk);
      const maxFailures = settings.failed_attempts_before_cancel;
      if (maxFailures > 0 && failures >= maxFailures) return deny('Too many failed attempts.', verdict.write);
      return stay({ password: [wrongPassword] }, verdict.write);
    },
  });
}
