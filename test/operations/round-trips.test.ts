import { expect, test } from 'vitest';
import { openBrowser, signInByPassword } from '../support/flow-client.ts';
import { quiet } from '../support/jobs.ts';
import { freshPostgresDatabase } from '../support/postgres.ts';
import { startServer } from '../support/server.ts';
import { databaseProxy } from './database-proxy.ts';

const database = await freshPostgresDatabase();
/** Ends what is sent at once, in PostgreSQL's protocol. */
const sync = Buffer.from([0x53, 0, 0, 0, 4]);

test.skipIf(!database)('a sign-in by password takes no more round trips to PostgreSQL than its limit', async () => {
  let trips = 0;
  const proxy = await databaseProxy(database?.url ?? '', {
    alter(chunk) {
      for (let at = chunk.indexOf(sync); at >= 0; at = chunk.indexOf(sync, at + 1)) trips += 1;
      return chunk;
    },
  });
  const server = await startServer('postgres', { env: { DATABASE_URL: proxy.url } });
  const ada = await server.user([], { username: 'ada' });
  const password = 'correct horse battery staple';
  await server.admin.post(`/core/users/${ada.pk}/set_password/`, { password });
  const counts: number[] = [];
  for (let turn = 0; turn < 5; turn++) {
    await quiet(server);
    trips = 0;
    expect((await signInByPassword(openBrowser(server), 'ada', password)).status).toBe(200);
    counts.push(trips);
  }
  // Jobs may run meanwhile, and the first turn reads what is cached for the others.
  expect(Math.min(...counts)).toBeLessThanOrEqual(9);
  await server.close();
  await proxy.close();
  await database?.drop();
});
