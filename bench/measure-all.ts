import { setTimeout as pause } from 'node:timers/promises';
import { type CapturedRow, captureRows } from './capture.ts';
import type { BenchDatabase } from './databases.ts';
import { load, type Sizes } from './load.ts';
import { type MeasuredRow, measureRow, median } from './measure.ts';
import { measureSignIns, signInRow } from './measure-sign-ins.ts';
import { adminToken, commonSettings, withApp } from './open-app.ts';
import type { BenchOptions } from './options.ts';
import { buildBundle, type ServerProcess, startDriver, startFloor, startServer } from './processes.ts';
import { benchRows } from './rows.ts';

export const usual: Sizes = { users: 10_000, policies: 1_000, rules: 1_000, events: 100_000, accessTokens: 100_000 };
/** A few groups, and no more rows than the pages that are read. Planners that expect much do badly here. */
const small: Sizes = { users: 1_050, policies: 600, rules: 200, events: 1_000, accessTokens: 1_000 };
const starts = 5;
const idleSeconds = 10;
const settledWithinSeconds = 60;

/** What a server costs besides its requests. */
export interface ServerFigures {
  readonly readyOnDataMs: number;
  readonly readyOnEmptyMs: number;
  readonly memoryAfterStart: number;
  readonly memoryAfterRun: number;
  readonly idleStatements: number;
}

export async function measureAll(
  options: BenchOptions,
): Promise<{ rows: MeasuredRow[]; figures: ServerFigures | null }> {
  const { databases, only, say } = options;
  buildBundle();
  const database = await databases.fresh();
  try {
    say('Loading');
    const { captured, names } = await withApp(database, async (world, app, url) => {
      const data = await load(world, app, options.isSmall ? small : usual);
      const wanted = benchRows.filter(({ title }) => title.includes(only));
      const names = signInRow.title.includes(only) ? data.signInNames : [];
      return { captured: await captureRows(wanted, { world, app, url, data, adminToken }), names };
    });
    await database.settle();
    if (only !== '') return { rows: (await measureRows(captured, database, options, names)).rows, figures: null };

    say('Starting on this data and on nothing');
    // Once without counting: V8 keeps what it compiled.
    await readyTimes(1, async () => database, options);
    const readyOnDataMs = await readyTimes(starts, async () => database, options);
    const readyOnEmptyMs = await readyTimes(starts, databases.fresh, options);
    const { rows, ...memoryAndIdle } = await measureRows(captured, database, options, names);
    return { rows, figures: { readyOnDataMs, readyOnEmptyMs, ...memoryAndIdle } };
  } finally {
    await database.drop();
  }
}

/** The median time from the start of the process to "ready". A store that is made for it goes after it. */
async function readyTimes(
  count: number,
  store: () => Promise<BenchDatabase>,
  { databases }: BenchOptions,
): Promise<number> {
  const found: number[] = [];
  for (let index = 0; index < count; index++) {
    const database = await store();
    const server = await startServer({ ...commonSettings, ...database.settings });
    found.push(server.readyMs);
    await server.stop();
    if (store === databases.fresh) await database.drop();
  }
  return median(found);
}

/**
 * The rows against a server and a floor on the same data, with what the server took of memory and did when left alone.
 */
async function measureRows(
  captured: readonly CapturedRow[],
  database: BenchDatabase,
  { rounds, profileFolder, only, say }: BenchOptions,
  signInNames: readonly string[],
) {
  // Of its own: what the floor writes would give the server's jobs work that no request to the server has made.
  const floorDatabase = await database.copy();
  const server = { ...(await startServer({ ...commonSettings, ...database.settings }, profileFolder)), database };
  const floor = { ...(await startFloor(floorDatabase.kind, floorDatabase.place)), database: floorDatabase };
  const driver = startDriver();
  try {
    await pause(1000);
    const memoryAfterStart = server.residentBytes();
    const rows: MeasuredRow[] = [];
    for (const row of captured) {
      const measured = await measureRow(row, server, floor, driver, rounds);
      rows.push(measured);
      say(`${measured.ratio.toFixed(2)} of the floor, ${Math.round(measured.server.perSecond)}/s: ${row.row.title}`);
    }
    if (signInNames.length > 0) {
      const measured = await measureSignIns(signInNames, server, driver, rounds);
      rows.push(measured);
      say(`${measured.ratio.toFixed(2)} of the floor, ${Math.round(measured.server.perSecond)}/s: ${signInRow.title}`);
    }
    const memoryAfterRun = server.residentBytes();
    const idleStatements = only === '' ? await statementsWhenIdle(server) : 0;
    return { rows, memoryAfterStart, memoryAfterRun, idleStatements };
  } finally {
    driver.stop();
    await floor.stop();
    await server.stop();
    await floorDatabase.drop();
  }
}

/** Statements while nothing is asked, once what the writes have left to do is done. */
async function statementsWhenIdle(server: ServerProcess): Promise<number> {
  for (let waited = 0; waited < settledWithinSeconds; waited++) {
    if ((await statementsIn(server, 1)) <= 0) break;
  }
  // The schedules may come due in one of two spans.
  return Math.min(await statementsIn(server, idleSeconds), await statementsIn(server, idleSeconds));
}

/** Reading the count costs statements itself, and more of them while jobs run: so that is measured each time. */
async function statementsIn(server: ServerProcess, seconds: number): Promise<number> {
  const before = await server.statements();
  await pause(seconds * 1000);
  const after = await server.statements();
  const perLook = (await server.statements()) - after;
  return after - before - perLook;
}
