import { sql } from 'kysely';
import type { Query } from '../../platform/db/database.ts';
import type { JobKind } from '../../platform/jobs/job.ts';
import type { JobServer } from '../kind/kind.ts';
import { type ConnectionKind, type ConnectionState, unreachable } from './connection-kind.ts';

interface ConnectionStatesNeeds {
  readonly server: JobServer;
  readonly kinds: readonly ConnectionKind[];
  /** Called when a platform is reachable again. */
  onRecovered(tx: Query, connection: string): Promise<void>;
}

interface ConnectionRow {
  readonly pk: string;
  readonly name: string;
  readonly kind: string;
  readonly isUsed: boolean;
}

const checkEveryMs = 15 * 60_000;

/** Checks all connections; an event is recorded when one that outposts are deployed by cannot be used any more. */
export function connectionStatesJob({ server, kinds, onRecovered }: ConnectionStatesNeeds): JobKind {
  return {
    name: 'check_service_connections',
    summary: 'Check whether the platforms of service connections are reachable.',
    isOutgoing: true,
    oneAtATime: true,
    everyMs: checkEveryMs,
    async run({ signal }) {
      const { db } = server;
      const { rows } = await sql<ConnectionRow>`select c.pk, c.name, c.kind,
      exists (select 1 from outpost_deployments d where d.connection = c.pk) as "isUsed"
      from service_connections c order by c.name`.execute(db.read);
      const failing: string[] = [];
      for (const row of rows) {
        if (signal.aborted) return undefined;
        const kind = kinds.find(({ resource }) => resource.model === row.kind);
        const state = kind ? await kind.askState(row.pk, server.systemCall()) : unreachable;
        if (!state.healthy) failing.push(row.name);
        await db.write((tx) => note(tx, row, state));
      }
      return failing.length === 0 ? `${rows.length} reachable` : { warning: `Not reachable: ${failing.join(', ')}` };
    },
  };

  async function note(tx: Query, { pk, name, isUsed }: ConnectionRow, state: ConnectionState): Promise<void> {
    const call = server.systemCall();
    const before = await connectionStateOf(tx, pk);
    await sql`insert into connection_states (pk, healthy, version, checked)
      values (${pk}, ${state.healthy}, ${state.version}, ${call.now}) on conflict (pk) do update
      set healthy = excluded.healthy, version = excluded.version, checked = excluded.checked`.execute(tx);
    if (!isUsed || before?.healthy === state.healthy) return;
    if (state.healthy) return onRecovered(tx, pk);
    const message = `The platform of the service connection ${name} cannot be reached, or refuses its credentials.`;
    await call.world.record(tx, call, { action: 'configuration_error', app: 'svc_outposts', context: { message } });
  }
}

/** The state at the last check; null before the first. */
export async function connectionStateOf(query: Query, connection: string): Promise<ConnectionState | null> {
  const { rows } = await sql<ConnectionState>`select healthy, version from connection_states
    where pk = ${connection}`.execute(query);
  return rows[0] ?? null;
}
