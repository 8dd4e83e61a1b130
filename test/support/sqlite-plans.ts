import { CompiledQuery } from 'kysely';
import { expect } from 'vitest';
import type { TestServer } from './server.ts';

/** The statements of a request that contain a text, each with SQLite's plan for it. */
export async function sqlitePlansOf(
  { world: { db }, admin }: TestServer,
  path: string,
  text: string,
): Promise<[text: string, plan: string][]> {
  const statements: CompiledQuery[] = [];
  const stop = db.onStatement((query) => statements.push(query));
  expect((await admin.get(path)).status).toBe(200);
  stop();
  const found = statements.filter(({ sql }) => sql.includes(text));
  expect(found.length).toBeGreaterThan(0);
  return Promise.all(
    found.map(async ({ sql, parameters }): Promise<[string, string]> => {
      const explain = CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]);
      const { rows } = await db.read.executeQuery<{ detail: string }>(explain);
      return [sql, rows.map(({ detail }) => detail).join('\n')];
    }),
  );
}
