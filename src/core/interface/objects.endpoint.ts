import { type RawBuilder, sql } from 'kysely';
import { Invalid } from '../../lib/problem.ts';
import { readList } from '../../platform/db/read-list.ts';
import { visibleOrNone } from '../../resource/access.ts';
import { type Call, readBy, requireActor } from '../../resource/call.ts';
import { defineEndpoint, type Endpoint, type EndpointInput } from '../../resource/endpoint.ts';
import { arrayOf, stringSchema } from '../../resource/json-schema.ts';
import type { NamedObject, ReadNames } from '../../resource/names.ts';
import { orderBy } from '../../resource/query.ts';
import { parseKey } from '../../resource/read.ts';
import type { Engine, Resource } from '../../resource/resource.ts';
import { searchConditions } from '../../resource/search-conditions.ts';
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
  const found: NamedObject[] = [];
  for (const [resource, keys] of hits) {
    const condition = sql`${resource.row().col('pk')} in (${sql.join(keys)})`;
    const named = await readNames(resource, call, condition, limit);
    const place = new Map(keys.map((key, at) => [String(key), at]));
    found.push(...named.sort((one, other) => (place.get(one.pk) ?? 0) - (place.get(other.pk) ?? 0)));
  }
  return model ? found : nearestFirst(found, words);
}

/** Exact matches first, then prefixes, then the rest. */
function nearestFirst(found: readonly NamedObject[], words: string): NamedObject[] {
  const term = words.toLowerCase();
  const rank = ({ name }: NamedObject) => {
    const text = name.toLowerCase();
    if (text === term) return 0;
    return text.startsWith(term) ? 1 : 2;
  };
  return found.toSorted((one, other) => rank(one) - rank(other));
}

/** Finds the keys by resource, in one statement over all of them. */
async function findKeys(
  resources: readonly Resource[],
  limit: number,
  call: Call,
  engine: Engine,
): Promise<Map<Resource, (string | number)[]>> {
  const { registry } = engine;
  const seen: Seen[] = [];
  for (const resource of resources) {
    const visible = await visibleOrNone(resource, call, registry);
    if (visible !== 'none') seen.push({ resource, conditions: visible ? [visible] : [] });
  }
  const found = new Map<Resource, (string | number)[]>();
  if (seen.length === 0) return found;
  const rows = await readList(call.db, (read) => readKeys(seen, limit, readBy(call, read), engine));
  for (const { part, pk } of rows) {
    const resource = seen[Number(part)]?.resource;
    const key = resource && parseKey(resource, pk);
    if (resource && key !== null && key !== undefined) found.set(resource, [...(found.get(resource) ?? []), key]);
  }
  return found;
}

/** What the caller may see of a resource. */
interface Seen {
  readonly resource: Resource;
  readonly conditions: readonly RawBuilder<unknown>[];
}

async function readKeys(seen: readonly Seen[], limit: number, call: Call, { registry, search }: Engine) {
  const parts: RawBuilder<unknown>[] = [];
  for (const [at, { resource, conditions: visible }] of seen.entries()) {
    const conditions = [...visible, ...searchConditions(resource, call, registry)];
    const isLarge = resource.counted !== undefined && conditions.length > visible.length;
    const plain = conditions.length > 0 ? sql`where ${sql.join(conditions, sql` and `)}` : sql``;
    const where = isLarge ? (await search(resource, call, visible)).where : plain;
    const key = call.db.dialect.toText(resource.row().col('pk'));
    parts.push(sql`select * from (select ${sql.lit(at)} as part, ${key} as pk from ${resource.from()} ${where}
      order by ${orderBy(resource, call, registry)} limit ${limit}) as found_${sql.raw(String(at))}`);
  }
  const { rows } = await sql<{ part: number; pk: string }>`${sql.join(parts, sql` union all `)}`.execute(call.db.read);
  return rows;
}
