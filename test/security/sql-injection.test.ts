import { expect, test } from 'vitest';
import { isShown } from '../../src/resource/fields/field.ts';
import type { Resource } from '../../src/resource/resource.ts';
import { describeOnBoth, type TestServer } from '../support/server.ts';

const injections = [
  '(select password from users)',
  'name;drop table users',
  "name' or '1'='1",
  'name" desc, (select 1)--',
  'case when (select count(*) from users) > 0 then name else pk end',
  'pk) as x from users--',
  'user__password',
  'group.users.password',
  '__proto__',
  'constructor',
  'toString',
  '-',
  ',,-,',
  '\u0000',
  '\ud800',
  '%',
  '_',
  'x'.repeat(500),
];

// Each would break a statement that it got into, whatever quotes surround it.
const values = [`x' or '1'='1"; drop table users;--(select password from users)`, '\u0000%'];

// Names in `ordering` and in filters must not become part of a statement.
describeOnBoth('SQL injection by the query string of lists', (server) => {
  test('ordering accepts only members that are shown and stored', async () => {
    for (const resource of listed(server())) {
      const plain = await keysOf(server(), resource, '');
      const refused = Object.entries(resource.allFields)
        .filter(([, field]) => !isShown(field) || !field.orderable)
        .map(([name]) => name);
      // What is not taken is dropped, so that a list of nothing else leaves the order as it is.
      for (const sign of ['', '-']) {
        const ordering = [...refused, ...injections].map((name) => encodeURIComponent(`${sign}${name.toWellFormed()}`));
        expect(await keysOf(server(), resource, `ordering=${ordering.join(',')}`), resource.path).toEqual(plain);
      }
    }
  });

  test('ordering counts each member once, however often it is named', async () => {
    for (const resource of listed(server())) {
      for (const once of ['pk', '-pk']) {
        const often = `ordering=${Array.from({ length: 3_000 }, () => once).join()}`;
        expect(await keysOf(server(), resource, often), resource.path).toEqual(
          await keysOf(server(), resource, `ordering=${once}`),
        );
      }
    }
  });

  test('filters and searches are only values', async () => {
    const { admin, world } = server();
    const before = await counts(server());
    const requests = listed(server()).flatMap(({ path, filterTable }) =>
      [...Object.keys(filterTable), 'search', 'page', 'page_size'].flatMap((name) =>
        values.map(
          (value) => `${path}?${name}=${encodeURIComponent(value)}${name === 'page_size' ? '' : '&page_size=1'}`,
        ),
      ),
    );
    await atOnce(8, requests, async (request) => {
      const { status, text } = await admin.get(request);
      expect([200, 400, 404], `${request}: ${text.slice(0, 200)}`).toContain(status);
    });
    expect(await counts(server())).toEqual(before);
    await world.db.ping();
  });

  test('a filter that matches nothing finds nothing, whatever is appended to it', async () => {
    const { admin } = server();
    const tried: string[] = [];
    for (const resource of listed(server())) {
      const name = Object.entries(resource.allFields).find(([, field]) => field.filter && field.kind === 'text')?.[0];
      if (!name) continue;
      tried.push(resource.path);
      for (const value of ["nothing' or 'a'='a", 'nothing" or 1=1--', "nothing') or (1=1"]) {
        const { body } = await admin.get(`${resource.path}?${name}=${encodeURIComponent(value)}`);
        expect(body.results, resource.path).toEqual([]);
      }
    }
    expect(tried.length).toBeGreaterThan(20);
  });

  test('wildcards of the database are plain characters in a search', async () => {
    const { admin } = server();
    await admin.post('/policies/expression/', { name: 'wild%card_', expression: 'return true' });
    await admin.post('/policies/expression/', { name: 'wildXcardX', expression: 'return true' });
    for (const term of ['wild%25card', 'card_', 'd%25c']) {
      const { body } = await admin.get(`/policies/expression/?search=${term}`);
      expect(
        body.results.map(({ name }: { name: string }) => name),
        term,
      ).toEqual(['wild%card_']);
    }
  });
});

const listed = ({ app }: TestServer): readonly Resource[] =>
  app.engine.registry.resources.filter(({ verbs }) => verbs.includes('list'));

async function atOnce<T>(workers: number, items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  await Promise.all(
    Array.from({ length: workers }, async () => {
      for (const item of rest) await work(item);
    }),
  );
}

async function keysOf({ admin }: TestServer, resource: Resource, query: string): Promise<unknown[]> {
  const answer = await admin.get(`${resource.path}?page_size=5&${query}`);
  if (answer.status !== 200) throw new Error(`${resource.path}?${query}: ${answer.status} ${answer.text}`);
  return answer.body.results.map(
    (row: Record<string, unknown>) => row[resource.keyName ?? 'pk'] ?? JSON.stringify(row),
  );
}

async function counts({ admin }: TestServer): Promise<unknown[]> {
  const paths = ['/core/users/', '/core/groups/', '/policies/all/', '/events/rules/'];
  return Promise.all(paths.map(async (path) => (await admin.get(path)).body.pagination.count));
}
