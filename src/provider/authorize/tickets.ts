import { sql } from 'kysely';
import type { Json } from '../../lib/json.ts';
import type { Database, Query } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/statement.ts';
import type { RequestFacts } from '../../platform/http/request-facts.ts';
import { type InstanceKey, sealContext } from '../../platform/keys.ts';
import { randomUuid } from '../../platform/random.ts';
import type { Call } from '../../resource/call.ts';

type Key = Pick<InstanceKey, 'hash' | 'box'>;

/** A request that was decided, until its application is answered. */
export interface Ticket {
  /** Null for one that is held in memory. */
  readonly pk: string | null;
  readonly user: number;
  readonly session: string;
  readonly provider: number;
  readonly state: 'granted' | 'denied';
  readonly request: Json;
  /** The authorization flow that the person went through. */
  readonly flow: string;
}

export interface NewTicket extends Omit<Ticket, 'pk'> {
  /** Unguessable; only its hash is stored. */
  readonly id: string;
  readonly now: string;
  readonly expires: string;
}

/**
 * Tickets by request, while it is being handled. A flow without interaction ends within one request and redeems its
 * ticket at once, so it needs no row.
 */
const held = new WeakMap<RequestFacts, NewTicket | null>();

/** From here on the request can hold its own ticket. */
export const holdTicket = ({ request }: Call): void => void held.set(request, null);

/** Stores a ticket after all, for the person comes back with it in another request. */
export async function storeHeldTicket(key: Key, call: Call): Promise<void> {
  const ticket = held.get(call.request);
  held.delete(call.request);
  if (ticket) await call.db.write((tx) => storeTicket(tx, key, call, ticket));
}

const insert = statement<unknown[], unknown>(
  (...values) => sql`insert into authorization_requests
    (pk, id_hash, provider, "user", session, state, content, created, expires) values (${sql.join(values)})`,
);

export async function storeTicket(tx: Query, key: Key, { request: asking }: Call, ticket: NewTicket): Promise<void> {
  if (ticket.state === 'granted' && held.has(asking)) return void held.set(asking, ticket);
  held.delete(asking);
  const pk = randomUuid();
  const { id, provider, user, session, state, request, flow, now, expires } = ticket;
  const content = key.box.seal(JSON.stringify({ request, flow }), sealedFor(pk));
  await insert(tx, pk, idHash(key, id), provider, user, session, state, content, now, expires);
}

type Row = Omit<Ticket, 'pk' | 'request' | 'flow'> & {
  readonly pk: string;
  readonly content: string;
  readonly expires: string;
};

const select = statement<[idHash: string], Row>(
  (id) =>
    sql`select pk, provider, "user", session, state, content, expires from authorization_requests where id_hash = ${id}`,
);

/** The ticket with this id; null if it has expired or belongs to another session or user. */
export async function findTicket(db: Database, key: Key, call: Call, id: string): Promise<Ticket | null> {
  const own = held.get(call.request);
  held.delete(call.request);
  if (own?.id === id) return { ...own, pk: null };
  const [row] = await select(db.read, idHash(key, id));
  const { actor, now } = call;
  if (!row || row.expires <= now || row.session !== actor?.session || row.user !== actor.user.pk) return null;
  const { content, expires: _, ...rest } = row;
  return { ...rest, ...JSON.parse(key.box.open(content, sealedFor(row.pk))) };
}

const remove = statement<[pk: string], unknown>(
  (pk) => sql`delete from authorization_requests where pk = ${pk} returning pk`,
);

const selectSession = statement<[pk: string, user: number], unknown>(
  (pk, user) => sql`select 1 from authenticated_sessions where pk = ${pk} and "user" = ${user}`,
);

/** Uses a ticket up; false when another request has done so, or its session has ended. */
export async function consumeTicket(
  tx: Query,
  { pk, user, session }: Pick<Ticket, 'pk' | 'user' | 'session'>,
): Promise<boolean> {
  if (pk === null) return (await selectSession(tx, session, user)).length > 0;
  return (await remove(tx, pk)).length > 0;
}

const idHash = (key: Key, id: string) => key.hash(`authorization request ${id}`);
const sealedFor = (pk: string) => sealContext('authorization_requests', 'content', pk);
