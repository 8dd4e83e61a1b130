import { sql } from 'kysely';
import type { UserFacts } from '../../../core/mapping/user-facts.ts';
import { message } from '../../../lib/texts/message.ts';
import { fromTimestamp } from '../../../platform/clock.ts';
import type { Query } from '../../../platform/db/database.ts';
import { definePolicyKind, pass, refuse } from '../../../policy/kind.ts';
import type { Call } from '../../../resource/call.ts';
import { masked } from '../../../resource/write/audit.ts';
import { passwordExpiryPolicy } from './password-expiry.resource.ts';

const dayMs = 86_400_000;
const unusable = '!';

export const passwordExpiry = definePolicyKind({
  resource: passwordExpiryPolicy,
  async demo({ api }) {
    await api.ensure('/policies/password_expiry/', { name: 'Demo: new password every year' }, { days: 365 });
  },
  evaluate({ days, deny_only }, { user, now }) {
    if (!user) throw new Error('The age of a password cannot be told without a user.');
    const age = fromTimestamp(now).getTime() - fromTimestamp(user.password_change_date).getTime();
    const daysOver = Math.floor(age / dayMs) - Number(days);
    if (daysOver < 0) return pass;
    if (deny_only) return refuse('Password has expired.');
    return {
      ...refuse(message('Password expired {days} days ago. Please update your password.', { days: daysOver })),
      consequence: (tx, call) => makeUnusable(tx, call, user),
    };
  },
});

/** Disables an expired password, so that it no longer signs the user in. */
async function makeUnusable(tx: Query, call: Call, { pk, username }: UserFacts): Promise<void> {
  const { rows } =
    await sql`update users set password = ${unusable} where pk = ${pk} and password <> ${unusable} returning pk`.execute(
      tx,
    );
  if (rows.length === 0) return;
  const model = { app: 'svc_core', model_name: 'user', pk, name: username };
  const diff = { password: { previous_value: masked, new_value: null } };
  await call.world.record(tx, call, { action: 'model_updated', app: 'svc_core', context: { model, diff } });
}
