import { sql } from 'kysely';
import type { OnEventRecorded, RecordedEvent } from '../core/event/record.ts';
import { cachedUserFacts } from '../core/mapping/user-facts.ts';
import type { Query } from '../platform/db/database.ts';
import { statement } from '../platform/db/statement.ts';
import type { JobKind, Jobs } from '../platform/jobs/job.ts';
import type { PolicyEngine } from '../policy/engine.ts';
import { policyRequest } from '../policy/request.ts';
import type { Call } from '../resource/call.ts';
import { type ActiveRule, isAboutRules, loadEvents, loadRules } from './load.ts';
import { queueDeliveries } from './queue-deliveries.job.ts';
import type { EventFacts, TransportKind } from './transport-kind.ts';

interface Dependencies {
  readonly policies: PolicyEngine;
  readonly transports: readonly TransportKind[];
  jobs(): Jobs;
  /** A system call whose events match no rule: notifying must not cause notifications. */
  callWithoutNotifications(): Call;
}

const kindName = 'match_events';
const userModel = { app: 'svc_core', name: 'user' };
const unknownAddress = '255.255.255.255';
/** Events that wait are matched together: one transaction for many. */
const batchSize = 500;

const insertUnmatched = statement<[event: string], unknown>(
  (event) => sql`insert into unmatched_events (event) values (${event})`,
);
const anyUnmatched = statement<[], unknown>(() => sql`select 1 as found from unmatched_events limit 1`);

/** Puts events into the outbox for matching after the commit, except those that no rule can match. */
export function matchingEvents({ policies, jobs }: Pick<Dependencies, 'policies' | 'jobs'>): OnEventRecorded {
  return async (tx, call, pk, event) => {
    // Its own transaction may make the rule that matches it.
    const canTell = event !== undefined && !mayChangeRules(event);
    if (canTell && !(await mightMatch(policies, call, event))) return;
    await insertUnmatched(tx, pk);
    await jobs().wakeAfterCommit(tx);
  };
}

/**
 * Whether a rule might match this event; most match none. Without query caches, checking is no faster than matching.
 */
async function mightMatch(policies: PolicyEngine, call: Call, event: RecordedEvent): Promise<boolean> {
  if (!call.db.watch) return true;
  const { pks: targetPks } = await loadRules(call.db);
  return policies.mightMatch({ call, targetPks, action: event.action });
}

/**
 * Rules depend on many models, and only the commit determines them. Changes of users are frequent and never affect
 * rules.
 */
const mayChangeRules = ({ action, model_app, model_name }: RecordedEvent): boolean =>
  action.startsWith('model_') &&
  (action === 'model_deleted' || model_app !== userModel.app || model_name !== userModel.name);

interface Match {
  readonly event: EventFacts;
  readonly rule: ActiveRule;
}

export function matchJob({ policies, transports, jobs, callWithoutNotifications }: Dependencies): JobKind {
  async function matchesOf(event: EventFacts, rules: readonly ActiveRule[]): Promise<Match[]> {
    const call = callWithoutNotifications();
    if (rules.length === 0 || (await isAboutRules(call.db.read, event))) return [];
    const subject = event.user.pk;
    const request = async () => {
      const user = typeof subject === 'number' ? await cachedUserFacts(call, subject) : null;
      const asked = policyRequest(call, { user, context: { event } });
      return { ...asked, clientIp: event.client_ip ?? unknownAddress };
    };
    const targets = rules.map(({ pk }) => ({ pk, mode: 'any' as const, emptyResult: false }));
    const results = await policies.evaluateTargets({ call, request, targets });
    return rules.filter(({ pk }) => results.get(pk)?.passing).map((rule) => ({ event, rule }));
  }

  return {
    name: kindName,
    summary: 'Match events against notification rules.',
    oneAtATime: true,
    deleteWhenDone: true,
    hasWork: async (query) => (await anyUnmatched(query)).length > 0,
    async run() {
      const { db } = callWithoutNotifications();
      const waiting = await firstUnmatched(db.read);
      const { rules } = await loadRules(db);
      const matches: Match[] = [];
      for (const event of await loadEvents(db.read, [...waiting.values()])) {
        matches.push(...(await matchesOf(event, rules)));
      }
      // Deliveries are queued and events removed from the list in one transaction, so this happens exactly once.
      await db.write(async (tx) => {
        const struck = await deleteMatched(tx, [...waiting.keys()]);
        for (const { event, rule } of matches.filter(({ event }) => struck.has(event.pk))) {
          await queueDeliveries({ jobs: jobs(), transports }, tx, { rule, event: event.pk, after: null });
        }
      });
      return undefined;
    },
  };
}

/** The oldest waiting events. */
async function firstUnmatched(query: Query): Promise<Map<number, string>> {
  const { rows } = await sql<{ pk: number; event: string }>`select pk, event from unmatched_events
    order by pk limit ${batchSize}`.execute(query);
  return new Map(rows.map(({ pk, event }) => [pk, event]));
}

/** The claimed events, without those that another worker took after this one was presumed dead. */
async function deleteMatched(tx: Query, pks: readonly number[]): Promise<ReadonlySet<string>> {
  if (pks.length === 0) return new Set();
  const { rows } = await sql<{ event: string }>`delete from unmatched_events where pk in (${sql.join(pks)})
    returning event`.execute(tx);
  return new Set(rows.map(({ event }) => event));
}
