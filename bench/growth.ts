import { captureRows } from './capture.ts';
import { type Loaded, load, loadMoreUsers } from './load.ts';
import type { MeasuredRow } from './measure.ts';
import { measureRows } from './measure-all.ts';
import { adminToken, withApp } from './open-app.ts';
import type { BenchOptions } from './options.ts';
import { buildBundle } from './processes.ts';
import { userRows } from './rows.ts';

export const fewUsers = 10_000;
export const manyUsers = 1_000_000;
const usersPerStep = 50_000;

export interface Growth {
  readonly few: readonly MeasuredRow[];
  readonly many: readonly MeasuredRow[];
}

/** The same lists before and after users have become a hundred times as many. */
export async function measureGrowth(options: BenchOptions): Promise<Growth> {
  const { databases, only, say } = options;
  const rows = userRows.filter(({ title }) => title.includes(only));
  buildBundle();
  const database = await databases.fresh();
  let data: Loaded | undefined;
  try {
    const before = await withApp(database, async (world, app, url) => {
      data = await load(world, app, { users: fewUsers, policies: 0, rules: 0, events: 0, accessTokens: 0 });
      return captureRows(rows, world, app, url, data, adminToken);
    });
    await database.settle();
    say(`${fewUsers} users`);
    const { rows: few } = await measureRows(before, database, options);
    const after = await withApp(database, async (world, app, url) => {
      for (let from = fewUsers; from < manyUsers; from += usersPerStep) {
        await loadMoreUsers(world, app, from, Math.min(from + usersPerStep, manyUsers));
        say(`${from} users`);
      }
      return captureRows(rows, world, app, url, data as Loaded, adminToken);
    });
    await database.settle();
    say(`${manyUsers} users`);
    const { rows: many } = await measureRows(after, database, options);
    return { few, many };
  } finally {
    await database.drop();
  }
}
