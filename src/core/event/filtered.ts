import { readList } from '../../platform/db/read-list.ts';
import { visibleRows } from '../../resource/access.ts';
import { readBy } from '../../resource/call.ts';
import { isCountedBy } from '../../resource/counted.ts';
import { arrayOf, type JsonSchema, stringSchema, timeSchema } from '../../resource/json-schema.ts';
import { filterConditions } from '../../resource/query.ts';
import type { ActionInput, Resource } from '../../resource/resource.ts';
import { searchConditions } from '../../resource/search-conditions.ts';
import { narrowTerms, searchTerms } from '../../resource/search-terms.ts';
import type { Counting } from './chart.ts';

export const eventModel = 'svc_events.event';

type Input = Pick<ActionInput, 'call' | 'registry'>;
export type Filtered = Omit<Counting, 'span'>;

/** The query parameters that the list, the facets and the export share. */
export const eventParameters: Readonly<Record<string, JsonSchema>> = {
  ...Object.fromEntries(
    [
      ...['action', 'brand_name', 'client_ip', 'context_authorized_app', 'context_model_app', 'context_model_name'],
      ...['context_model_pk', 'search', 'username'],
    ].map((name) => [name, stringSchema]),
  ),
  actions: arrayOf(stringSchema),
  created__gte: timeSchema,
  created__lt: timeSchema,
};

/** The conditions of the caller's filters and rights, as the list applies them. */
export async function eventConditions({ call, registry }: Input) {
  const resource = registry.require(eventModel);
  const visible = await visibleRows(resource, call, registry);
  const others = [...(visible ? [visible] : []), ...(await filterConditions(resource, call, registry))];
  const { conditions, isByIndex } = await searched({ call, registry }, resource);
  return {
    conditions: [...others, ...conditions],
    /** Whether no index leads to them, so that each event is read. */
    isSlow: others.length === 0 && !isByIndex,
  };
}

/** The conditions of a search. `isByIndex` is false if each event has to be compared with its terms. */
async function searched({ call, registry }: Input, resource: Resource) {
  if (searchTerms(resource, call).length === 0) return { conditions: [], isByIndex: true };
  const indexed = await readList(call.db, (read) => narrowTerms(resource, readBy(call, read)));
  return { conditions: searchConditions(resource, call, registry, { indexed }), isByIndex: indexed.length > 0 };
}

/** Events by other conditions, as far as the caller may see them. `isCounted` says whether these name `t.action` alone. */
export async function visibleEvents({ call, registry }: Input, { conditions, isCounted }: Filtered): Promise<Filtered> {
  const visible = await visibleRows(registry.require(eventModel), call, registry);
  return visible ? { conditions: [visible, ...conditions], isCounted: false } : { conditions, isCounted };
}

/** The caller's filters for a chart. */
export async function filteredEvents({ call, registry }: Input): Promise<Filtered> {
  const resource = registry.require(eventModel);
  const filters = await filterConditions(resource, call, registry);
  const { conditions, isByIndex } = await searched({ call, registry }, resource);
  const seen = await visibleEvents(
    { call, registry },
    {
      conditions: [...filters, ...conditions],
      isCounted: conditions.length === 0 && isCountedBy(resource, call.request.query),
    },
  );
  return { ...seen, isSlow: filters.length === 0 && !isByIndex };
}
