import { sql } from 'kysely';
import type { TestServer } from './server.ts';

export interface StoredEvent {
  readonly action: string;
  readonly app: string;
  readonly username: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into contexts freely
  readonly context: any;
  /** The event as it is stored, for what must not be in it. */
  readonly text: string;
}

/** The events that were written while `work` ran; what jobs report comes beside, whenever they are done. */
export async function eventsOf({ world }: TestServer, work: () => Promise<unknown>): Promise<StoredEvent[]> {
  const known = new Set((await rows(world.db.read)).map(({ pk }) => pk));
  await work();
  return (await rows(world.db.read))
    .filter(({ pk }) => !known.has(pk))
    .map(({ action, app, username, context }) => ({
      action,
      app,
      username,
      context: JSON.parse(context),
      text: context,
    }));
}

async function rows(db: TestServer['world']['db']['read']) {
  const result = await sql<{
    pk: string;
    action: string;
    app: string;
    username: string;
    context: string;
  }>`select pk, action, app, username, context from events
    where action <> 'system_task_exception' order by created`.execute(db);
  return result.rows;
}
