import { CompiledQuery } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer('sqlite');
});
afterAll(() => server.close());

test.each(['facets', 'volume', 'per_month'])('%s on SQLite reads events of its time alone', async (action) => {
  const { db } = server.world;
  const statements: CompiledQuery[] = [];
  const stop = db.onStatement((query) => statements.push(query));
  expect((await server.admin.get(`/events/events/${action}/`)).status).toBe(200);
  stop();
  const counting = statements.filter(({ sql }) => sql.includes('from events as t'));
  expect(counting.length).toBeGreaterThan(0);
  for (const { sql, parameters } of counting) {
    const { rows } = await db.read.executeQuery<{ detail: string }>(
      CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]),
    );
    const details = rows.map(({ detail }) => detail).join('\n');
    expect(details, sql).toMatch(/^SEARCH t USING .*created>\?/m);
  }
});
