import { sql } from 'kysely';
import type { Database } from '../../src/platform/db/database.ts';
import type { TestServer } from './server.ts';

/** An event of the audit log, as it is stored. */
export interface StoredEvent {
  readonly action: string;
  readonly app: string;
  readonly username: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into contexts freely
  readonly context: any;
  /** The context unparsed, for what must not be in it. */
  readonly text: string;
}

/**
 * The events that were written while `work` ran, oldest first. Failures of jobs are left out: they come at any time.
 */
export async function eventsDuring({ world }: TestServer, work: () => Promise<unknown>): Promise<StoredEvent[]> {
  const known = new Set((await rowsOf(world.db)).map(({ pk }) => pk));
  await work();
  const rows = await rowsOf(world.db);
  return rows.filter(({ pk, action }) => !known.has(pk) && action !== 'system_task_exception').map(eventOf);
}

/** The events about one object, and about showing its secret, oldest first. */
export async function eventsAbout({ world }: TestServer, pk: string | number): Promise<StoredEvent[]> {
  const about = String(pk).replaceAll('-', '');
  const events = (await rowsOf(world.db)).map(eventOf);
  return events.filter(({ context }) => String((context.model ?? context.secret)?.pk) === about);
}

/** The newest events, newest first. */
export async function lastEvents({ world }: TestServer, count: number): Promise<StoredEvent[]> {
  return (await rowsOf(world.db)).slice(-count).reverse().map(eventOf);
}

export async function countEvents({ world }: TestServer): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from events`.execute(world.db.read);
  return Number(rows[0]?.count);
}

type EventRow = Pick<StoredEvent, 'action' | 'app' | 'username'> & { readonly pk: string; readonly context: string };

const allEvents = sql`select pk, action, app, username, context from events`;

/** In the order in which they were written: those of one transaction often share their time. */
async function rowsOf({ read, dialect }: Database): Promise<EventRow[]> {
  const place = sql.ref(dialect.name === 'sqlite' ? 'rowid' : 'ctid');
  return (await sql<EventRow>`${allEvents} order by created, ${place}`.execute(read)).rows;
}

const eventOf = ({ action, app, username, context }: EventRow): StoredEvent => ({
  action,
  app,
  username,
  context: JSON.parse(context),
  text: context,
});
