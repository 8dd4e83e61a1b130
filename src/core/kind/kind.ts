import type { Database } from '../../platform/db/database.ts';
import type { JobKind, Jobs } from '../../platform/jobs/job.ts';
import type { Call } from '../../resource/call.ts';
import type { Endpoint } from '../../resource/endpoint.ts';
import type { Engine } from '../../resource/read.ts';
import type { Resource } from '../../resource/resource.ts';
import type { Outdated } from '../cleanup/delete-in-batches.ts';
import type { Demo } from './demo.ts';

/**
 * What a kind of any family may bring beside what its family requires. Composition collects these members over all kinds
 * and knows none of them by name.
 */
export interface Kind {
  /** Resources beside the kind's own: mappings, connections, records. */
  readonly resources?: readonly Resource[];
  /** Operations that stand for no rows. */
  readonly endpoints?: readonly Endpoint[];
  jobs?(server: JobServer): readonly JobKind[];
  /** Rows that are deleted once they have expired. Whoever reads them checks the expiry all the same. */
  readonly expiring?: readonly Outdated[];
  /** Makes the kind's demo objects; run again, it makes only what is missing. */
  demo?(demo: Demo): Promise<void>;
}

/** As much of the server as jobs need. What is a function exists only once the server is composed. */
export interface JobServer {
  readonly db: Database;
  engine(): Engine;
  jobs(): Jobs;
  /** A call that the server makes by itself, now. */
  systemCall(): Call;
}
