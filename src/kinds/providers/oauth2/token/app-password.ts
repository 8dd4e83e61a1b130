import { sql } from 'kysely';
import { OAuthError } from '../oauth-error.ts';
import type { Redemption } from './grant-kind.ts';

/**
 * Whose app password was given. A person's own password is none: it would let clients past every further stage of
 * signing in (RFC 9700 §2.4).
 */
export async function appPasswordUser({ needs, call, params, by: { client } }: Redemption): Promise<number> {
  const username = params.require('username');
  const password = params.require('password');
  const who = `user ${username}`;
  needs.failures.check(call, who);
  const { rows } = await sql<{ pk: number }>`select u.pk from tokens t join users u on u.pk = t."user"
    where t.key_hash = ${needs.key.hash(password)} and t.intent = 'app_password' and u.username = ${username}
      and (t.application is null or t.application = ${client.application.pk})
      and (not t.expiring or t.expires > ${call.now}) and u.is_active
      and u.type <> 'internal_service_account'`.execute(call.db.read);
  const [user] = rows;
  if (user) return user.pk;
  needs.failures.count(call, who);
  const event = { action: 'login_failed', app: 'svc_providers_oauth2', context: { username } };
  await call.db.write((tx) => call.world.record(tx, call, event));
  throw new OAuthError('invalid_grant', 'The user name or the app password is invalid.');
}
