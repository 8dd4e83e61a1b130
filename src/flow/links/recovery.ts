import { sql } from 'kysely';
import { checkMayReachUser } from '../../core/access/delegation.ts';
import { findBrandOfHost } from '../../core/brand/brand-of-host.ts';
import { loadUserFacts } from '../../core/mapping/user-facts.ts';
import type { Settings } from '../../core/settings/settings.ts';
import { parseDuration } from '../../lib/duration.ts';
import { Invalid, Problem } from '../../lib/problem.ts';
import { addMilliseconds } from '../../platform/clock.ts';
import type { InstanceKey } from '../../platform/keys.ts';
import type { PolicyEngine } from '../../policy/engine.ts';
import { longLivedCredentials } from '../../resource/access/credentials.ts';
import { checkRecentlyAuthenticatedFor } from '../../resource/access/recent-authentication.ts';
import type { Call } from '../../resource/call.ts';
import { actionOn } from '../../resource/define.ts';
import { objectSchema, stringSchema } from '../../resource/document/json-schema.ts';
import { modelFacts } from '../../resource/write/audit.ts';
import { applicableFlow } from '../applicable-flow.ts';
import { createPlan, type FlowPlan } from '../plan.ts';
import { addressOfLink, createLinkToken, storeLink } from './flow-link.ts';

export interface RecoveryNeeds {
  readonly key: InstanceKey;
  readonly policies: PolicyEngine;
  readonly settings: { current(): Promise<Settings> };
  readonly config: { readonly publicUrl: string };
}

/** Permission to set a password includes creating a recovery link. */
export const recoveryPermission = 'svc_core.reset_user_password';

/** Creates a link to the recovery flow for an administrator to hand over. */
export function recoveryAction({ key, policies, settings, config }: RecoveryNeeds) {
  return actionOn<{ pk: number }>()({
    name: 'recovery',
    on: 'row',
    method: 'POST',
    page: { noButton: 'The page of a user offers it under Actions.' },
    summary: 'Create a link by which a user can choose a new password',
    access: { permission: recoveryPermission },
    credentials: longLivedCredentials,
    recentAuthentication: 'to make a link for their own account',
    answer: { status: 200, schema: objectSchema({ link: stringSchema }), schemaName: 'Link' },
    prepare: ({ call, row }) => planRecovery(policies, call, row.pk),
    async run({ tx, call, row, registry, prepared: plan }) {
      const user = row.pk;
      await checkMayReachUser(tx, call, user);
      checkRecentlyAuthenticatedFor(user, call);
      const lengthMs = parseDuration((await settings.current()).default_token_duration) ?? 0;
      const expires = addMilliseconds(call.now, lengthMs);
      const pk = await storeLink(tx, key, { flow: plan.flow.pk, user, content: plan, expires, now: call.now });
      const token = await createLinkToken(tx, key, pk);
      const secret = modelFacts(registry.require('svc_core.user'), user, row);
      const event = { action: 'secret_view', app: 'svc_core', context: { secret, type: 'recovery_link' } };
      await call.world.record(tx, call, event);
      return { link: addressOfLink(config.publicUrl, plan.flow.slug, token) };
    },
  });
}

/** Plans the brand's recovery flow for a user; throws if that is impossible. */
export async function planRecovery(policies: PolicyEngine, call: Call, pk: number): Promise<FlowPlan> {
  await checkMayReachUser(call.db.read, call, pk);
  const user = await loadUserFacts(call.db.read, pk);
  if (!user) throw new Problem('permission_denied');
  if (user.type === 'internal_service_account')
    throw new Problem('permission_denied', 'Internal service accounts cannot recover.');
  if (!user.is_active) throw Invalid.whole('A user who is not active cannot recover.');
  // The flow must apply to the user, who is not signed in, not to the administrator.
  const opener = { ...call, actor: null };
  const context = { is_restored: true };
  const choice = await applicableFlow(policies, { flow: await recoveryFlow(call), call: opener, user, context });
  if (choice.outcome === 'missing') throw noRecoveryFlow();
  if (choice.outcome === 'refused') throw Invalid.whole('Recovery flow not applicable to user');
  return createPlan(choice.flow, pk, { is_restored: true });
}

const noRecoveryFlow = () => new Invalid({ non_field_errors: ['No recovery flow set.'] }, 'no_recovery_flow');

async function recoveryFlow({ db, request }: Call): Promise<string | null> {
  const brand = await findBrandOfHost(request.host, db.read);
  const { rows } = await sql<{ flow: string | null }>`select flow_recovery as flow from brands
    where pk = ${brand?.pk ?? null}`.execute(db.read);
  return rows[0]?.flow ?? null;
}
