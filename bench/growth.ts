import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toTimestamp } from '../src/platform/clock.ts';
import type { BenchDatabase } from './databases.ts';
import { benchPassword, type Loaded, load } from './load.ts';
import { loadMany } from './load-many.ts';
import { allByTurns, type Figures, type Side } from './measure.ts';
import { adminToken, commonSettings, withApp } from './open-app.ts';
import type { BenchOptions } from './options.ts';
import { buildBundle, type DriverProcess, type ServerProcess, startDriver, startServer } from './processes.ts';
import { type BenchRow, benchRows, signInFlow } from './rows.ts';

export interface GrowthSizes {
  readonly users: number;
  readonly events: number;
}

export const few: GrowthSizes = { users: 10_000, events: 100_000 };
/** An event a minute, so that their charts have something to show. Many events are those of two years. */
const fewSeconds = few.events * 60;
export const many: GrowthSizes = { users: 1_000_000, events: 10_000_000 };

export interface GrowthRow {
  readonly title: string;
  readonly few: Figures;
  readonly many: Figures;
}

/** What may grow with users and events: lists, searches, and writes with their event. */
const isWatched = (title: string) =>
  /^(users|events|search|change a user|create a user|create an expression policy)/.test(title);

interface Growing extends Pick<BenchRow, 'title'> {
  requests(data: Loaded, sizes: GrowthSizes): ReturnType<BenchRow['requests']>;
}

const more: readonly Growing[] = [
  ['all users, 20 on a page', '/core/users/?page_size=20'],
  ['all users, the last page', '/core/users/?page_size=20&page=last'],
  ['all users, a page in the middle', '/core/users/?page_size=20&page={users}'],
  ['users of a path', '/core/users/?path_startswith=users&page_size=20'],
  ['paths of users', '/core/users/paths/'],
  ['all events, 20 on a page', '/events/events/?page_size=20'],
  ['all events, the last page', '/events/events/?page_size=20&page=last'],
  ['all events, a page in the middle', '/events/events/?page_size=20&page={events}'],
  ['events of a brand', '/events/events/?brand_name=Default+brand&page_size=20'],
  ['events of a month', `/events/events/?created__gte=${toTimestamp(Date.now() - 30 * 86_400_000)}&page_size=20`],
  ['events of a user', '/events/events/?username=user-0000017&page_size=20'],
  ['the start page: a week of events by hour', '/admin/overview/'],
  ['facets of a week of events', '/events/events/facets/'],
  ['volume of a week of events', '/events/events/volume/'],
  ['a month of sign-ins by day', '/events/events/per_month/?action=login'],
  ['the applications used most, of all time', '/events/events/top_per_user/?top_n=5'],
  ['search users by two frequent letters', '/core/users/?search=an&page_size=20'],
  ['search users by a frequent word', '/core/users/?search=example&page_size=20'],
  ['search events by a user', '/events/events/?search=user-0000017&page_size=20'],
  ['search events by two frequent letters', '/events/events/?search=lo&page_size=20'],
  ['search events by a frequent word', '/events/events/?search=login&page_size=20'],
  ['search all kinds by two frequent letters', '/admin/objects/?search=an'],
  ['search all kinds by two rare letters', '/admin/objects/?search=zy'],
  ['search all kinds by a name', '/admin/objects/?search=user-0000017'],
].map(([title = '', path = '']) => ({
  title,
  requests: (_data, { users, events }) => [
    {
      method: 'GET',
      path: `/api/v3${path.replace('{users}', middlePage(users)).replace('{events}', middlePage(events))}`,
    },
  ],
}));

/** Of twenty rows each. */
const middlePage = (rows: number) => String(Math.ceil(rows / 40));

/**
 * A server with few users and events and one with many, by turns, so that what else happens on the machine falls on
 * both. In a folder the data of each size is kept and used again.
 */
export async function measureGrowth(
  options: BenchOptions,
  sizes: GrowthSizes,
  folder: string | null,
): Promise<GrowthRow[]> {
  if (folder) {
    const kept: Filled[] = [];
    for (const each of [few, sizes]) kept.push(await keep(options, each, folder));
    return compare(options, kept);
  }
  const stores: Filled[] = [];
  try {
    for (const each of [few, sizes]) {
      const database = await options.databases.fresh();
      stores.push({ database, sizes: each, data: await fill(database, each, options.say) });
    }
    return await compare(options, stores);
  } finally {
    for (const { database } of stores) await database.drop();
  }
}

export interface Filled {
  readonly database: BenchDatabase;
  readonly data: Loaded;
  readonly sizes: GrowthSizes;
}

async function keep({ databases, say }: BenchOptions, sizes: GrowthSizes, folder: string): Promise<Filled> {
  const place = join(folder, `${databases.kind}-${sizes.users}-${sizes.events}`);
  const database = await databases.keptIn(place);
  const note = join(place, 'loaded.json');
  if (existsSync(note)) return { database, sizes, data: JSON.parse(readFileSync(note, 'utf8')) };
  const data = await fill(database, sizes, say);
  writeFileSync(note, JSON.stringify(data));
  return { database, sizes, data };
}

export async function compare({ only, rounds, say }: BenchOptions, stores: readonly Filled[]): Promise<GrowthRow[]> {
  buildBundle();
  const servers: ServerProcess[] = [];
  const driver = startDriver();
  try {
    for (const { database } of stores) servers.push(await startServer({ ...commonSettings, ...database.settings }));
    const measured: GrowthRow[] = [];
    for (const { title, sideOf } of watchedRows(driver, rounds.connections)) {
      if (!title.includes(only)) continue;
      const sides = servers.map((server, index) => sideOf(server, stores[index] as Filled));
      try {
        const [small, large] = await allByTurns(sides, rounds);
        if (small && large) measured.push({ title, few: small.figures, many: large.figures });
        say(title);
      } catch (error) {
        // One that grows so much that it is refused shall not take the others' figures with it.
        say(`NOT MEASURED: ${title}: ${error instanceof Error ? error.message.split('\n')[0] : error}`);
      }
    }
    return measured;
  } finally {
    driver.stop();
    for (const server of servers) await server.stop();
  }
}

interface Watched {
  readonly title: string;
  sideOf(server: ServerProcess, filled: Filled): Side;
}

function watchedRows(driver: DriverProcess, connections: number): Watched[] {
  const rows = [...more, ...benchRows.filter(({ title }) => isWatched(title))].map(
    ({ title, requests }): Watched => ({
      title,
      sideOf: ({ port, pid }, { database, data, sizes }) => ({
        name: String(port),
        pid,
        database,
        run: (seconds, run) =>
          driver.drive({ port, token: adminToken, requests: requests(data, sizes), connections, seconds, run }),
      }),
    }),
  );
  const signIns: Watched = {
    title: 'sign-in by password through the whole default flow',
    sideOf: ({ port, pid }, { database, data: { signInNames } }) => ({
      name: String(port),
      pid,
      database,
      run: (seconds) =>
        driver.drive({
          signIn: { flow: signInFlow, names: signInNames, password: benchPassword },
          port,
          connections,
          seconds,
        }),
    }),
  };
  return [...rows, signIns];
}

export async function fill(
  database: BenchDatabase,
  { users, events }: GrowthSizes,
  say: (line: string) => void,
): Promise<Loaded> {
  const data = await withApp(database, (world, app) =>
    load(world, app, { users: few.users, events: 0, policies: 0, rules: 0, accessTokens: 0 }),
  );
  await loadMany(
    database,
    { users: users - few.users, events, ...(events === few.events && { eventSeconds: fewSeconds }) },
    say,
  );
  // Counts what was added.
  await withApp(database, async () => {});
  await database.settle();
  return data;
}
