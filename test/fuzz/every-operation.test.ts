import fc from 'fast-check';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import type { Operation } from '../../src/resource/document/operation.ts';
import { prepareRequest } from '../contract/drive.ts';
import { type Ground, operationIds, prepareGround } from '../contract/every-resource.ts';
import { columnsByTable } from '../contract/stored.ts';
import { describeOnBoth, type TestServer } from '../support/server.ts';
import { hostileBody, hostileQuery, hostileSegment, hostileText } from './hostile.ts';

/** The same seed makes the same requests: GATEHOUSE_FUZZ_SEED tries others, GATEHOUSE_FUZZ_RUNS tries more. */
const seed = Number(process.env.GATEHOUSE_FUZZ_SEED ?? 20_261_115);
/** The engine checks requests in the same way on both databases, so PostgreSQL gets the first few of each operation. */
const runs = { sqlite: 4, postgres: 2 };
const askedRuns = process.env.GATEHOUSE_FUZZ_RUNS;
/** Longer than the slowest honest work takes on a busy machine, which is to look for the primes of a large key. */
const patienceMs = 30_000;

describeOnBoth('random requests', (server, kind) => {
  const numRuns = askedRuns === undefined ? runs[kind] : Number(askedRuns);
  let ground: Ground | undefined;
  const here = () => ground as Ground;
  beforeAll(async () => {
    ground = await prepareGround(server());
  });

  test.each(operationIds)('to %s never cause a server error', async (id) => {
    const operation = server().app.operations.find((candidate) => candidate.id === id) as Operation;
    const { method, path, body } = await prepareRequest(here(), operation);
    const [plainPath = ''] = path.split('?');
    const keyed = operation.path.split('/').map((segment, at) => ({
      isKey: segment.startsWith('{'),
      text: decodeURIComponent(plainPath.split('/')[at] ?? ''),
    }));
    const request = fc.record({
      segments: fc.tuple(...keyed.map(({ isKey, text }) => (isKey ? hostileSegment(text) : fc.constant(text)))),
      query: hostileQuery(operation.parameters),
      body: method === 'GET' ? fc.constant(undefined) : hostileBody(isObject(body) ? body : {}),
      tag: fc.option(
        hostileText.filter((text) => /^[\x20-\x7e]*$/.test(text) && text.length < 1_000),
        { freq: 4 },
      ),
    });

    const property = fc.asyncProperty(request, async ({ segments, query, body, tag }) => {
      const url = `${segments.join('/')}${query && '?'}${query}`;
      const headers = {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(tag !== null && { [method === 'GET' ? 'if-none-match' : 'if-match']: tag }),
      };
      const answer = await soon(here().admin.send(method, url, body, headers));
      expect(answer.status).toBeLessThan(500);
    });
    // Requests leave their marks, so a smaller one would not meet the same server: the first that fails is told.
    await fc.assert(property, { seed: seed + operationIds.indexOf(id), numRuns, endOnFailure: true });
  });

  test('leave the administrator active and every list readable', async () => {
    const { admin } = here();
    expect((await admin.get('/core/users/me/')).body.user.is_superuser).toBe(true);
    for (const { path, verbs } of server().app.engine.registry.resources) {
      if (verbs.includes('list'))
        expect([path, (await soon(admin.get(`${path}?page_size=10000`))).status]).toEqual([path, 200]);
    }
  });

  test('leave the database consistent', async () => {
    await checkFamilies(server());
    if (server().kind === 'sqlite') await checkSqlite(server());
    else await checkPostgres(server());
  });
});

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !(value instanceof FormData);

/** An answer, or an error when it takes longer than any caller waits. */
async function soon<T>(answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const impatience = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${patienceMs} ms`)), patienceMs);
  });
  return Promise.race([answer, impatience]).finally(() => clearTimeout(timer));
}

/** Every row of a family is there twice: in the base table and in that of its kind. */
async function checkFamilies({ app, world: { db } }: TestServer): Promise<void> {
  for (const { family, table, model } of app.engine.registry.resources) {
    if (!family) continue;
    const { rows } = await sql<{ base: number; own: number; both: number }>`select
      (select count(*) from ${sql.table(family.table)} where kind = ${model}) as base,
      (select count(*) from ${sql.table(table)}) as own,
      (select count(*) from ${sql.table(table)} t join ${sql.table(family.table)} b on b.pk = t.pk and b.kind = ${model}) as both`.execute(
      db.read,
    );
    const counts = rows[0] as { base: number; own: number; both: number };
    expect([table, Number(counts.base), Number(counts.own)]).toEqual([table, Number(counts.both), Number(counts.both)]);
  }
}

async function checkSqlite({ world: { db } }: TestServer): Promise<void> {
  // On the connection that wrote: another one may look at a search index through what it remembers of it.
  const { rows } = await db.write((tx) => sql<{ integrity_check: string }>`pragma integrity_check`.execute(tx));
  expect(rows).toEqual([{ integrity_check: 'ok' }]);
  expect((await sql`pragma foreign_key_check`.execute(db.read)).rows).toEqual([]);
  const { rows: indexes } = await sql<{
    name: string;
  }>`select name from sqlite_master where sql like '%using fts5(%'`.execute(db.read);
  for (const { name } of indexes) {
    const index = sql.ref(name);
    await db.write((tx) => sql`insert into ${sql.table(name)}(${index}) values ('integrity-check')`.execute(tx));
  }
}

/** PostgreSQL enforces its constraints itself; this checks that all are valid and every row can be read. */
async function checkPostgres({ world: { db } }: TestServer): Promise<void> {
  const { rows } = await sql`select conname from pg_constraint where not convalidated`.execute(db.read);
  expect(rows).toEqual([]);
  for (const table of Object.keys(await columnsByTable(db))) {
    await sql`select count(*) from (select ${sql.table(table)}::text from ${sql.table(table)}) as everything`.execute(
      db.read,
    );
  }
}
