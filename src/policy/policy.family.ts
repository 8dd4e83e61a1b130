import { sql } from 'kysely';
import { defineResource } from '../resource/define.ts';
import { integerSchema } from '../resource/document/json-schema.ts';
import { computed } from '../resource/fields/computed.ts';
import { type Fields, hidden } from '../resource/fields/field.ts';
import { boolean, time } from '../resource/fields/scalar.ts';
import { text } from '../resource/fields/text.ts';
import { keyFilter } from '../resource/list/query.ts';
import type { NoFields, StoredRow } from '../resource/read/stored-row.ts';
import type { Family, KindDeclaration, Resource } from '../resource/resource.ts';

/** The members common to all policies. */
export const policyFamily = {
  model: 'svc_policies.policy',
  table: 'policies',
  reaches: 'sign-in',
  fields: {
    name: text({
      unique: 'Policy with this name already exists.',
      filter: true,
      help: 'The name of the policy; unique.',
      isObvious: true,
    }),
    execution_logging: boolean({
      default: false,
      filter: true,
      help: 'Record every decision of this policy, not only those that failed.',
    }),
    created: time({ ...hidden, filter: true, default: (call) => call.now }),
    last_updated: time({ ...hidden, filter: true, onWrite: (call) => call.now }),
    bound_to: computed(
      integerSchema,
      // What refers to the policy: bindings, including disabled ones, and prompt stages that validate by it.
      (row) => sql`((select count(*) from policy_bindings pb where pb.policy = ${row.col('pk')})
        + (select count(*) from policy_validations pv where pv.policy = ${row.col('pk')}))`,
    ),
  },
} satisfies Family;

type PolicyFields = typeof policyFamily.fields;

/** The settings common to all policies. */
export type PolicySettings = StoredRow<PolicyFields, NoFields, 'uuid'>;

/** A kind of policy: its own fields on top of the family's. */
export function definePolicy<F extends Fields>(
  kind: KindDeclaration<F, PolicyFields>,
): Resource<StoredRow<F, PolicyFields, 'uuid'>> {
  return defineResource({
    param: 'policy_uuid',
    key: 'uuid',
    family: policyFamily,
    order: ['name'],
    search: ['name'],
    ...kind,
    filters: { policy_uuid: keyFilter, ...kind.filters },
  });
}
