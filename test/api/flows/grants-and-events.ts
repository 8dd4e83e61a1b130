import { sql } from 'kysely';
import type { TestServer, TestUser } from '../../support/server.ts';

/** Lets a user do something to one object only. */
export async function grantOn(server: TestServer, user: TestUser, permission: string, object: string): Promise<void> {
  const [app, codename] = permission.split('.');
  await server.world.db.write(async (tx) => {
    const { rows } = await sql`insert into user_object_permissions ("user", permission, object_pk)
      select ${user.pk}, pk, ${sql`cast(${object} as text)`} from permissions
      where app_label = ${app} and codename = ${codename} returning pk`.execute(tx);
    if (rows.length === 0) throw new Error(`no permission ${permission}`);
  });
}

export interface RecordedEvent {
  readonly action: string;
  readonly username: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events freely
  readonly context: any;
}

/** What the audit log says of an object, oldest first. */
export async function eventsAbout(server: TestServer, pk: string): Promise<RecordedEvent[]> {
  const { rows } = await sql<{ action: string; username: string; context: string }>`select action, username, context
    from events order by created`.execute(server.world.db.read);
  return rows
    .map(({ context, ...event }) => ({ ...event, context: JSON.parse(context) }))
    .filter(({ context }) => context.model?.pk === pk.replaceAll('-', ''));
}
