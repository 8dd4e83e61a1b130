import { sql } from 'kysely';
import type { App } from '../src/app/compose.ts';
import type { World } from '../src/app/world.ts';
import type { Database } from '../src/platform/db/database.ts';
import { fillBody } from './drive.ts';
import type { Loaded } from './load.ts';
import { type BenchRequest, type CapturedStatement, type Exchange, type Recipe, recipeOf } from './recipe.ts';
import type { BenchRow } from './rows.ts';

/** A row that can be measured, with all that the driver and the floor need for it. */
export interface CapturedRow {
  readonly row: BenchRow;
  readonly token: string | null;
  readonly requests: readonly BenchRequest[];
  /** What is left of the row's targets. */
  readonly targets?: readonly number[];
  readonly recipes: readonly Recipe[];
  /** Statements of a request that finds nothing kept from an earlier one, without those that find out who asks. */
  readonly statements: number;
}

const transactionWords = new Set(['begin', 'commit', 'rollback']);

export interface LoadedServer {
  readonly world: World;
  readonly app: App;
  readonly url: string;
  readonly data: Loaded;
  readonly adminToken: string;
}

/** Sends each request twice to the server in this process and records its database statements and its responses. */
export async function captureRows(
  rows: readonly BenchRow[],
  { world: { db }, app: { operations }, url, data, adminToken }: LoadedServer,
): Promise<CapturedRow[]> {
  let statements: CapturedStatement[] = [];
  let count = 0;
  const stop = db.onStatement(({ sql, parameters }) => {
    if (!transactionWords.has(sql)) statements.push({ sql, parameters });
  });

  async function exchange(
    { method, path, body }: BenchRequest,
    token: string | null,
    target?: number,
  ): Promise<Exchange> {
    count += 1;
    const text = body && fillBody(JSON.stringify(body), `capture-${count}`, count);
    statements = [];
    const answer = await fetch(`${url}${path.replace('{target}', String(target))}`, {
      method,
      headers: {
        accept: 'application/json',
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(text && { 'content-type': 'application/json' }),
      },
      ...(text && { body: text }),
    });
    const answered = await answer.text();
    if (answer.status > 299) throw new Error(`${method} ${path} answers ${answer.status}: ${answered}`);
    return {
      name: text ? ((JSON.parse(text) as { name?: string }).name ?? null) : null,
      ...(target !== undefined && { target }),
      statements,
      status: answer.status,
      headers: headersOf(answer.headers),
      body: answered,
    };
  }

  async function capture(row: BenchRow, token: string | null): Promise<CapturedRow> {
    const probe: BenchRequest = { method: 'OPTIONS', path: '/api/v3/core/users/' };
    const authentications = token === null ? 0 : (await exchange(probe, token)).statements.length;
    await forgetCounts(db);
    const requests = row.requests(data);
    const [one, other, ...targets] = row.targets?.(data) ?? [];
    const recipes: Recipe[] = [];
    let most = 0;
    for (const request of requests) {
      const first = await exchange(request, token, one);
      recipes.push(recipeOf(request, first, await exchange(request, token, other), authentications));
      most = Math.max(most, first.statements.length - authentications);
    }
    return { row, token, requests, recipes, statements: most, ...(row.targets && { targets }) };
  }

  const captured: CapturedRow[] = [];
  for (const row of rows.filter(({ operation }) => operations.some(({ id }) => id === operation))) {
    if (row.caller === 'nobody') captured.push(await capture(row, null));
    else {
      const token = row.caller === 'administrator' ? adminToken : data.delegateToken;
      if (token !== null) captured.push(await capture(row, token));
    }
  }
  stop();
  return captured;
}

/** What the server keeps of a list's count lasts until the next commit. */
async function forgetCounts(db: Database): Promise<void> {
  await db.write((tx) => sql`update install set number = number`.execute(tx));
}

const transportHeaders = new Set(['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding']);

/** The headers of an answer but those that follow from how it is sent. */
export const headersOf = (headers: Headers): string[] =>
  [...headers].filter(([name]) => !transportHeaders.has(name)).flat();
