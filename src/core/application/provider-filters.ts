import type { RawBuilder } from 'kysely';
import type { Dialect } from '../../platform/db/dialect.ts';
import type { Filter, FilterResult } from '../../resource/resource.ts';

/** A filter of applications by what their provider says. */
export interface ProviderFilter extends Pick<Filter, 'schema'> {
  condition(text: string, provider: RawBuilder<unknown>, dialect: Dialect): FilterResult;
}

export type ProviderFilters = Readonly<Record<string, ProviderFilter>>;

/** For administrators: whoever may use an application does not learn how its provider is set up. */
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
