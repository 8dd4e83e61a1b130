import type { RawBuilder } from 'kysely';
import type { Dialect } from '../../platform/db/dialect.ts';
import type { Filter, FilterResult } from '../../resource/resource.ts';

/** A filter of applications by a value of their provider. */
export interface ProviderFilter extends Pick<Filter, 'schema'> {
  condition(text: string, provider: RawBuilder<unknown>, dialect: Dialect): FilterResult;
}

export type ProviderFilters = Readonly<Record<string, ProviderFilter>>;

/** For administrators: users of an application must not learn how its provider is configured. */
export const filtersByProvider = (filters: ProviderFilters): Record<string, Filter> =>
  Object.fromEntries(
    Object.entries(filters).map(([name, { condition, ...rest }]): [string, Filter] => [
      name,
      {
        ...rest,
        condition: ({ texts, row, dialect, call }) =>
          call.actor?.holds('svc_core.view_provider')
            ? condition(texts.at(-1) ?? '', row.col('provider'), dialect)
            : { complaint: 'To filter by this takes the right to view providers.' },
      },
    ]),
  );
