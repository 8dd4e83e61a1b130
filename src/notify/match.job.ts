import { sql } from 'kysely';
import { loadUserFacts } from '../core/mapping/user-facts.ts';
import type { Json } from '../lib/json.ts';
import type { Query } from '../platform/db/database.ts';
import type { JobKind, Jobs, RunningJob } from '../platform/jobs/job.ts';
import { randomUuid } from '../platform/random.ts';
import type { PolicyEngine } from '../policy/engine.ts';
import { policyRequest } from '../policy/request.ts';
import type { Call } from '../resource/call.ts';
import { deliver } from './deliver.job.ts';
import { type ActiveRule, isAboutRules, loadEvents, loadRecipients, loadRules } from './load.ts';
import type { EventFacts, TransportKind } from './transport-kind.ts';

interface Needs {
  readonly policies: PolicyEngine;
  readonly transports: readonly TransportKind[];
  jobs(): Jobs;
  /** A call of the server's own whose events are matched by no rule: what comes of notifying makes no notifications. */
  quietCall(): Call;
}

const kindName = 'match_event';
const unknownAddress = '255.255.255.255';
/** Events that wait are matched together: one transaction for many. */
const batchSize = 100;

/** Has the rules asked about an event, once it is durable. */
export const matchEvent = (jobs: Jobs, tx: Query, event: string): Promise<void> =>
  jobs.enqueue(tx, { kind: kindName, payload: event });

interface Match {
  readonly event: EventFacts;
  readonly rule: ActiveRule;
}

export function matchJob({ policies, transports, jobs, quietCall }: Needs): JobKind {
  async function matchesOf(event: EventFacts, rules: readonly ActiveRule[]): Promise<Match[]> {
    const call = quietCall();
    if (rules.length === 0 || (await isAboutRules(call.db.read, event))) return [];
    const subject = event.user.pk;
    const user = typeof subject === 'number' ? await loadUserFacts(call, call.db.read, subject) : null;
    const asked = policyRequest(call, { user, context: { event: event as unknown as Json } });
    const request = { ...asked, clientIp: event.client_ip ?? unknownAddress };
    const targets = rules.map(({ pk }) => ({ pk, mode: 'any' as const, emptyResult: false }));
    const results = await policies.evaluateTargets({ call, request, targets });
    return rules.filter(({ pk }) => results.get(pk)?.passing).map((rule) => ({ event, rule }));
  }

  /** The deliveries are queued and the work struck off the list in one transaction: it is done exactly once. */
  async function conclude(matches: readonly Match[], done: readonly string[]): Promise<void> {
    const { db } = quietCall();
    await db.write(async (tx) => {
      await sql`delete from jobs where pk in (${sql.join(done)})`.execute(tx);
      for (const { event, rule } of matches) {
        for (const recipient of await loadRecipients(tx, rule, transports)) {
          await deliver(jobs(), tx, { ...recipient, pk: randomUuid(), event: event.pk, severity: rule.severity });
        }
      }
    });
  }

  return {
    name: kindName,
    summary: 'Ask the notification rules about events.',
    oneAtATime: true,
    leavesNoTrace: true,
    async run(job) {
      const { db, now } = quietCall();
      const waiting = await waitingBeside(db.read, job, now);
      const events = await loadEvents(db.read, [...new Set([...waiting.values()])]);
      const rules = await loadRules(db.read);
      const matches: Match[] = [];
      for (const event of events) matches.push(...(await matchesOf(event, rules)));
      await conclude(matches, [...waiting.keys()]);
      return undefined;
    },
  };
}

/** The events of this job and of those that wait behind it, by the keys of the jobs. */
async function waitingBeside(query: Query, job: RunningJob, now: string): Promise<Map<string, string>> {
  const own = [job.pk, job.payload as string] as const;
  // A job that failed before is tried alone: the others shall not fail with it.
  if (job.attempt > 1) return new Map([own]);
  const { rows } = await sql<{ pk: string; payload: string }>`select pk, payload from jobs
    where kind = ${kindName} and state = 'queued' and attempt = 0 and run_at <= ${now} order by run_at, pk limit ${batchSize}`.execute(
    query,
  );
  return new Map([own, ...rows.map(({ pk, payload }) => [pk, JSON.parse(payload) as string] as const)]);
}
