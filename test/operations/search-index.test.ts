import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { describeOnBoth, describeOnSqlite, type TestServer } from '../support/server.ts';

async function search(server: TestServer, term: string): Promise<string[]> {
  const { body } = await server.admin.get(`/core/users/?search=${encodeURIComponent(term)}&ordering=username`);
  return body.results.map(({ username }: { username: string }) => username);
}

const make = (server: TestServer, username: string) => server.admin.post('/core/users/', { username, name: username });

/** Whether the index and the rows that it was made of agree. */
const verifyIndex = ({ world: { db } }: TestServer) =>
  db.write((tx) => sql`insert into users_search (users_search, rank) values ('integrity-check', 1)`.execute(tx));

describeOnBoth('an object that is searched for', (server) => {
  test('is found by its current name', async () => {
    const { admin } = server();
    const early = (await make(server(), 'Zebedee-early')).body.pk;
    expect(await search(server(), 'zebedee')).toEqual(['Zebedee-early']);
    const late = (await make(server(), 'Zebedee-late')).body.pk;
    expect(await search(server(), 'ZEBEDEE')).toEqual(['Zebedee-early', 'Zebedee-late']);

    for (const pk of [early, late]) await admin.patch(`/core/users/${pk}/`, { username: `Florence-${pk}`, name: '' });
    expect(await search(server(), 'zebedee')).toEqual([]);
    expect(await search(server(), 'florence')).toHaveLength(2);

    for (const pk of [early, late]) await admin.delete(`/core/users/${pk}/`);
    expect(await search(server(), 'florence')).toEqual([]);
  });
});

describeOnSqlite('the search index', (server) => {
  test('includes rows that are created after its newest row was deleted', async () => {
    const { admin } = server();
    const { pk } = (await make(server(), 'Dougal')).body;
    await admin.delete(`/core/users/${pk}/`);
    await make(server(), 'Dylan');
    expect(await search(server(), 'dylan')).toEqual(['Dylan']);
    await verifyIndex(server());
  });

  test('stays intact when rows are deleted or renamed', async () => {
    const { admin } = server();
    const [gone, renamed] = [(await make(server(), 'Brown Cow')).body.pk, (await make(server(), 'Mr Rusty')).body.pk];
    await admin.delete(`/core/users/${gone}/`);
    await admin.patch(`/core/users/${renamed}/`, { username: 'Mr McHenry' });
    await verifyIndex(server());
    expect(await search(server(), 'mchenry')).toEqual(['Mr McHenry']);
  });
});
