import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fetchKeycloak, scriptOf, startKeycloak } from '../../scripts/peers/keycloak/keycloak.ts';
import { load } from '../load.ts';
import { allByTurns, type Figures, type Measured, type Rounds, type Side } from '../measure.ts';
import { usual } from '../measure-all.ts';
import { loadOAuth } from '../oauth/load.ts';
import { commonSettings, withApp } from '../open-app.ts';
import type { BenchOptions } from '../options.ts';
import { buildBundle, startServer } from '../processes.ts';
import { type Act, titles } from './acts.ts';
import { ourActs } from './our-acts.ts';
import { theirActs } from './their-acts.ts';

export interface Compared {
  readonly title: string;
  readonly ours: Figures;
  readonly theirs: Figures;
}

/** Java compiles by use as well, and for longer. */
const warmUpRuns = 10;
const heap = '-Xms256m -Xmx1g';

/** Both servers on the same PostgreSQL, by turns. */
export async function compareWithKeycloak({ databases, only, rounds, say }: BenchOptions): Promise<Compared[]> {
  if (databases.kind !== 'postgres') throw new Error('the comparison needs --postgres URL');
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'));
  const stops: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
  try {
    say('Loading');
    const missing = await fetchKeycloak(folder);
    if (missing !== null) throw new Error(`Keycloak could not be had: ${missing}`);
    buildBundle();
    const [ourDatabase, theirDatabase] = [await databases.fresh(), await databases.fresh()];
    stops.unshift(ourDatabase.drop, theirDatabase.drop);
    const loaded = await withApp(ourDatabase, async (world, app, url) => ({
      users: await load(world, app, usual),
      oauth: await loadOAuth(world, url, 1),
    }));
    const server = await startServer({ ...commonSettings, ...ourDatabase.settings });
    stops.unshift(server.stop);
    const keycloak = await startKeycloak(folder, productionOn(folder, theirDatabase.place), heap);
    stops.unshift(keycloak.stop);

    const ours = ourActs(`http://127.0.0.1:${server.port}`, loaded.users, loaded.oauth);
    const theirs = await theirActs(keycloak);
    for (const database of [ourDatabase, theirDatabase]) await database.settle();
    let number = 0;
    const next = () => {
      number += 1;
      return number;
    };
    const found: Compared[] = [];
    for (const title of titles.filter((one) => one.includes(only))) {
      const [one, other] = (await allByTurns(
        [
          { name: 'ours', pid: server.pid, database: ourDatabase, warmUpRuns, run: driven(ours[title], rounds, next) },
          {
            name: 'Keycloak',
            pid: javaOf(keycloak.pid),
            database: theirDatabase,
            warmUpRuns,
            run: driven(theirs[title], rounds, next),
          },
        ],
        rounds,
      )) as [Measured, Measured];
      found.push({ title, ours: one.figures, theirs: other.figures });
      say(`${one.figures.cpuMs.toFixed(2)} ms, Keycloak ${other.figures.cpuMs.toFixed(2)} ms: ${title}`);
    }
    return found;
  } finally {
    for (const stop of stops) await stop();
  }
}

/** As it is run for good, on one machine. */
function productionOn(folder: string, place: string): string[] {
  const build = [scriptOf(folder), 'build', '--db=postgres'];
  const { status } = spawnSync('bash', build, { stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error('Keycloak could not be built');
  const { hostname, port, pathname, username, password } = new URL(place);
  return [
    ...['start', '--optimized', '--cache=local', '--http-enabled=true', '--hostname-strict=false'],
    `--db-url=jdbc:postgresql://${hostname}:${port || 5432}${pathname}`,
    `--db-username=${decodeURIComponent(username)}`,
    `--db-password=${decodeURIComponent(password)}`,
  ];
}

/** The process that a script has started. */
const javaOf = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')[0]) || pid;

/** Several at once, each as soon as the one before is done. */
function driven(act: Act, { connections }: Pick<Rounds, 'connections'>, next: () => number): Side['run'] {
  return async (seconds) => {
    const latencies: number[] = [];
    const started = performance.now();
    const until = started + seconds * 1000;
    async function repeat(): Promise<void> {
      for (let begun = performance.now(); begun < until; begun = performance.now()) {
        await act(next());
        latencies.push(performance.now() - begun);
      }
    }
    await Promise.all(Array.from({ length: connections }, repeat));
    const took = (performance.now() - started) / 1000;
    return { seconds: took, latencies: Float64Array.from(latencies), bytes: 0, failure: null };
  };
}
