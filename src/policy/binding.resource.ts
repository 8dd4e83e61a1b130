import { sql } from 'kysely';
import type { Query } from '../platform/db/database.ts';
import { defineResource } from '../resource/define.ts';
import { ref } from '../resource/fields/ref.ts';
import { boolean, integer } from '../resource/fields/scalar.ts';
import { madeName, nested } from '../resource/fields/shown.ts';
import { isNullFilter } from '../resource/filters.ts';
import type { CheckInput, Resource } from '../resource/resource.ts';
import {
  bindingRights,
  checkMayChangeTarget,
  missingTarget,
  type Resources,
  resolveTarget,
  targetField,
  targetFilter,
  targetName,
} from './target.ts';

/** Binds a policy, a group or a user to a target. */
export const bindingResource = (resources: Resources): Resource =>
  defineResource({
    path: '/policies/bindings/',
    param: 'policy_binding_uuid',
    key: 'uuid',
    model: 'svc_policies.policybinding',
    schema: 'PolicyBinding',
    names: ['Policy Binding', 'Policy Bindings'],
    table: 'policy_bindings',
    order: ['order'],
    page: {
      columns: ['target', 'policy', 'group', 'user', 'order', 'enabled'],
      notInSearch: 'It has no name; the page of its target shows it.',
    },
    search: ['policy.name'],
    filters: {
      policy__isnull: isNullFilter('policy'),
      target: targetFilter(false),
      target_in: targetFilter(true),
    },
    nameOf: ({ named }) => named,
    fields: {
      named: madeName(
        (row, dialect) => sql`${targetName(row, resources, dialect)} || ' › ' || coalesce(
          (select p.name from policies p where p.pk = ${row.col('policy')}),
          (select g.name from groups g where g.pk = ${row.col('group')}),
          (select u.username from users u where u.pk = ${row.col('user')}), '–') || ' (' || ${row.col('order')} || ')'`,
      ),
      // A PUT with one of the three unsets the others.
      policy: ref('svc_policies.policy', 'uuid', {
        nullable: true,
        needs: 'view',
        filter: true,
        resetOnPut: true,
        cascades: true,
        help: 'The policy to evaluate. Give a policy, a group or a user.',
      }),
      group: ref('svc_core.group', 'uuid', {
        nullable: true,
        needs: 'view',
        resetOnPut: true,
        outlives: true,
        help: 'The group whose members pass.',
      }),
      user: ref('svc_core.user', 'int', {
        nullable: true,
        needs: 'view',
        resetOnPut: true,
        outlives: true,
        help: 'The user who passes.',
      }),
      policy_obj: nested('svc_policies.policy', 'policy'),
      group_obj: nested('svc_core.group', 'group'),
      user_obj: nested('svc_core.user', 'user'),
      target: targetField(resources),
      negate: boolean({ default: false, help: 'Invert the decision; its messages stay.' }),
      enabled: boolean({ default: true, filter: true, help: 'Turn off to leave the binding out without deleting it.' }),
      order: integer({ filter: true, help: 'Bindings are evaluated from the lowest number up.' }),
      timeout: integer({
        default: 30,
        min: 0,
        filter: true,
        help: 'Seconds after which the evaluation is stopped. Zero sets no limit.',
      }),
      failure_result: boolean({ default: false, help: 'The result if the policy fails or times out.' }),
    },
    check: checkBinding,
    rightsOf: bindingRights,
    async afterWrite({ verb, current, pk, isAlong = false, ...input }) {
      if (verb !== 'destroy' || !current) return;
      await checkMayChangeTarget(input, current.target);
      if (isAlong) await outlive(input.tx, pk);
    },
  });

/**
 * A target without bindings is open to everybody, so a binding outlives the group or user that it names: what is deleted counts as
 * a group without members. Policies, which only superusers delete, take their bindings with them, except from applications:
 * nobody knows what a deleted policy would say, so nobody passes.
 */
async function outlive(tx: Query, binding: string): Promise<void> {
  await sql`update policy_bindings set negate = negate and policy is null, policy = null, "group" = null, "user" = null
    where pk = ${binding} and (policy is null or (enabled and target in (select pk from applications)))`.execute(tx);
}

/** Bindings decide who may use the target: writing one requires permission to change the target. */
async function checkBinding(input: CheckInput) {
  const { values, given, current, registry, tx } = input;
  const named = ['policy', 'group', 'user'].filter((name) => values[name] !== null && values[name] !== undefined);
  if (named.length > 1) return { non_field_errors: ["Only one of 'policy', 'group' or 'user' can be set."] };
  if (named.length === 0) return { non_field_errors: ["One of 'policy', 'group' or 'user' must be set."] };
  if (current) await checkMayChangeTarget(input, current.target);
  if (!given.has('target')) return null;
  const key = String(values.target);
  values.target = await resolveTarget(key, registry, tx);
  if (values.target === null) return missingTarget(key);
  await checkMayChangeTarget(input, values.target, values.target !== current?.target);
  return null;
}
