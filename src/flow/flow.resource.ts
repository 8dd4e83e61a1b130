import { sql } from 'kysely';
import { imageActions, releaseImage } from '../core/media/image-actions.ts';
import { image } from '../core/media/image-field.ts';
import { defineResource } from '../resource/define.ts';
import { arrayOf, integerSchema, stringSchema, uuidSchema } from '../resource/document/json-schema.ts';
import { computed } from '../resource/fields/computed.ts';
import { boolean, uuid } from '../resource/fields/scalar.ts';
import { choice, slug, text } from '../resource/fields/text.ts';
import { keyFilter } from '../resource/list/query.ts';
import type { Resource } from '../resource/resource.ts';
import { defaultBackground } from './background.ts';
import { type FlowActionNeeds, flowActions } from './flow-actions.ts';
import { flowLayouts } from './layouts.ts';
import { policyEngineModes } from './policy-engine-modes.ts';

export const designations = [
  'authentication',
  'authorization',
  'invalidation',
  'enrollment',
  'unenrollment',
  'recovery',
  'stage_configuration',
];
const authentications = [
  'none',
  'require_authenticated',
  'require_unauthenticated',
  'require_superuser',
  'require_outpost',
];

/** A flow: the steps to sign in, sign out, enrol, recover or consent. */
export function flowResource(needs: FlowActionNeeds): Resource {
  return defineResource({
    path: '/flows/instances/',
    param: 'slug',
    lookup: 'slug',
    key: 'uuid',
    model: 'svc_flows.flow',
    schema: 'Flow',
    names: ['Flow', 'Flows'],
    table: 'flows',
    reaches: 'sign-in',
    signsIn: 'while enabled',
    target: 'policybindingmodel_ptr_id',
    order: ['slug', 'name'],
    page: { columns: ['name', 'slug', 'designation'] },
    search: ['name', 'slug', 'designation', 'title'],
    filters: { flow_uuid: keyFilter },
    fields: {
      policybindingmodel_ptr_id: uuid({ readOnly: true }),
      name: text({ filter: true, help: 'The name for administrators.' }),
      slug: slug({
        unique: 'Flow with this slug already exists.',
        filter: true,
        help: 'Part of the address of the flow’s page.',
      }),
      title: text({ help: 'The heading of the flow’s pages.' }),
      designation: choice(designations, {
        filter: true,
        help: 'What the flow is for; a brand picks its flows by this.',
      }),
      enabled: boolean({
        default: true,
        filter: true,
        limits: { only: 'superusers' },
        help: 'A flow that is turned off cannot be opened, whatever refers to it.',
      }),
      background: image(defaultBackground),
      stages: computed(arrayOf(uuidSchema), (row, dialect) =>
        dialect.jsonValues(
          sql`select fsb.stage from flow_stage_bindings fsb where fsb.target = ${row.col('pk')} order by fsb."order", fsb.pk`,
          'stage',
        ),
      ),
      policies: computed(arrayOf(uuidSchema), (row, dialect) =>
        dialect.jsonValues(
          sql`select pb.policy from policy_bindings pb
          where pb.target = ${row.col('policybindingmodel_ptr_id')} and pb.policy is not null order by pb."order", pb.pk`,
          'policy',
        ),
      ),
      policy_engine_mode: choice(policyEngineModes, {
        default: 'any',
        help: 'Whether one binding has to pass (any) or every one (all).',
      }),
      compatibility_mode: boolean({
        default: false,
        help: 'Kept for clients. Pages are always built so that password managers on phones find the fields.',
      }),
      layout: choice(flowLayouts, {
        default: 'stacked',
        help: 'The position of the form on the page.',
        isObvious: true,
      }),
      denied_action: choice(['message_continue', 'message', 'continue'], {
        default: 'message_continue',
        filter: true,
        help: 'What people see when the flow denies them access.',
      }),
      authentication: choice(authentications, {
        default: 'none',
        help: 'Who may begin the flow.',
      }),
    },
    derived: {
      // Plans are not cached; flows are (`cache_info`).
      cache_count: { schema: integerSchema, from: () => 0 },
      export_url: { schema: stringSchema, from: ({ slug }) => `/api/v3/flows/instances/${slug}/export/` },
    },
    views: {
      set: {
        schema: 'FlowSet',
        fields: [
          'pk',
          'policybindingmodel_ptr_id',
          'name',
          'slug',
          'title',
          'designation',
          'background',
          'policy_engine_mode',
          'compatibility_mode',
          'export_url',
          'layout',
          'denied_action',
        ],
      },
    },
    actions: [
      ...imageActions({ model: 'svc_flows.flow', column: 'background', field: 'background' }),
      ...flowActions(needs),
    ],
    afterWrite: (input) => releaseImage('background', input),
  });
}
