import { sql } from 'kysely';
import type { Json } from '../../lib/json.ts';
import type { Database, Query } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/statement.ts';
import { type InstanceKey, sealContext } from '../../platform/keys.ts';
import { randomUuid } from '../../platform/random.ts';
import type { Call } from '../../resource/call.ts';

type Key = Pick<InstanceKey, 'hash' | 'box'>;

/** A request that was decided, until its application is answered. */
export interface Ticket {
  readonly pk: string;
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

const insert = statement<unknown[], unknown>(
  (...values) => sql`insert into authorization_requests
    (pk, id_hash, provider, "user", session, state, content, created, expires) values (${sql.join(values)})`,
);

export async function storeTicket(tx: Query, key: Key, ticket: NewTicket): Promise<void> {
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
  const [row] = await select(db.read, idHash(key, id));
  const { actor, now } = call;
  if (!row || row.expires <= now || row.session !== actor?.session || row.user !== actor.user.pk) return null;
  const { content, expires: _, ...rest } = row;
  return { ...rest, ...JSON.parse(key.box.open(content, sealedFor(row.pk))) };
}

const remove = statement<[pk: string], unknown>(
  (pk) => sql`delete from authorization_requests where pk = ${pk} returning pk`,
);

/** Uses a ticket up; false when another request has done so, or its session has ended. */
export const consumeTicket = async (tx: Query, { pk }: Pick<Ticket, 'pk'>): Promise<boolean> =>
  (await remove(tx, pk)).length > 0;

const idHash = (key: Key, id: string) => key.hash(`authorization request ${id}`);
const sealedFor = (pk: string) => sealContext('authorization_requests', 'content', pk);
