import type { Database } from '../../platform/db/database.ts';
import type { JobKind, Jobs } from '../../platform/jobs/job.ts';
import type { AnonymousLimits } from '../../platform/limits/anonymous-quota.ts';
import type { Call } from '../../resource/call.ts';
import type { Endpoint } from '../../resource/endpoint.ts';
import type { Engine, Resource } from '../../resource/resource.ts';
import type { Outdated } from '../cleanup/delete-in-batches.ts';
import type { Demo } from './demo.ts';

/** Optional members of a kind of any family. The composition collects them from all kinds without naming one. */
export interface Kind {
  /** Further resources: mappings, connections, records. */
  readonly resources?: readonly Resource[];
  /** Operations without rows. */
  readonly endpoints?: readonly Endpoint[];
  jobs?(server: JobServer): readonly JobKind[];
  /** Rows to delete once they have expired. Readers must check the expiry anyway. */
  readonly expiring?: readonly Outdated[];
  /**
   * Further tables that users change, not administrators: like those of `expiring`, their changes do not invalidate
   * cached configuration on PostgreSQL.
   */
  readonly uncachedTables?: readonly string[];
  /** How much anonymous calls may store in its tables. */
  readonly anonymousLimits?: AnonymousLimits;
  /** Creates the kind's demo objects; a second run creates only what is missing. */
  demo?(demo: Demo): Promise<void>;
}

/** What jobs need of the server. Functions, because these parts exist only once the server is composed. */
export interface JobServer {
  readonly db: Database;
  engine(): Engine;
  jobs(): Jobs;
  /** A call by the server itself, at the current time. */
  systemCall(): Call;
}
