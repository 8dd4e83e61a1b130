import { sql } from 'kysely';
import { actingAs } from '../../../../core/access/impersonation-guard.ts';
import { usernameKey } from '../../../../core/directory/name-keys.ts';
import { loadUserFacts, type UserFacts } from '../../../../core/mapping/user-facts.ts';
import { isSameName } from '../../../../lib/name-key.ts';
import type { Call } from '../../../../resource/call.ts';
import { radiusApp } from '../radius-model.ts';

/** The active user that a verified certificate names, whose sign-in is recorded; null if there is none. */
export async function userOfCertificate(call: Call, name: string): Promise<UserFacts | null> {
  const { rows } = await sql<{ pk: number; username: string }>`select pk, username from users
    where username_key = ${usernameKey.of(name)} and is_active and type <> 'internal_service_account'`.execute(
    call.db.read,
  );
  const [found] = rows;
  const user = found && isSameName(found.username, name) ? await loadUserFacts(call.db.read, found.pk) : null;
  if (!user) return null;
  const event = { action: 'login', app: radiusApp, context: { auth_method: 'certificate', auth_method_args: {} } };
  await call.db.write(async (tx) => {
    await sql`update users set last_login = ${call.now} where pk = ${user.pk}`.execute(tx);
    await call.world.record(tx, actingAs(call, user), event);
  });
  return user;
}
