import type { Database, Query } from '../platform/db/database.ts';
import type { JobKind, Jobs } from '../platform/jobs/job.ts';
import { randomUuid } from '../platform/random.ts';
import { deliver } from './deliver.job.ts';
import { type ActiveRule, loadRecipients } from './load.ts';
import type { TransportKind } from './transport-kind.ts';

interface Dependencies {
  readonly jobs: Jobs;
  readonly transports: readonly TransportKind[];
}

/** One event for the recipients of one rule. */
interface Notifying {
  readonly rule: ActiveRule;
  readonly event: string;
  /** The last member who has a delivery; null at the start. */
  readonly after: number | null;
}

const kindName = 'queue_deliveries';
/** In one transaction: others wait for it on SQLite. */
const pageSize = 200;

/** Queues the deliveries of the first members, and a job for all others. */
export async function queueDeliveries(
  { jobs, transports }: Dependencies,
  tx: Query,
  { rule, event, after }: Notifying,
): Promise<void> {
  const { recipients, last } = await loadRecipients(tx, rule, transports, { after, size: pageSize });
  for (const recipient of recipients) {
    await deliver(jobs, tx, { ...recipient, pk: randomUuid(), event, severity: rule.severity });
  }
  if (last !== null) await jobs.enqueue(tx, { kind: kindName, payload: { rule, event, after: last } });
}

/** A worker that dies between the commit and the end of the job queues one page twice: deliveries are at least once. */
export function queueDeliveriesJob(
  db: Database,
  { jobs, transports }: Omit<Dependencies, 'jobs'> & { jobs(): Jobs },
): JobKind<Notifying> {
  return {
    name: kindName,
    summary: 'Queue the deliveries of a notification to a large group.',
    deleteWhenDone: true,
    async run({ payload }) {
      await db.write((tx) => queueDeliveries({ jobs: jobs(), transports }, tx, payload));
      return undefined;
    },
  };
}
