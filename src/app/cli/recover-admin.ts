import { sql } from 'kysely';
import { addMilliseconds, systemClock } from '../../platform/clock.ts';
import type { Query } from '../../platform/db/database.ts';
import { loadInstanceKey } from '../../platform/keys.ts';
import { createPasswords } from '../../platform/passwords.ts';
import { randomText, randomUuid } from '../../platform/random.ts';
import { openDatabase } from '../open-database.ts';
import { type Command, CommandError } from './command.ts';

const tokenLifetimeMs = 60 * 60 * 1000;

export const recoverAdmin: Command = {
  name: 'recover-admin',
  summary: 'Give a lost administrator a way in: a new password and an API token for one hour.',
  details:
    'Activates the user, puts them into a superuser group, ends their sessions, and leaves an event. Works while the server runs.',
  options: { user: { value: 'name', help: 'which user; made if there is none (admin by default)' } },
  async run({ config, options }) {
    const username = String(options.user ?? 'admin');
    const { db, close } = openDatabase(config, { shared: true });
    try {
      const key = await loadInstanceKey({ configured: config.secretKey ?? undefined, dataDir: config.dataDir });
      const password = randomText(24);
      const hash = await createPasswords().hash(password);
      const token = randomText(60);
      const now = systemClock.now();
      await db.write(async (tx) => {
        const user = await ensureUser(tx, username, hash, now);
        const group = await ensureSuperuserGroup(tx);
        await sql`insert into user_groups ("user", "group") values (${user}, ${group}) on conflict do nothing`.execute(
          tx,
        );
        await sql`delete from authenticated_sessions where "user" = ${user}`.execute(tx);
        await sql`insert into tokens (pk, identifier, key, key_hash, intent, "user", description, expires, expiring, managed)
          values (${randomUuid()}, ${`recovery-${randomText(12).toLowerCase()}`}, ${key.box.seal(token, 'tokens.key')}, ${key.hash(token)}, 'api', ${user},
            'Made by recover-admin', ${addMilliseconds(now, tokenLifetimeMs)}, true, null)`.execute(tx);
        await leaveEvent(tx, user, username, now);
      });
      process.stdout.write(
        `This is shown only once:\n  user name   ${username}\n  password    ${password}\n  API token   ${token} (for one hour)\n`,
      );
      return 0;
    } catch (error) {
      if (/no such table|does not exist/.test((error as Error).message)) {
        throw new CommandError('The database is empty: start the server once, it makes the first administrator.');
      }
      throw error;
    } finally {
      await close();
    }
  },
};

async function ensureUser(tx: Query, username: string, hash: string, now: string): Promise<number> {
  const changed = await sql<{
    pk: number;
  }>`update users set password = ${hash}, password_change_date = ${now}, is_active = ${true}
    where username = ${username} returning pk`.execute(tx);
  if (changed.rows[0]) return changed.rows[0].pk;
  const made = await sql<{
    pk: number;
  }>`insert into users (uuid, username, name, email, password, password_change_date, is_active, date_joined, path, type, attributes)
    values (${randomUuid()}, ${username}, ${username}, '', ${hash}, ${now}, ${true}, ${now}, 'users', 'internal', '{}') returning pk`.execute(
    tx,
  );
  return (made.rows[0] as { pk: number }).pk;
}

async function ensureSuperuserGroup(tx: Query): Promise<string> {
  const { rows } = await sql<{ pk: string }>`select pk from groups where is_superuser order by name limit 1`.execute(
    tx,
  );
  if (rows[0]) return rows[0].pk;
  const pk = randomUuid();
  await sql`insert into groups (pk, name, is_superuser, attributes) values (${pk}, ${`Recovered Admins ${pk.slice(0, 8)}`}, ${true}, '{}')`.execute(
    tx,
  );
  return pk;
}

async function leaveEvent(tx: Query, user: number, username: string, now: string): Promise<void> {
  const context = {
    message: `Access of ${username} was recovered from the command line.`,
    model: { app: 'svc_core', model_name: 'user', pk: user, name: username },
  };
  await sql`insert into events (pk, "user", user_pk, username, action, app, context, client_ip, created, expires, brand)
    values (${randomUuid()}, ${JSON.stringify({ pk: user, email: '', username })}, ${user}, ${username}, 'password_set', 'svc_core', ${JSON.stringify(context)},
      ${null}, ${now}, ${addMilliseconds(now, 365 * 24 * 60 * 60 * 1000)}, '{}')`.execute(tx);
}
