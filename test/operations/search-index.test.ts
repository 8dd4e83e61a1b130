import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { fillSearchIndexes } from '../../src/core/search/fill-search.job.ts';
import { until } from '../support/jobs.ts';
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
  test('is found by its current name before and after it is indexed', async () => {
    const { admin, world, app } = server();
    const early = (await make(server(), 'Zebedee-early')).body.pk;
    expect(await search(server(), 'zebedee')).toEqual(['Zebedee-early']);
    await fillSearchIndexes(world.db, app.engine.registry);
    const late = (await make(server(), 'Zebedee-late')).body.pk;
    expect(await search(server(), 'ZEBEDEE')).toEqual(['Zebedee-early', 'Zebedee-late']);

    for (const pk of [early, late]) await admin.patch(`/core/users/${pk}/`, { username: `Florence-${pk}`, name: '' });
    expect(await search(server(), 'zebedee')).toEqual([]);
    expect(await search(server(), 'florence')).toHaveLength(2);
    await fillSearchIndexes(world.db, app.engine.registry);
    expect(await search(server(), 'florence')).toHaveLength(2);

    for (const pk of [early, late]) await admin.delete(`/core/users/${pk}/`);
    expect(await search(server(), 'florence')).toEqual([]);
  });
});

describeOnSqlite('the search index', (server) => {
  test('includes rows that are created after its newest row was deleted', async () => {
    const { admin, world, app } = server();
    const { pk } = (await make(server(), 'Dougal')).body;
    await fillSearchIndexes(world.db, app.engine.registry);
    await admin.delete(`/core/users/${pk}/`);
    await make(server(), 'Dylan');
    await fillSearchIndexes(world.db, app.engine.registry);
    expect(await search(server(), 'dylan')).toEqual(['Dylan']);
    await verifyIndex(server());
  });

  test('stays intact when rows that it does not contain are deleted or renamed', async () => {
    const { admin, world, app } = server();
    await fillSearchIndexes(world.db, app.engine.registry);
    const [gone, renamed] = [(await make(server(), 'Brown Cow')).body.pk, (await make(server(), 'Mr Rusty')).body.pk];
    await admin.delete(`/core/users/${gone}/`);
    await admin.patch(`/core/users/${renamed}/`, { username: 'Mr McHenry' });
    await fillSearchIndexes(world.db, app.engine.registry);
    await verifyIndex(server());
    expect(await search(server(), 'mchenry')).toEqual(['Mr McHenry']);
  });

  test('is filled in the background once many rows are waiting', async () => {
    const { world } = server();
    await world.db.write(async (tx) => {
      for (let count = 0; count < 600; count++) {
        await sql`insert into events (pk, "user", action, app, context, client_ip, brand, created, expires, username, words)
          values (${crypto.randomUUID()}, '{}', 'login', 'test', '{}', null, '{}', ${world.clock.now()}, ${world.clock.now()}, '', ${`Ermintrude ${count}`})`.execute(
          tx,
        );
      }
    });
    await make(server(), 'Brian');
    await until(async () => {
      const { rows } = await sql<{ found: number }>`select count(*) as found from events_search
        where events_search match 'Ermintrude'`.execute(world.db.read);
      return rows[0]?.found === 600;
    });
  });
});
