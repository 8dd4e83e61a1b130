import { createPemReader } from '../../core/key/certificate-facts.ts';
import type { Jobs } from '../../platform/jobs/job.ts';
import { requireActor } from '../../resource/call.ts';
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
import { connections, jobRuns, maxRows, sources, syncProviders, tokens } from './maintenance.ts';
import {
  certificatesByEnd,
  certificatesSchema,
  healthOf,
  healthSchema,
  type OverviewNeeds,
} from './overview.endpoint.ts';

const schema = objectSchema({
  version: stringSchema,
  public_url: stringSchema,
  health: healthSchema,
  certificates: { ...certificatesSchema, description: 'The first to end first.' },
  jobs: {
    ...arrayOf(
      objectSchema({
        pk: stringSchema,
        name: stringSchema,
        description: stringSchema,
        status: { type: 'string', enum: ['successful', 'warning', 'error', 'waiting'] },
        message: stringSchema,
        finished: orNull(timeSchema),
        next_run: { ...orNull(timeSchema), description: 'When one is due next; null if none is queued.' },
        may_run: booleanSchema,
      }),
    ),
    description: 'The last finished run of each kind of job, or the one that waits; failed ones first.',
  },
  tokens: {
    ...arrayOf(
      objectSchema({
        identifier: stringSchema,
        username: stringSchema,
        intent: stringSchema,
        ends: orNull(timeSchema),
      }),
    ),
    description: 'Tokens that end within 30 days, then those that never end.',
  },
  connections: arrayOf(objectSchema({ pk: stringSchema, name: stringSchema, type: stringSchema, path: stringSchema })),
  sources: arrayOf(
    objectSchema({ name: stringSchema, type: stringSchema, path: stringSchema, is_enabled: booleanSchema }),
  ),
  sync: {
    ...arrayOf(
      objectSchema({
        pk: integerSchema,
        name: stringSchema,
        type: stringSchema,
        path: stringSchema,
        is_assigned: { ...booleanSchema, description: 'Whether an application uses it; otherwise nothing is sent.' },
        may_change: booleanSchema,
        outstanding: integerSchema,
        failed: integerSchema,
        paused_until: orNull(timeSchema),
        message: stringSchema,
        last_successful: orNull(timeSchema),
        run: orNull(
          objectSchema({
            state: { type: 'string', enum: ['running', 'done', 'failed'] },
            done: integerSchema,
            left: integerSchema,
            failed: integerSchema,
            message: stringSchema,
            started: timeSchema,
            finished: orNull(timeSchema),
          }),
        ),
      }),
    ),
    description: 'Providers that push users and groups, and how far each is.',
  },
  cut: { ...arrayOf(stringSchema), description: `The lists of which only the first ${maxRows} rows are returned.` },
});

/** What keeps the server running, as far as the caller may see it: for the system page of the admin interface. */
export function maintenanceEndpoint(needs: OverviewNeeds & { readonly jobs: Pick<Jobs, 'kinds'> }): Endpoint {
  const reader = createPemReader();
  return defineEndpoint({
    id: 'admin_maintenance_retrieve',
    method: 'GET',
    path: '/admin/maintenance/',
    summary: 'Read the state of jobs, certificates, tokens, connections, sources and outgoing sync',
    access: 'authenticated',
    answer: { status: 200, schema, schemaName: 'Maintenance' },
    async run({ call, engine: { registry } }) {
      const actor = requireActor(call);
      const input = { call, registry };
      const [certificates, jobs, listed, connected, from, sync] = await Promise.all([
        certificatesByEnd(call, registry, reader),
        jobRuns(input, needs.jobs),
        tokens(input),
        connections(input),
        sources(input),
        syncProviders(input),
      ]);
      const lists = { certificates, jobs, tokens: listed, connections: connected, sources: from, sync };
      const entries = Object.entries(lists);
      return {
        version: needs.version,
        public_url: needs.config.publicUrl,
        health: actor.holds('svc_rbac.view_system_info') ? await healthOf(needs) : null,
        ...Object.fromEntries(entries.map(([name, rows]) => [name, rows.slice(0, maxRows)])),
        cut: entries.filter(([, rows]) => rows.length > maxRows).map(([name]) => name),
      };
    },
  });
}
