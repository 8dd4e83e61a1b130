import { sql } from 'kysely';
import type { TestServer } from './server.ts';

/** Lets a user do something with one object only. */
export async function grantOn(
  { world: { db } }: TestServer,
  user: number,
  permission: string,
  objectPk: string | number,
): Promise<void> {
  const [app, codename] = permission.split('.');
  await db.write(async (tx) => {
    const { rows } = await sql`insert into user_object_permissions ("user", permission, object_pk)
      select ${user}, pk, ${String(objectPk)} from permissions where app_label = ${app} and codename = ${codename}
      returning pk`.execute(tx);
    if (rows.length === 0) throw new Error(`no permission ${permission}`);
  });
}

export interface RecordedEvent {
  readonly action: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events freely
  readonly context: any;
  readonly user: { readonly username: string };
}

/** The events about one object, oldest first. */
export async function eventsAbout({ admin }: TestServer, pk: string | number): Promise<RecordedEvent[]> {
  const { body } = await admin.get(`/events/events/?context_model_pk=${pk}&ordering=created`);
  return body.results;
}
