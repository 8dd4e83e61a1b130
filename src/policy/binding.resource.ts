import { sql } from 'kysely';
import { defineResource } from '../resource/define.ts';
import { madeName, nested } from '../resource/fields/computed.ts';
import type { Row } from '../resource/fields/field.ts';
import { ref } from '../resource/fields/ref.ts';
import { boolean, integer } from '../resource/fields/scalar.ts';
import { isNullFilter } from '../resource/list/filters.ts';
import type { CheckInput, Resource } from '../resource/resource.ts';
import {
  bindingRights,
  boundObjects,
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
        protects: true,
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
        isObvious: true,
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
    wholesOf: boundObjects,
    async afterWrite({ verb, current, pk, isAlong = false, ...input }) {
      if (verb !== 'destroy' || !current) return;
      await checkMayChangeTarget(input, current.target);
      // A target without bindings is open to all users. A deleted user or group counts as a group without members.
      if (isAlong)
        await sql`update policy_bindings set "group" = null, "user" = null where pk = ${pk}`.execute(input.tx);
    },
  });

const bindable = ['policy', 'group', 'user'];
const namedBy = (values: Row): string[] => bindable.filter((name) => (values[name] ?? null) !== null);

/** Bindings control access to the target, so writing one requires permission to change the target. */
async function checkBinding(input: CheckInput) {
  const { values, given, current, isCopy, registry, tx } = input;
  const named = namedBy(values);
  if (named.length > 1) return { non_field_errors: ["Only one of 'policy', 'group' or 'user' can be set."] };
  // One whose group or user is gone may stay so.
  const isLeft = current ? namedBy(current).length === 0 : isCopy && bindable.every((name) => given.has(name));
  if (named.length === 0 && !isLeft) return { non_field_errors: ["One of 'policy', 'group' or 'user' must be set."] };
  if (current) await checkMayChangeTarget(input, current.target);
  if (!given.has('target')) return null;
  const key = String(values.target);
  values.target = await resolveTarget(key, registry, tx);
  if (values.target === null) return missingTarget(key);
  await checkMayChangeTarget(input, values.target, values.target !== current?.target);
  return null;
}
