import { sql } from 'kysely';
import type { Query } from '../../platform/db/database.ts';
import type { Call } from '../../resource/call.ts';
import { checkNotImpersonating } from '../access/impersonation-guard.ts';
import { endSessions } from '../session/session.ts';

/** Stores a new password hash, ends the user's other sessions and records the change. */
export async function setPassword(
  tx: Query,
  call: Call,
  user: { readonly pk: number; readonly username: string },
  hash: string,
): Promise<void> {
  checkNotImpersonating(call);
  await sql`update users set password = ${hash}, password_change_date = ${call.now} where pk = ${user.pk}`.execute(tx);
  const isOwn = call.actor?.user.pk === user.pk;
  await endSessions(tx, user.pk, isOwn ? (call.actor?.session ?? null) : null);
  const model = { app: 'svc_core', model_name: 'user', pk: user.pk, name: user.username };
  await call.world.record(tx, call, { action: 'password_set', app: 'svc_core', context: { model } });
}
