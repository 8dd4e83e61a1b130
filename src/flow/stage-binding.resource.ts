import { sql } from 'kysely';
import { defineResource } from '../resource/define.ts';
import { arrayOf, uuidSchema } from '../resource/document/json-schema.ts';
import { madeName, nested } from '../resource/fields/computed.ts';
import { ref } from '../resource/fields/ref.ts';
import { boolean, canonicalUuid, integer, isUuid, uuid } from '../resource/fields/scalar.ts';
import { choice } from '../resource/fields/text.ts';
import { keyFilter } from '../resource/list/query.ts';
import type { Filter } from '../resource/resource.ts';
import { policyEngineModes } from './policy-engine-modes.ts';

const noEvaluation = 'Either evaluation on plan or evaluation on run must be enabled';

/** Binds a stage to a flow, at a position. Its policy bindings determine whether the stage is part of a plan. */
export const stageBindingResource = defineResource({
  path: '/flows/bindings/',
  param: 'fsb_uuid',
  key: 'uuid',
  model: 'svc_flows.flowstagebinding',
  schema: 'FlowStageBinding',
  names: ['Flow Stage Binding', 'Flow Stage Bindings'],
  table: 'flow_stage_bindings',
  reaches: 'sign-in',
  target: 'policybindingmodel_ptr_id',
  order: ['target', 'order'],
  page: {
    columns: ['stage', 'target', 'order', 'evaluate_on_plan', 're_evaluate_policies'],
    notInSearch: 'It has no name; the page of its flow shows it.',
  },
  search: ['stage.name'],
  filters: { fsb_uuid: keyFilter, pbm_uuid: targetFilter(), policies: policiesFilter() },
  nameOf: ({ named }) => named,
  fields: {
    named: madeName(
      (row) => sql`(select f.slug from flows f where f.pk = ${row.col('target')}) || ' › '
        || (select s.name from stages s where s.pk = ${row.col('stage')}) || ' (' || ${row.col('order')} || ')'`,
    ),
    policybindingmodel_ptr_id: uuid({ readOnly: true }),
    target: ref('svc_flows.flow', 'uuid', {
      filter: true,
      needs: 'change',
      partOf: true,
      help: 'The flow that the stage is part of.',
    }),
    stage: ref('svc_flows.stage', 'uuid', { filter: true, needs: 'view', help: 'The stage to show.' }),
    stage_obj: nested('svc_flows.stage', 'stage'),
    evaluate_on_plan: boolean({
      default: false,
      filter: true,
      help: 'Evaluate the bound policies once, when the flow begins.',
    }),
    re_evaluate_policies: boolean({
      default: true,
      filter: true,
      help: 'Evaluate the bound policies when a user reaches this step.',
    }),
    order: integer({ filter: true, help: 'Stages come from the lowest number up.' }),
    policy_engine_mode: choice(policyEngineModes, {
      default: 'any',
      filter: true,
      help: 'Whether one binding has to pass (any) or every one (all).',
    }),
    invalid_response_action: choice(['retry', 'restart', 'restart_with_context'], {
      default: 'retry',
      filter: true,
      help: 'What happens after a wrong answer: ask again, restart the flow, or restart it with the data collected so far.',
    }),
  },
  check: ({ values }) =>
    values.evaluate_on_plan || values.re_evaluate_policies ? null : { non_field_errors: [noEvaluation] },
});

/** Filters by the key that policy bindings store for the row. */
function targetFilter(): Filter {
  return {
    schema: uuidSchema,
    condition({ texts, row }) {
      const text = texts.at(-1) ?? '';
      if (!isUuid(text)) return { complaint: 'Enter a valid UUID.' };
      return sql`${row.col('policybindingmodel_ptr_id')} = ${canonicalUuid(text)}`;
    },
  };
}

/** Matches rows to which any of these policies is bound. */
function policiesFilter(): Filter {
  return {
    schema: arrayOf(uuidSchema),
    many: true,
    async condition({ texts, row, call }) {
      const malformed = texts.find((text) => !isUuid(text));
      if (malformed !== undefined) return { complaint: `“${malformed}” is not a valid UUID.` };
      const keys = texts.map(canonicalUuid);
      const { rows } = await sql<{ pk: string }>`select pk from policies where pk in (${sql.join(keys)})`.execute(
        call.db.read,
      );
      const existing = new Set(rows.map(({ pk }) => pk));
      const unknown = keys.find((key) => !existing.has(key));
      if (unknown !== undefined) {
        return { complaint: `Select a valid choice. ${unknown} is not one of the available choices.` };
      }
      return sql`${row.col('policybindingmodel_ptr_id')} in (select pb.target from policy_bindings pb where pb.policy in (${sql.join(keys)}))`;
    },
  };
}
