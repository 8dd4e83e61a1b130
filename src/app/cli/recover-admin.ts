import { sql } from 'kysely';
import { endSessions } from '../../core/session/session.ts';
import { issueToken } from '../../core/token/issue-token.ts';
import { isSameName, nameKey } from '../../lib/name-key.ts';
import { message } from '../../lib/texts/message.ts';
import { addMilliseconds } from '../../platform/clock.ts';
import type { Query } from '../../platform/db/database.ts';
import { createLog } from '../../platform/log.ts';
import { randomText } from '../../platform/random.ts';
import { createMake, type Make } from '../bootstrap/steps.ts';
import { type App, composeApp } from '../compose.ts';
import { systemCall } from '../system-call.ts';
import { openWorld, type World } from '../world.ts';
import { type Command, CommandError } from './command.ts';

const tokenLifetimeMs = 60 * 60 * 1000;

export const recoverAdmin: Command = {
  name: 'recover-admin',
  summary: 'Give a lost administrator a way in: a new password and an API token for one hour.',
  details:
    'Activates the user, puts them into a superuser group, ends their sessions, and leaves an event. Works while the server runs.',
  options: { user: { value: 'name', help: 'which user; made if there is none (admin by default)' } },
  async run({ config, options }) {
    const asked = String(options.user ?? 'admin');
    const world = await openWorld(config, createLog({ level: 'silent' }), { beside: true });
    try {
      const app = await composeApp(world);
      const { username, password, token } = await recover(world, app, asked);
      await app.server.close();
      process.stdout.write(
        `This is shown only once:\n  user name   ${username}\n  password    ${password}\n  API token   ${token} (for one hour)\n`,
      );
      return 0;
    } finally {
      await world.close();
    }
  },
};

async function recover(world: World, { engine, resourceWorld }: App, asked: string) {
  const { db, clock, key, passwords } = world;
  const password = randomText(24);
  const hash = await passwords.hash(password);
  const token = randomText(60);
  const now = clock.now();
  // The command records one event.
  const make = (tx: Make['tx']) =>
    createMake(tx, world, engine, systemCall(db, { ...resourceWorld, record: async () => {} }, now));
  const username = await db.write(async (tx) => {
    const username = await storedName(tx, asked);
    const user = await make(tx).ensure('svc_core.user', { username }, { name: username });
    const group = await superuserGroup(make(tx));
    await sql`update users set password = ${hash}, password_change_date = ${now}, is_active = ${true} where pk = ${user}`.execute(
      tx,
    );
    await sql`insert into user_groups ("user", "group") values (${user}, ${group}) on conflict do nothing`.execute(tx);
    await endSessions(tx, Number(user));
    await issueToken(tx, key, {
      identifier: `recovery-${randomText(12).toLowerCase()}`,
      intent: 'api',
      user: Number(user),
      key: token,
      description: 'Made by recover-admin',
      expires: addMilliseconds(now, tokenLifetimeMs),
    });
    await resourceWorld.record(tx, systemCall(db, resourceWorld, now), {
      action: 'password_set',
      app: 'svc_core',
      context: {
        message: message('Access of {name} was recovered from the command line.', { name: username }),
        model: { app: 'svc_core', model_name: 'user', pk: user, name: username },
      },
    });
    return username;
  });
  return { username, password, token };
}

/**
 * Names of users are unique however they are spelled; the exact one comes first. A password signs no internal service
 * account in.
 */
async function storedName(tx: Query, asked: string): Promise<string> {
  const { rows } = await sql<{ username: string; type: string }>`select username, type from users
    where username_key = ${nameKey(asked)} or username = ${asked}`.execute(tx);
  const found =
    rows.find(({ username }) => username === asked) ?? rows.find(({ username }) => isSameName(username, asked));
  if (found?.type === 'internal_service_account')
    throw new CommandError(
      `${found.username} is an internal service account, which cannot sign in. Choose another user.`,
    );
  return found?.username ?? asked;
}

async function superuserGroup(make: Make): Promise<string | number> {
  const { rows } = await sql<{ pk: string }>`select pk from groups where is_superuser order by name limit 1`.execute(
    make.tx,
  );
  if (rows[0]) return rows[0].pk;
  return make.ensure('svc_core.group', { name: `Recovered Admins ${randomText(8)}` }, { is_superuser: true });
}
