import { sql } from 'kysely';
import type { Json } from '../../lib/json.ts';
import type { Database, Query } from '../../platform/db/database.ts';
import { type InstanceKey, sealContext } from '../../platform/keys.ts';
import { randomUuid } from '../../platform/random.ts';
import type { Call } from '../../resource/call.ts';

type Key = Pick<InstanceKey, 'hash' | 'box'>;

/** A request that was decided, until its application is answered. */
export interface Ticket {
  readonly pk: string;
  readonly provider: number;
  readonly state: 'granted' | 'denied';
  readonly request: Json;
  /** The authorization flow that the person went through. */
  readonly flow: string;
}

export interface NewTicket extends Omit<Ticket, 'pk'> {
  /** Unguessable; only its hash is stored. */
  readonly id: string;
  readonly user: number;
  readonly session: string;
  readonly now: string;
  readonly expires: string;
}

export async function storeTicket(tx: Query, key: Key, ticket: NewTicket): Promise<void> {
  const pk = randomUuid();
  const { id, provider, user, session, state, request, flow, now, expires } = ticket;
  const content = key.box.seal(JSON.stringify({ request, flow }), sealedFor(pk));
  await sql`insert into authorization_requests (pk, id_hash, provider, "user", session, state, content, created, expires)
    values (${pk}, ${idHash(key, id)}, ${provider}, ${user}, ${session}, ${state}, ${content}, ${now}, ${expires})`.execute(
    tx,
  );
}

type Row = Pick<Ticket, 'pk' | 'provider' | 'state'> & {
  readonly user: number;
  readonly session: string;
  readonly content: string;
  readonly expires: string;
};

/** The ticket with this id; null unless it is good now and belongs to the session and the user of the call. */
export async function findTicket(db: Database, key: Key, call: Call, id: string): Promise<Ticket | null> {
  const { rows } = await sql<Row>`select pk, provider, "user", session, state, content, expires
    from authorization_requests where id_hash = ${idHash(key, id)}`.execute(db.read);
  const [row] = rows;
  const { actor, now } = call;
  if (!row || row.expires <= now || row.session !== actor?.session || row.user !== actor.user.pk) return null;
  const { pk, provider, state } = row;
  return { pk, provider, state, ...JSON.parse(key.box.open(row.content, sealedFor(pk))) };
}

/** Uses a ticket up; false when another request has done so. */
export async function consumeTicket(tx: Query, { pk }: Pick<Ticket, 'pk'>): Promise<boolean> {
  const { rows } = await sql`delete from authorization_requests where pk = ${pk} returning pk`.execute(tx);
  return rows.length > 0;
}

const idHash = (key: Key, id: string) => key.hash(`authorization request ${id}`);
const sealedFor = (pk: string) => sealContext('authorization_requests', 'content', pk);
