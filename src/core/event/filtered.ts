import type { RawBuilder } from 'kysely';
import { parseTimestamp } from '../../platform/clock.ts';
import { readList } from '../../platform/db/read-list.ts';
import { visibleRows } from '../../resource/access/access.ts';
import { readBy } from '../../resource/call.ts';
import { arrayOf, type JsonSchema, stringSchema, timeSchema } from '../../resource/document/json-schema.ts';
import { filterConditions } from '../../resource/list/query.ts';
import { findBySearch } from '../../resource/list/search.ts';
import type { ActionInput, Resource } from '../../resource/resource.ts';
import type { Counting } from './rollup.ts';

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

/** The filters that the roll-up knows. */
const rolledUpFilters: readonly string[] = ['action', 'actions', 'context_authorized_app'];

/** The conditions of the caller's filters and rights, as the list applies them. */
export async function eventConditions({ call, registry }: Input): Promise<readonly RawBuilder<unknown>[]> {
  const resource = registry.require(eventModel);
  const visible = await visibleRows(resource, call, registry);
  const filters = await filterConditions(resource, call, registry);
  return [...(visible ? [visible] : []), ...filters, ...(await searched({ call, registry }, resource))];
}

const searched = ({ call, registry }: Input, resource: Resource) =>
  readList(call.db, async (read) => (await findBySearch(resource, readBy(call, read), registry)).conditions);

/** Events by other conditions, as far as the caller may see them. */
export async function visibleEvents({ call, registry }: Input, filtered: Filtered): Promise<Filtered> {
  const visible = await visibleRows(registry.require(eventModel), call, registry);
  return visible ? { conditions: [visible, ...filtered.conditions], isRolledUp: false } : filtered;
}

/** The caller's filters for a chart. */
export async function filteredEvents({ call, registry }: Input): Promise<Filtered> {
  const resource = registry.require(eventModel);
  const filters = await filterConditions(resource, call, registry);
  const words = await searched({ call, registry }, resource);
  const { query } = call.request;
  const others = Object.keys(resource.filterTable).filter((name) => !rolledUpFilters.includes(name) && query.has(name));
  return visibleEvents(
    { call, registry },
    { conditions: [...filters, ...words], isRolledUp: words.length === 0 && others.length === 0 },
  );
}

/** As filters read it: the last that is given. */
export const givenMoment = (query: URLSearchParams, name: string): string | undefined =>
  readMoment(
    query
      .getAll(name)
      .map((text) => text.trim())
      .filter(Boolean)
      .at(-1),
  ) ?? undefined;

/** A plus sign in a query is a space. */
export const readMoment = (text = ''): string | null => parseTimestamp(text.replace(' ', '+'));
