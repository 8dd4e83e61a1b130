import { sql } from 'kysely';
import { arrayOf, stringSchema } from '../../resource/document/json-schema.ts';
import { computed } from '../../resource/fields/computed.ts';
import type { Field } from '../../resource/fields/field.ts';
import { embeddedOutpost } from './served-here.ts';

/** The names of the outposts that serve a provider. */
export const outpostNames: Field = computed(arrayOf(stringSchema), (row, dialect) =>
  dialect.jsonValues(
    sql`select o.name from outposts o where exists (select 1 from outpost_providers op
        where op.outpost = o.pk and op.provider = ${row.col('pk')})
      or o.managed = ${embeddedOutpost}
        and not exists (select 1 from outpost_providers op where op.provider = ${row.col('pk')}) order by o.name`,
    'name',
  ),
);
