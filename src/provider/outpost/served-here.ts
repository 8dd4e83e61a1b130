import { type RawBuilder, sql } from 'kysely';

/** Marks the outpost that is this server itself. */
export const embeddedOutpost = 'gatehouse/outposts/embedded';

/** Whether an outpost lists a provider, and so serves it. */
export const isServedBySql = (provider: RawBuilder<unknown>, outpost: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql`exists (select 1 from outpost_providers op where op.provider = ${provider} and op.outpost = ${outpost})`;

/** The same for this server, where the outpost is null. */
export const isServedSql = (provider: RawBuilder<unknown>, outpost: string | null): RawBuilder<boolean> =>
  outpost === null ? isServedHereSql(provider) : isServedBySql(provider, sql`${outpost}`);

/**
 * Whether this server serves a provider: the embedded outpost lists it, or no outpost does. A provider that only other
 * outposts list is served by those alone.
 */
export const isServedHereSql = (provider: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql`(not exists (select 1 from outpost_providers op where op.provider = ${provider})
    or exists (select 1 from outpost_providers op join outposts o on o.pk = op.outpost
      where op.provider = ${provider} and o.managed = ${embeddedOutpost}))`;
