import { checkMayReachUser } from '../../../core/access/delegation.ts';
import { pageFrame } from '../../../core/brand/page-frame.ts';
import { loadStage } from '../../../flow/executor/load-stage.ts';
import { storeLink } from '../../../flow/links/flow-link.ts';
import { planRecovery, recoveryPermission } from '../../../flow/links/recovery.ts';
import { Invalid } from '../../../lib/problem.ts';
import { message } from '../../../lib/texts/message.ts';
import { addMilliseconds } from '../../../platform/clock.ts';
import type { Jobs } from '../../../platform/jobs/job.ts';
import type { InstanceKey } from '../../../platform/keys.ts';
import type { Mailer } from '../../../platform/mail/mailer.ts';
import type { PolicyEngine } from '../../../policy/engine.ts';
import { isVisible } from '../../../resource/access/access.ts';
import { longLivedCredentials } from '../../../resource/access/credentials.ts';
import { actionOn } from '../../../resource/define.ts';
import { stringSchema } from '../../../resource/document/json-schema.ts';
import { canonicalUuid, isUuid } from '../../../resource/fields/scalar.ts';
import type { ActionInput } from '../../../resource/resource.ts';
import { modelFacts } from '../../../resource/write/audit.ts';
import { emailStage } from './email-stage.resource.ts';
import { mailLink } from './mail-link.job.ts';

export interface RecoveryNeeds {
  readonly key: InstanceKey;
  readonly mailer: Mailer;
  readonly policies: PolicyEngine;
  jobs(): Jobs;
}

/** Sends a user a link to the recovery flow, with the mail server and template of an e-mail stage. */
export function recoveryEmailAction(needs: RecoveryNeeds) {
  const { key, policies, jobs } = needs;
  return actionOn<{ pk: number; email: string }>()({
    name: 'recovery_email',
    on: 'row',
    method: 'POST',
    page: { noButton: 'The page of a user offers it under Actions.' },
    summary: 'Send a user a link by which they can choose a new password',
    access: { permission: recoveryPermission },
    credentials: longLivedCredentials,
    query: { email_stage: stringSchema },
    answer: { status: 204 },
    async prepare(input) {
      const { call, row } = input;
      if (row.email === '') throw Invalid.whole('User does not have an email address set.');
      const stage = await findStage(needs, input);
      const plan = await planRecovery(policies, call, row.pk);
      // The administrator's own language setting does not apply to the user.
      return { plan, stage, frame: await pageFrame({ ...call, actor: null }) };
    },
    async run({ tx, call, row, registry, prepared: { plan, stage, frame } }) {
      const user = row.pk;
      await checkMayReachUser(tx, call, user);
      const expires = addMilliseconds(call.now, stage.token_expiry * 60_000);
      const link = await storeLink(tx, key, {
        flow: plan.flow.pk,
        user,
        content: { ...plan, mailed_to: row.email },
        expires,
        now: call.now,
      });
      await mailLink(jobs(), tx, {
        link,
        stage: stage.pk,
        title: frame.brand,
        accent: frame.look.accent,
        language: frame.language,
        isRecorded: true,
      });
      const context = {
        message: message('A recovery link is on its way to {to}.', { to: row.email }),
        model: modelFacts(registry.require('svc_core.user'), user, row),
        to_email: row.email,
      };
      await call.world.record(tx, call, { action: 'email_sent', app: 'svc_stages_email', context });
    },
  });
}

async function findStage(
  { mailer }: RecoveryNeeds,
  { call, engine, registry }: Pick<ActionInput, 'call' | 'engine' | 'registry'>,
) {
  const given = call.request.query.get('email_stage');
  if (!given) throw Invalid.field('email_stage', 'This field is required.');
  const pk = isUuid(given) ? canonicalUuid(given) : null;
  if (pk === null || !(await isVisible(emailStage, pk, call, registry)))
    throw Invalid.field('email_stage', 'There is no such e-mail stage.');
  const stage = await loadStage(engine, emailStage, pk, call);
  if (stage.use_global_settings && !(await mailer.isReady())) throw Invalid.whole('This server cannot send mails.');
  return stage;
}
