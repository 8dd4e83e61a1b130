import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Row } from '../../src/resource/fields/field.ts';
import { isRef } from '../../src/resource/fields/ref.ts';
import { keyFilter } from '../../src/resource/list/query.ts';
import type { Resource } from '../../src/resource/resource.ts';
import type { Api } from '../support/api.ts';
import { describeEveryResource, type ResourceGround } from './every-resource.ts';
import type { Sample } from './maker.ts';
import { specialFilters, unsearchedFields } from './special-filters.ts';

const known = new WeakMap<object, Map<string, Promise<Sample[]>>>();

/** Three objects of the resource, made once for all tests of a server. */
function samplesOf({ server, resource, make }: ResourceGround): Promise<Sample[]> {
  const bySever = known.get(server) ?? new Map<string, Promise<Sample[]>>();
  known.set(server, bySever);
  let samples = bySever.get(resource.path);
  if (!samples) {
    samples = (async () => [await make(resource.model), await make(resource.model), await make(resource.model)])();
    bySever.set(resource.path, samples);
  }
  return samples;
}

const everything = 'page_size=10000';

async function listed(api: Api, resource: Resource, query: string): Promise<Row[]> {
  const answer = await api.get(`${resource.path}?${query}`);
  if (answer.status !== 200) throw new Error(`${resource.path}?${query}: ${answer.status} ${answer.text}`);
  return answer.body.results;
}

/** A column of a row of the resource, as it is stored; of the object it refers to when the name goes on after `__`. */
async function storedValue(ground: ResourceGround, resource: Resource, pk: unknown, name: string): Promise<unknown> {
  const [first = '', second] = name.split('__');
  const field = resource.allFields[first];
  if (second !== undefined) {
    if (!field || !isRef(field) || field.kind === 'refs') return undefined;
    const key = await storedValue(ground, resource, pk, first);
    const target = ground.server.app.engine.registry.require(field.model);
    const keyNames = ['id', 'pk', target.keyName, ...(target.lookup === 'pk' ? [target.param] : [])];
    return keyNames.includes(second) ? key : storedValue(ground, target, key, second);
  }
  if (!field || (field.storage.in !== 'column' && !isRef(field))) return undefined;
  const { db } = ground.server.world;
  if (field.storage.in === 'join') {
    const { table, own, other } = field.storage.join;
    const pairs = await sql<{ value: unknown }>`select ${sql.ref(other)} as value from ${sql.table(table)}
      where ${sql.ref(own)} = ${pk} limit 1`.execute(db.read);
    return pairs.rows[0]?.value;
  }
  const row = resource.row();
  const { rows } = await sql<{ value: unknown }>`select ${row.col(first)} as value from ${resource.from()}
    where ${row.col('pk')} = ${pk}`.execute(db.read);
  const value = rows[0]?.value;
  return field.kind === 'boolean' ? value === true || value === 1 : value;
}

const shownKey = ({ resource: { keyName }, pk, path }: Sample) =>
  keyName ? pk : decodeURIComponent(path.split('/').at(-2) ?? '');

const hasList = ({ verbs }: Resource) => verbs.includes('list');

describeEveryResource(
  'lists',
  (ground, { allFields, filterTable, search = [] }, testEngine) => {
    const orderable = Object.entries(allFields).filter(([, field]) => field.orderable && !field.writeOnly);
    const ordering = orderable.length > 0 ? test : () => {};
    const filtering = Object.keys(filterTable).length > 0 ? test : () => {};

    filtering('every filter keeps matching objects and drops all others', async () => {
      const here = ground();
      const { resource, admin } = here;
      const [sample, other] = (await samplesOf(here)) as [Sample, Sample];
      const untried: string[] = [];
      for (const [name, filter] of Object.entries(resource.filterTable)) {
        const askedFor = async ({ pk }: Sample) => {
          if (filter === keyFilter) return pk;
          const stored = await storedValue(here, resource, pk, name.replace(/__(in|exact|isnull)$/, ''));
          return name.endsWith('__isnull') && stored !== undefined ? stored === null : stored;
        };
        const [value, otherValue] = [await askedFor(sample), await askedFor(other)];
        if (value === undefined || value === null || value === '') {
          untried.push(name);
          continue;
        }
        const rows = await listed(admin, resource, `${name}=${encodeURIComponent(String(value))}&${everything}`);
        const keys = rows.map((row) => row[resource.keyName ?? resource.lookup]);
        expect([name, keys.includes(shownKey(sample))]).toEqual([name, true]);
        expect([name, keys.includes(shownKey(other))]).toEqual([name, value === otherValue]);
      }
      expect(untried.sort()).toEqual([...(specialFilters[resource.path] ?? [])].sort());
    });

    filtering('an invalid filter value is refused with a 400 that names the filter', async () => {
      const { resource, admin } = ground();
      for (const [name, { schema }] of Object.entries(resource.filterTable)) {
        const item = schema.items ?? schema;
        const isClosed = item.enum || item.format === 'uuid' || item.format === 'date-time' || item.type === 'integer';
        const answer = await admin.get(`${resource.path}?${name}=no%20such%20value`);
        if (resource.allFields[name]?.filter && isClosed) expect([name, answer.status]).toEqual([name, 400]);
        if (answer.status === 400) expect(answer.body).toEqual({ [name]: [expect.any(String)] });
        else expect([name, answer.status]).toEqual([name, 200]);
        const nul = await admin.get(`${resource.path}?${name}=a%00b`);
        expect([200, 400]).toContain(nul.status);
      }
    });

    testEngine('an empty filter, an unknown parameter and an unknown ordering are ignored', async () => {
      const here = ground();
      const { resource, admin } = here;
      await samplesOf(here);
      const plain = await listed(admin, resource, everything);
      const empty = Object.keys(resource.filterTable).map((name) => `${name}=`);
      const hidden = Object.entries(resource.allFields).filter(([, { orderable }]) => !orderable);
      for (const query of [
        empty.join('&'),
        'no_such_parameter=1',
        'ordering=no_such_field',
        'ordering=(select%201)',
        'ordering=pk%3Bdrop%20table%20users',
        'ordering=,-,,',
        `ordering=${hidden.map(([name]) => name).join(',')}`,
      ]) {
        expect([query, await listed(admin, resource, `${query}&${everything}`)]).toEqual([query, plain]);
      }
    });

    ordering('can be ordered by every orderable field, ascending and descending', async () => {
      const here = ground();
      const { resource, admin } = here;
      await samplesOf(here);
      for (const [name, field] of orderable) {
        const values = async (order: string) =>
          (await listed(admin, resource, `ordering=${order}&${everything}`)).map((row) => row[name]);
        const ascending = await values(name);
        expect([name, (await values(`-${name}`)).reverse()]).toEqual([name, ascending]);
        if (field.kind === 'integer') expect([name, ascending]).toEqual([name, sortedNumbers(ascending)]);
      }
    });

    const searching = search.length > 0 ? test : () => {};
    searching('find an object by a word of each searchable field', async () => {
      const here = ground();
      const { resource, admin } = here;
      const [sample] = (await samplesOf(here)) as [Sample];
      const untried: string[] = [];
      for (const path of resource.search ?? []) {
        const value = await storedValue(here, resource, sample.pk, path.replaceAll('.', '__'));
        // A moment is searched by its date: its time is written differently in the two databases.
        const word = String(value ?? '')
          .replace(/T\d\d:.*Z$/, '')
          .split(/[\s,]+/)
          .at(-1);
        if (!word) {
          untried.push(path);
          continue;
        }
        const found = await listed(admin, resource, `search=${encodeURIComponent(word.toUpperCase())}&${everything}`);
        const keys = found.map((row) => row[resource.keyName ?? resource.lookup]);
        expect([path, word, keys.includes(shownKey(sample))]).toEqual([path, word, true]);
      }
      expect(untried).toEqual(unsearchedFields[resource.path] ?? []);
      expect(await listed(admin, resource, 'search=nothing%20is%20called%20quite%20like%20this')).toEqual([]);
      expect((await admin.get(`${resource.path}?search=%00`)).status).toBe(200);
      expect((await admin.get(`${resource.path}?search=%25_%5C%22%27`)).status).toBe(200);
    });

    testEngine('are paginated as documented, and a page that does not exist gives 404', async () => {
      const here = ground();
      const { resource, admin } = here;
      await samplesOf(here);
      const { pagination, results } = (await admin.get(`${resource.path}?${everything}`)).body;
      const { count } = pagination;
      expect(results.length).toBe(count);
      const page = async (query: string) => (await admin.get(`${resource.path}?${query}`)).body;
      const second = await page('page_size=2&page=2');
      expect(second.results).toEqual(results.slice(2, 4));
      expect(second.pagination).toEqual({
        next: count > 4 ? 3 : 0,
        previous: 1,
        count,
        current: 2,
        total_pages: Math.ceil(count / 2),
        start_index: 3,
        end_index: Math.min(4, count),
      });
      const last = await page('page_size=1&page=last');
      expect([last.pagination.current, last.pagination.next, last.results]).toEqual([count, 0, results.slice(-1)]);
      for (const size of ['0', '-1', 'abc', '']) {
        expect([size, (await page(`page_size=${size}`)).pagination.count]).toEqual([size, count]);
      }
      expect((await page('page=&page_size=1')).pagination.current).toBe(1);
      for (const wrong of ['0', '-1', 'abc', String(count + 1), '99999999999999999999', '1.5']) {
        const answer = await admin.get(`${resource.path}?page_size=1&page=${wrong}`);
        expect([wrong, answer.status, answer.body.detail]).toEqual([wrong, 404, 'Invalid page.']);
      }
    });

    testEngine('take at most three statements, whatever their length and nesting', async () => {
      const here = ground();
      const { resource, server, probe } = here;
      await samplesOf(here);
      const isForSuperusers = resource.visibility?.by === 'superuser';
      for (const api of isForSuperusers ? [server.admin] : [server.admin, probe.api]) {
        const signIn = await statements(server, () => api.get('/schema/'));
        for (const size of [1, 3, 1000]) {
          // Also a commit, after which no count is remembered from another list.
          await probe.holds(resource.permission('view'));
          const all = await statements(server, () => api.get(`${resource.path}?page_size=${size}`));
          expect(all.length - signIn.length, all.join('\n\n')).toBeLessThanOrEqual(3);
        }
      }
    });
  },
  hasList,
);

const sortedNumbers = (values: readonly unknown[]) =>
  values.toSorted((a, b) => (a === null ? 1 : b === null ? -1 : Number(a) - Number(b)));

/** The statements of one request. No jobs run here that could send theirs in between. */
async function statements(
  { world }: ResourceGround['server'],
  work: () => Promise<{ status: number }>,
): Promise<string[]> {
  const seen: string[] = [];
  const stop = world.db.onStatement(({ sql: text }) => seen.push(text));
  try {
    expect((await work()).status).toBe(200);
  } finally {
    stop();
  }
  return seen;
}
