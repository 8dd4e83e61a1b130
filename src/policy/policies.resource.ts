import { sql } from 'kysely';
import { cacheActions } from '../resource/cache-actions.ts';
import { defineFamilyList } from '../resource/family.ts';
import { eitherFilter } from '../resource/list/filters.ts';
import type { Resource } from '../resource/resource.ts';
import type { PolicyEngine } from './engine.ts';
import { policyFamily } from './policy.family.ts';
import { tryPolicyAction } from './try-policy.ts';

export function policiesResource(engine: PolicyEngine): Resource {
  return defineFamilyList({
    family: policyFamily,
    path: '/policies/all/',
    param: 'policy_uuid',
    key: 'uuid',
    schema: 'Policy',
    names: ['Policy', 'Policies'],
    order: ['name'],
    page: { columns: ['name', 'verbose_name', 'bound_to'] },
    search: ['name'],
    filters: {
      bindings__isnull: eitherFilter(
        (row) => sql`not exists (select 1 from policy_bindings pb where pb.policy = ${row.col('pk')})`,
      ),
      promptstage__isnull: eitherFilter(
        (row) => sql`not exists (select 1 from policy_validations pv where pv.policy = ${row.col('pk')})`,
      ),
    },
    actions: [
      tryPolicyAction(engine),
      ...cacheActions(engine.cache, {
        of: 'policies',
        app: 'svc_policies',
        view: 'svc_policies.view_policy_cache',
        clear: 'svc_policies.clear_policy_cache',
      }),
    ],
  });
}
