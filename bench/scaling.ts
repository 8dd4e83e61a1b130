import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';
import type { Drive } from './drive.ts';
import { benchPassword, load } from './load.ts';
import { type LoadedOAuth, loadOAuth } from './oauth/load.ts';
import { adminToken, commonSettings, withApp } from './open-app.ts';
import type { BenchOptions } from './options.ts';
import { buildBundle, cpuMsOf, type DriverProcess, type ServerProcess, startDriver, startServer } from './processes.ts';
import { benchRows, signInFlow } from './rows.ts';

/** The processor time of one request, in milliseconds. */
export interface ScalingRow {
  readonly title: string;
  readonly instances: number;
  readonly perSecond: number;
  readonly serverMs: number;
  readonly databaseMs: number;
}

const mostInstances = 3;
const warmUpSeconds = 2;

interface Work {
  readonly title: string;
  drive(driver: DriverProcess, port: number, seconds: number): Promise<Drive>;
}

/** What requests cost servers and database with one, two and three instances on one PostgreSQL on this machine. */
export async function measureScaling({ databases, only, rounds, say }: BenchOptions): Promise<ScalingRow[]> {
  if (databases.kind !== 'postgres') throw new Error('only PostgreSQL takes several instances');
  buildBundle();
  const database = await databases.fresh();
  const servers: ServerProcess[] = [];
  const drivers: DriverProcess[] = [];
  const found: ScalingRow[] = [];
  try {
    const works = await withApp(database, async (world, app, url) => {
      const { signInNames } = await load(world, app, {
        users: 10_000,
        policies: 0,
        rules: 0,
        events: 10_000,
        accessTokens: 0,
      });
      return worksFor(await loadOAuth(world, url, 1), signInNames, rounds.connections);
    });
    await database.settle();
    const databaseCpu = await watchDatabase(database.place);
    while (servers.length < mostInstances) {
      servers.push(await startServer({ ...commonSettings, ...database.settings }));
      drivers.push(startDriver());
      for (const { title, drive } of works.filter(({ title: name }) => name.includes(only))) {
        const all = (seconds: number) =>
          Promise.all(servers.map(({ port }, index) => drive(drivers[index] as DriverProcess, port, seconds)));
        const serversCpu = () => servers.reduce((sum, { pid }) => sum + cpuMsOf(pid), 0);
        await all(warmUpSeconds);
        const [serverBefore, databaseBefore] = [serversCpu(), databaseCpu()];
        const drives = await all(rounds.seconds * rounds.rounds);
        const failure = drives.find((each) => each.failure !== null)?.failure;
        if (failure) throw new Error(`${title}: ${failure}`);
        const count = drives.reduce((sum, { latencies }) => sum + latencies.length, 0);
        found.push({
          title,
          instances: servers.length,
          perSecond: drives.reduce((sum, { latencies, seconds }) => sum + latencies.length / seconds, 0),
          serverMs: (serversCpu() - serverBefore) / count,
          databaseMs: (databaseCpu() - databaseBefore) / count,
        });
        say(`${servers.length}: ${title}`);
      }
    }
    return found;
  } finally {
    for (const driver of drivers) driver.stop();
    for (const server of servers) await server.stop();
    await database.drop();
  }
}

function worksFor({ rows }: LoadedOAuth, names: readonly string[], connections: number): Work[] {
  const signIn = { flow: signInFlow, names, password: benchPassword };
  const tokens = (['introspection', 'userinfo', 'client_credentials'] as const).map(
    (name): Work => ({
      title: name.replace('_', ' '),
      drive: (driver, port, seconds) => driver.drive({ supply: rows[name].supply, port, connections, seconds }),
    }),
  );
  const lists = benchRows
    .filter(({ title }) => title.startsWith('users, '))
    .map(
      ({ title, requests }): Work => ({
        title,
        drive: (driver, port, seconds) =>
          driver.drive({
            port,
            token: adminToken,
            requests: requests({} as Parameters<typeof requests>[0]),
            connections,
            seconds,
            run: 'scaling',
          }),
      }),
    );
  return [
    {
      title: 'sign-in by password',
      drive: (driver, port, seconds) => driver.drive({ signIn, port, connections, seconds }),
    },
    ...tokens,
    ...lists,
  ];
}

/** Tells the processor time of PostgreSQL on this machine: of its processes, and of those that have ended. */
async function watchDatabase(url: string): Promise<() => number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const postmaster = parentOf(rows[0]?.pid ?? 0);
  await client.end();
  return () => {
    const children = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && parentOf(Number(name)) === postmaster)
      .map(Number);
    return children.reduce((sum, pid) => sum + cpuMsOf(pid), cpuMsOf(postmaster) + cpuMsOfEnded(postmaster));
  };
}

const fieldsOf = (pid: number): string[] => {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  } catch {
    // It has ended meanwhile.
    return [];
  }
};
const parentOf = (pid: number): number => Number(fieldsOf(pid)[1]);
const cpuMsOfEnded = (pid: number): number => (Number(fieldsOf(pid)[13]) + Number(fieldsOf(pid)[14])) * 10;
