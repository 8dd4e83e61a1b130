import { sql } from 'kysely';
import { randomText } from '../../../src/platform/random.ts';
import type { TestServer } from '../../support/server.ts';

export const unique = (word: string): string => `${word}-${randomText(8).toLowerCase()}`;

export interface RecordedEvent {
  readonly action: string;
  readonly app: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events freely
  readonly context: any;
  readonly username: string;
}

/** What was recorded while something was done, oldest first. */
// What jobs report comes beside, whenever they are done.
export async function eventsDuring(
  { world: { db } }: TestServer,
  work: () => Promise<unknown>,
): Promise<RecordedEvent[]> {
  const keys = async () => {
    const { rows } = await sql<{ pk: string }>`select pk from events`.execute(db.read);
    return new Set(rows.map(({ pk }) => pk));
  };
  const before = await keys();
  await work();
  const { rows } = await sql<RecordedEvent & { pk: string; context: string }>`select pk, action, app, context, username
    from events where action <> 'system_task_exception' order by created`.execute(db.read);
  return rows
    .filter(({ pk }) => !before.has(pk))
    .map(({ action, app, context, username }) => ({ action, app, context: JSON.parse(context), username }));
}

/** Gives a user a permission on one object. */
export async function grantOn(
  { world: { db } }: TestServer,
  user: number,
  permission: string,
  object: string | number,
): Promise<void> {
  const [app, codename] = permission.split('.');
  await db.write(async (tx) => {
    const { rows } = await sql`insert into user_object_permissions ("user", permission, object_pk)
      select ${user}, pk, ${String(object)} from permissions where app_label = ${app} and codename = ${codename} returning pk`.execute(
      tx,
    );
    if (rows.length === 0) throw new Error(`no permission ${permission}`);
  });
}

export async function makeFlow(
  { admin }: TestServer,
  designation: string,
  values: Record<string, unknown> = {},
): Promise<{ pk: string; slug: string; policybindingmodel_ptr_id: string }> {
  const slug = unique(designation);
  const made = await admin.post('/flows/instances/', { name: slug, slug, title: slug, designation, ...values });
  if (made.status !== 201) throw new Error(`no flow: ${made.text}`);
  return made.body;
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies freely
export async function makeSource({ admin }: TestServer, kind: string, values: Record<string, unknown>): Promise<any> {
  const slug = unique(kind);
  const made = await admin.post(`/sources/${kind}/`, { name: `Source ${slug}`, slug, ...values });
  if (made.status !== 201) throw new Error(`no source: ${made.text}`);
  return made.body;
}
