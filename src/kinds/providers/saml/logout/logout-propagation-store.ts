import { sql } from 'kysely';
import { addMilliseconds } from '../../../../platform/clock.ts';
import type { Query } from '../../../../platform/db/database.ts';
import { type InstanceKey, sealContext } from '../../../../platform/keys.ts';
import { randomUuid } from '../../../../platform/random.ts';
import type { Login } from '../logins.ts';

/** The state of a browser that is redirected to service providers. A type, since it is stored as JSON. */
export type LogoutPropagation = {
  readonly id: string;
  /** Service providers that are not yet notified. */
  readonly queue: readonly Login[];
  /** The service provider that the browser was sent to. */
  readonly at: { readonly login: Login; readonly request: string } | null;
  /** Where the browser goes in the end; an address of this server. */
  readonly to: string;
  /** The session that is over. */
  readonly session: string;
};

const lifetimeMs = 15 * 60_000;

/** Stores propagations by id, their ids by pending request, and partial failures. */
export interface LogoutPropagationStore {
  /** Reads a propagation and locks it until the transaction ends: a job may read it while the browser returns. */
  readPropagation(tx: Query, id: string): Promise<LogoutPropagation | null>;
  writePropagation(tx: Query, propagation: LogoutPropagation): Promise<void>;
  deletePropagation(tx: Query, propagation: LogoutPropagation): Promise<void>;
  writeRequest(tx: Query, request: string, propagation: string): Promise<void>;
  /** The propagation of a request. Single use. */
  takeRequest(tx: Query, request: string): Promise<string | null>;
  /** Stores that a service provider failed to sign the user out, for the one that requested the logout. */
  storeFailure(tx: Query, propagation: Pick<LogoutPropagation, 'session'>): Promise<void>;
  /** Whether a service provider failed to sign the user out. Single use. */
  takeFailure(tx: Query, session: string): Promise<boolean>;
}

interface Row {
  readonly pk: string;
  readonly content: string;
  readonly expires: string;
}

export function createPropagationStore(key: InstanceKey, now: string): LogoutPropagationStore {
  const expires = addMilliseconds(now, lifetimeMs);
  const hashOf = (id: string) => key.hash(`saml logout ${id}`);
  const seal = (pk: string, stored: unknown) =>
    key.box.seal(JSON.stringify(stored), sealContext('saml_logouts', 'content', pk));

  function open<T>({ rows: [row] }: { readonly rows: readonly Row[] }): T | null {
    if (!row || row.expires <= now) return null;
    return JSON.parse(key.box.open(row.content, sealContext('saml_logouts', 'content', row.pk)));
  }

  const lock = (tx: Query, id: string) =>
    sql<Row>`update saml_logouts set expires = expires where id_hash = ${hashOf(id)} returning pk, content, expires`.execute(
      tx,
    );
  const remove = (tx: Query, id: string) =>
    sql<Row>`delete from saml_logouts where id_hash = ${hashOf(id)} returning pk, content, expires`.execute(tx);

  async function write(tx: Query, id: string, stored: unknown): Promise<void> {
    const [known] = (await lock(tx, id)).rows;
    if (known) {
      const content = seal(known.pk, stored);
      await sql`update saml_logouts set content = ${content}, expires = ${expires} where pk = ${known.pk}`.execute(tx);
      return;
    }
    const pk = randomUuid();
    await sql`insert into saml_logouts (pk, id_hash, content, expires)
      values (${pk}, ${hashOf(id)}, ${seal(pk, stored)}, ${expires})`.execute(tx);
  }

  const failureOf = (session: string) => `failed for ${session}`;
  return {
    readPropagation: async (tx, id) => open<LogoutPropagation>(await lock(tx, id)),
    writePropagation: (tx, propagation) => write(tx, propagation.id, propagation),
    async deletePropagation(tx, { id }) {
      await remove(tx, id);
    },
    writeRequest: write,
    takeRequest: async (tx, request) => open<string>(await remove(tx, request)),
    storeFailure: (tx, { session }) => write(tx, failureOf(session), true),
    takeFailure: async (tx, session) => open(await remove(tx, failureOf(session))) !== null,
  };
}
