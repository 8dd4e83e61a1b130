import { sql } from 'kysely';
import { atLeastSchema, withExactnessOfEach } from '../../core/event/chart.ts';
import type { PemReader } from '../../core/key/certificate-facts.ts';
import { createPemReader } from '../../core/key/certificate-facts.ts';
import { certificateModel } from '../../core/key/certificate-model.ts';
import { addMilliseconds, fromTimestamp } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import { countJobs } from '../../platform/jobs/queue.ts';
import type { Mailer } from '../../platform/mail/mailer.ts';
import { visibleOrNone } from '../../resource/access/access.ts';
import { type Call, requireActor } from '../../resource/call.ts';
import {
  arrayOf,
  booleanSchema,
  integerSchema,
  objectSchema,
  orNull,
  stringSchema,
  timeSchema,
} from '../../resource/document/json-schema.ts';
import { defineEndpoint, type Endpoint } from '../../resource/endpoint.ts';
import { list } from '../../resource/fields/structured.ts';
import { choice } from '../../resource/fields/text.ts';
import { countRows, maxCount } from '../../resource/list/count.ts';
import type { Registry } from '../../resource/resource.ts';
import { findOutgoingHold } from '../outgoing-hold.ts';
import { checklistFor, checklistSteps, saveDismissed } from './checklist.ts';
import { hoursOfAWeek, topOfAWeek } from './week.ts';

export interface OverviewNeeds {
  readonly version: string;
  readonly db: Database;
  readonly mailer: Mailer;
  readonly config: {
    readonly publicUrl: string;
    readonly bootstrap: { readonly password: string | null };
  };
}

const dayMs = 86_400_000;
/** Certificates that end within this time are shown. */
export const endingWithinMs = 30 * dayMs;
const failedWithinMs = 7 * dayMs;
const maxShown = 10;
const maxCertificates = 1_000;

const counts = arrayOf(integerSchema);
const checklistSchema = arrayOf(
  objectSchema({
    name: { type: 'string', enum: checklistSteps },
    is_done: booleanSchema,
    is_dismissed: booleanSchema,
  }),
);

/** How the server is, in the overview and on the maintenance page. */
export const healthSchema = {
  ...orNull(
    objectSchema({
      database: stringSchema,
      mail: { ...booleanSchema, description: 'Whether a mail server is configured.' },
      jobs_queued: integerSchema,
      jobs_failed: integerSchema,
      last_backup: orNull(timeSchema),
    }),
  ),
  description: 'Null without the permission to view system information.',
};

/** Certificates by their end, in both. */
export const certificatesSchema = arrayOf(objectSchema({ pk: stringSchema, name: stringSchema, ends: timeSchema }));

const schema = objectSchema({
  version: stringSchema,
  public_url: stringSchema,
  health: healthSchema,
  counts: objectSchema({
    users: { ...orNull(integerSchema), description: 'Null if the caller may see none; stops at 100,000.' },
    applications: orNull(integerSchema),
  }),
  week: {
    ...orNull(
      objectSchema({
        start: { ...timeSchema, description: 'The hour that the first count is for.' },
        logins: counts,
        logins_failed: counts,
        authorizations: counts,
      }),
    ),
    description: 'Events by hour, among those that the caller may see. Null if these are none.',
  },
  top_applications: arrayOf(
    objectSchema({
      name: stringSchema,
      slug: { ...stringSchema, description: 'Empty if it is gone, or the caller may not see it.' },
      icon: { ...stringSchema, description: 'The address of its icon; empty without one.' },
      events: integerSchema,
      users: integerSchema,
    }),
  ),
  failing_jobs: arrayOf(
    objectSchema({ pk: stringSchema, name: stringSchema, message: stringSchema, finished: orNull(timeSchema) }),
  ),
  ending_certificates: certificatesSchema,
  outgoing_held_since: {
    ...orNull(timeSchema),
    description: 'Since when this restored server sends nothing to other systems; for superusers only.',
  },
  checklist: { ...checklistSchema, description: 'What a new server still lacks; for superusers only.' },
  at_least: atLeastSchema,
});

/** Everything the start page of the admin interface shows, in one request. */
export function overviewEndpoints(needs: OverviewNeeds): Endpoint[] {
  const reader = createPemReader();
  return [
    defineEndpoint({
      id: 'admin_overview_retrieve',
      method: 'GET',
      path: '/admin/overview/',
      summary: 'Read how the server is doing and what it needs',
      access: 'authenticated',
      answer: { status: 200, schema, schemaName: 'AdminOverview' },
      async run({ call, engine: { registry }, tx }) {
        const actor = requireActor(call);
        const input = { call, registry };
        const [users, applications, hourly, used, failing, ending] = await Promise.all([
          countVisible(call, registry, 'svc_core.user'),
          countVisible(call, registry, 'svc_core.application'),
          hoursOfAWeek(input),
          topOfAWeek(input),
          failingJobs(call, registry),
          endingCertificates(call, registry, reader),
        ]);
        const body = {
          version: needs.version,
          public_url: needs.config.publicUrl,
          health: actor.holds('svc_rbac.view_system_info') ? await healthOf(needs) : null,
          counts: { users: shownCount(users), applications: shownCount(applications) },
          week: hourly.week,
          top_applications: used.top,
          failing_jobs: failing,
          ending_certificates: ending,
          outgoing_held_since: actor.isSuperuser ? await findOutgoingHold(tx) : null,
          checklist: actor.isSuperuser ? await checklistFor(actor, tx, needs) : [],
        };
        const areExact = { users: isExactCount(users), applications: isExactCount(applications) };
        return withExactnessOfEach({ ...areExact, week: hourly.isExact, top_applications: used.isExact }, body);
      },
    }),
    defineEndpoint({
      id: 'admin_overview_checklist_update',
      method: 'PUT',
      path: '/admin/overview/checklist/',
      summary: 'Dismiss items of the checklist',
      access: 'superuser',
      body: {
        dismissed: list(choice(checklistSteps, { help: 'The name of an item.' }), {
          max: checklistSteps.length,
          help: 'The items to hide; all others are shown.',
        }),
      },
      bodySchema: 'ChecklistRequest',
      answer: { status: 200, schema: checklistSchema },
      async run({ call, tx, values: { dismissed } }) {
        const actor = requireActor(call);
        await saveDismissed(tx, actor.user.pk, dismissed);
        return checklistFor(actor, tx, needs);
      },
    }),
  ];
}

/** Null if the caller may see none of them. */
async function countVisible(call: Call, registry: Registry, model: string): Promise<number | null> {
  const resource = registry.require(model);
  const visible = await visibleOrNone(resource, call, registry);
  if (visible === 'none') return null;
  return countRows(resource, call, sql`${sql.table(resource.table)} as t ${visible ? sql`where ${visible}` : sql``}`);
}

const isExactCount = (count: number | null): boolean => count === null || count <= maxCount;
const shownCount = (count: number | null): number | null => count && Math.min(count, maxCount);

export async function healthOf({ db, mailer }: OverviewNeeds) {
  const { queued, failed } = await countJobs(db);
  const { rows } = await sql<{ last_backup: string | null }>`select last_backup from install`.execute(db.read);
  return {
    database: db.dialect.title,
    mail: await mailer.isReady(),
    jobs_queued: queued,
    jobs_failed: failed,
    last_backup: rows[0]?.last_backup ?? null,
  };
}

interface FailedJob {
  readonly pk: string;
  readonly name: string;
  readonly message: string;
  readonly finished: string | null;
}

/** Jobs that failed this week and have not succeeded since, newest first. */
async function failingJobs(call: Call, registry: Registry): Promise<FailedJob[]> {
  const visible = await visibleOrNone(registry.require('svc_events.systemtask'), call, registry);
  if (visible === 'none') return [];
  const since = addMilliseconds(call.now, -failedWithinMs);
  const text = call.db.dialect.toText;
  const { rows } = await sql<FailedJob>`select t.pk, t.kind as name, t.message, t.finished from jobs as t
    where t.state = 'failed' and t.created >= ${since} ${visible ? sql`and ${visible}` : sql``}
      and not exists (select 1 from jobs as later where later.kind = t.kind and later.state = 'done'
        and later.created > t.created and ${text(sql.ref('later.payload'))} = ${text(sql.ref('t.payload'))})
    order by t.created desc limit ${maxShown}`.execute(call.db.read);
  return rows;
}

/** Certificates that have ended or will soon, the first to end first. */
async function endingCertificates(call: Call, registry: Registry, reader: PemReader) {
  const limit = fromTimestamp(call.now).getTime() + endingWithinMs;
  const all = await certificatesByEnd(call, registry, reader);
  return all.filter(({ ends }) => Date.parse(ends) < limit).slice(0, maxShown);
}

/** The certificates that the caller may see, the first to end first. */
export async function certificatesByEnd(call: Call, registry: Registry, reader: PemReader) {
  const visible = await visibleOrNone(registry.require(certificateModel), call, registry);
  if (visible === 'none') return [];
  const { rows } = await sql<{ pk: string; name: string; certificate_data: string }>`select t.pk, t.name,
    t.certificate_data from certificates as t ${visible ? sql`where ${visible}` : sql``}
    order by t.name limit ${maxCertificates}`.execute(call.db.read);
  return rows
    .flatMap(({ pk, name, certificate_data }) => {
      const ends = reader.certificate(certificate_data)?.notAfter;
      return ends === undefined ? [] : [{ pk, name, ends }];
    })
    .sort((one, other) => Date.parse(one.ends) - Date.parse(other.ends));
}
