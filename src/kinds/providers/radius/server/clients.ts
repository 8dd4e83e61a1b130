import type { Database } from '../../../../platform/db/database.ts';
import type { SecretBox } from '../../../../platform/keys.ts';
import { createNetworkTable } from '../networks.ts';
import { type ServedProvider, servedProviders } from '../served-providers.ts';
import { limits } from './limits.ts';

/** Which provider a client belongs to, by its address. */
export interface Clients {
  /** Null: the client is unknown, or too many lookups are pending. */
  find(ip: string): Promise<ServedProvider | null>;
}

type Table = (ip: string) => ServedProvider | null;

/**
 * The clients of an outpost, or of this server where it is null. Datagrams come from anywhere and in any number: the
 * database is read ten times a second at most.
 */
export function createClients(db: Database, box: SecretBox, outpost: string | null = null): Clients {
  let table: Table | null = null;
  let last: readonly ServedProvider[] | null = null;
  let loadedAt = Number.NEGATIVE_INFINITY;
  let loading: Promise<Table> | null = null;
  let waiting = 0;

  async function load(): Promise<Table> {
    const providers = await db.scope(() => servedProviders(db, box, outpost));
    if (providers !== last || !table)
      table = createNetworkTable(providers.map((provider) => [provider.client_networks, provider]));
    last = providers;
    loadedAt = performance.now();
    return table;
  }

  return {
    async find(ip) {
      if (table && performance.now() - loadedAt < limits.clientsHoldMs) return table(ip);
      if (waiting >= limits.waiting) return null;
      waiting += 1;
      try {
        loading ??= load().finally(() => {
          loading = null;
        });
        return (await loading)(ip);
      } finally {
        waiting -= 1;
      }
    },
  };
}
