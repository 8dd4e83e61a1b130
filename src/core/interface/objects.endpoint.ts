import { type RawBuilder, sql } from 'kysely';
import { Invalid } from '../../lib/problem.ts';
import { readList } from '../../platform/db/read-list.ts';
import { visibleOrNone } from '../../resource/access/access.ts';
import { type Call, readBy, requireActor } from '../../resource/call.ts';
import { arrayOf, stringSchema } from '../../resource/document/json-schema.ts';
import type { NamedObject, ReadNames } from '../../resource/document/names.ts';
import { defineEndpoint, type Endpoint, type EndpointInput } from '../../resource/endpoint.ts';
import { whereAll } from '../../resource/list/list.ts';
import { nearByIndex, nearnessOf } from '../../resource/list/nearness.ts';
import { orderBy } from '../../resource/list/query.ts';
import { findBySearch } from '../../resource/list/search.ts';
import { parseKey } from '../../resource/read/read.ts';
import type { Engine, Resource } from '../../resource/resource.ts';
import { maxKeys, type NameReaders, namedObjectSchema, resourcesOf } from './named-objects.ts';
import { searchedResources } from './search-scope.ts';

const maxOfOneModel = 20;
const maxOfEachModel = 5;

/** Finds objects of all kinds by name or key: for search, for pickers, and for the names of references. */
export const objectsEndpoint = ({ readNames, readByKeys }: NameReaders): Endpoint =>
  defineEndpoint({
    id: 'admin_objects_list',
    method: 'GET',
    path: '/admin/objects/',
    summary: 'Find objects of all kinds by name or by key',
    access: 'authenticated',
    query: [
      {
        name: 'search',
        schema: stringSchema,
        description: 'Words that must all be found in the searched members of an object.',
      },
      {
        name: 'model',
        schema: stringSchema,
        description: `Look only at this model: the first ${maxOfOneModel} objects then come without a search too.`,
      },
      {
        name: 'keys',
        schema: arrayOf(stringSchema),
        description: `Instead of a search: keys of objects, as \`model:key,key\`; ${maxKeys} at most in all.`,
      },
    ],
    answer: {
      status: 200,
      schema: arrayOf(namedObjectSchema),
    },
    async run({ call, engine }) {
      const keys = call.request.query.getAll('keys').filter(Boolean);
      return keys.length > 0
        ? readByKeys(parsedKeys(keys), call, engine)
        : bySearch(readNames(engine), { call, engine });
    },
  });

type Input = Pick<EndpointInput, 'call' | 'engine'>;

/** `model:key,key` */
function parsedKeys(texts: readonly string[]): [model: string, keys: string[]][] {
  const requested = texts.map((text): [string, string[]] => {
    const [model = '', list = ''] = text.split(':', 2);
    return [model, list.split(',').filter(Boolean)];
  });
  if (requested.reduce((sum, [, keys]) => sum + keys.length, 0) > maxKeys)
    throw Invalid.field('keys', `Ask for at most ${maxKeys} objects at once.`);
  return requested;
}

async function bySearch(readNames: ReadNames, { call, engine }: Input): Promise<NamedObject[]> {
  const { query } = call.request;
  const model = query.get('model');
  const words = (query.get('search') ?? '').trim();
  if (!model && words === '') return [];
  const { registry } = engine;
  const resources = model ? resourcesOf(model, registry, 'model') : searchedResources(registry, requireActor(call));
  const limit = model ? maxOfOneModel : maxOfEachModel;
  const hits = await findKeys(resources, limit, call, engine);
  const found: { readonly nearness: number; readonly object: NamedObject }[] = [];
  for (const [resource, near] of hits) {
    const condition = sql`${resource.row().col('pk')} in (${sql.join([...near.keys()])})`;
    const named = await readNames(resource, call, condition, near.size);
    const place = new Map([...near.keys()].map((key, at) => [String(key), at]));
    const inOrder = named.sort((one, other) => (place.get(one.pk) ?? 0) - (place.get(other.pk) ?? 0));
    const nearness = new Map([...near].map(([key, found]) => [String(key), found]));
    found.push(...inOrder.map((object) => ({ object, nearness: nearness.get(object.pk) ?? 0 })));
  }
  return found.sort((one, other) => one.nearness - other.nearness).map(({ object }) => object);
}

/** Keys and how near they are to what is searched for, the nearest first. */
type Near = ReadonlyMap<string | number, number>;

/** Finds the keys by resource, in one statement over all of them. */
async function findKeys(
  resources: readonly Resource[],
  limit: number,
  call: Call,
  engine: Engine,
): Promise<Map<Resource, Near>> {
  const { registry } = engine;
  const seen: Seen[] = [];
  for (const resource of resources) {
    const visible = await visibleOrNone(resource, call, registry);
    if (visible !== 'none') seen.push({ resource, conditions: visible ? [visible] : [] });
  }
  if (seen.length === 0) return new Map();
  const rows = await readList(call.db, (read) => readKeys(seen, limit, readBy(call, read), engine));
  const found = new Map<Resource, Near>();
  for (const [part, { resource }] of seen.entries()) {
    const ofPart = rows.filter((row) => Number(row.part) === part).toSorted((one, other) => one.near - other.near);
    const keys = ofPart.flatMap(({ pk, near }) => {
      const key = parseKey(resource, pk);
      return key === null ? [] : [[key, near] as const];
    });
    const nearest = [...new Map(keys)].slice(0, limit);
    if (nearest.length > 0) found.set(resource, new Map(nearest));
  }
  return found;
}

/** What the caller may see of a resource. */
interface Seen {
  readonly resource: Resource;
  readonly conditions: readonly RawBuilder<unknown>[];
}

async function readKeys(seen: readonly Seen[], limit: number, call: Call, { registry }: Engine) {
  const parts: RawBuilder<unknown>[] = [];
  for (const [at, { resource, conditions: visible }] of seen.entries()) {
    const key = call.db.dialect.toText(resource.row().col('pk'));
    const add = (where: RawBuilder<unknown>, order: RawBuilder<unknown>) =>
      parts.push(sql`select * from (select ${sql.lit(at)} as part, ${key} as pk, ${nearnessOf(resource, call)} as near
        from ${resource.from()} ${where} order by ${order} limit ${limit}) as found_${sql.raw(String(parts.length))}`);
    const found = (await findBySearch(resource, call, registry)).conditions;
    const where = whereAll([...visible, ...found]);
    const usual = orderBy(resource, call, registry);
    if (resource.hasSearchIndex && found.length > 0) {
      // A frequent word leads to too many rows to order them by nearness.
      for (const { where, order } of nearByIndex(resource, call))
        add(sql`where ${sql.join([...visible, where], sql` and `)}`, order);
      add(where, usual);
    } else {
      add(where, sql`near, ${usual}`);
    }
  }
  const found = sql<{ part: number; pk: string; near: number }>`${sql.join(parts, sql` union all `)}`;
  return (await found.execute(call.db.read)).rows;
}
