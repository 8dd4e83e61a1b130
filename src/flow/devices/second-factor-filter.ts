import { sql } from 'kysely';
import { eitherFilter } from '../../resource/list/filters.ts';
import type { Filter } from '../../resource/resource.ts';

const permission = 'svc_core.reset_user_second_factors';
const either = eitherFilter(
  (row) => sql`exists (select 1 from devices d where d."user" = ${row.col('pk')} and d.confirmed)`,
);

/** Users by whether they have a device. Who lacks one is of use to attackers, so the filter takes a permission. */
export const secondFactorFilter: Filter = {
  ...either,
  condition(input) {
    if (!input.call.actor?.holds(permission)) return { complaint: `You need the permission ${permission}.` };
    return either.condition(input);
  },
};
