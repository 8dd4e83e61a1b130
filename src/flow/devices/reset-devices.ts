import { sql } from 'kysely';
import { checkMayReachUser } from '../../core/access/delegation.ts';
import { longLivedCredentials } from '../../resource/access/credentials.ts';
import { actionOn } from '../../resource/define.ts';
import { modelFacts } from '../../resource/write/audit.ts';

/**
 * Removes all devices of a user who lost them. Apart from the right to set passwords: both together open an account.
 */
export const resetDevicesAction = actionOn<{ pk: number; username: string }>()({
  name: 'reset_second_factors',
  on: 'row',
  method: 'POST',
  page: { noButton: 'The page of a user offers it under Actions.' },
  summary: 'Remove the second factors of a user',
  access: { permission: 'svc_core.reset_user_second_factors' },
  credentials: longLivedCredentials,
  recentAuthentication: true,
  answer: { status: 204 },
  async run({ tx, call, row, registry }) {
    await checkMayReachUser(tx, call, row.pk);
    const { rows } = await sql<{ name: string }>`delete from devices where "user" = ${row.pk} returning name`.execute(
      tx,
    );
    const model = modelFacts(registry.require('svc_core.user'), row.pk, row);
    const diff = { second_factors: { remove: rows.map(({ name }) => name) } };
    await call.world.record(tx, call, { action: 'model_updated', app: 'svc_core', context: { model, diff } });
  },
});
