import { allByTurns, type Figures, type Measured, maxWarmUpSeconds } from '../measure.ts';
import { commonSettings, withApp } from '../open-app.ts';
import type { BenchOptions } from '../options.ts';
import { buildBundle, startDriver, startServer } from '../processes.ts';
import { loadOAuth } from './load.ts';
import { oauthRows } from './rows.ts';
import { maxPerSecond, sideOf } from './side.ts';

export interface TokenCost {
  readonly title: string;
  readonly figures: Figures;
}

const authorizationTitle = 'authorization of a user with a session: a code';

/** What tokens cost server and database, without anything to compare with. */
export async function measureTokenCost(options: BenchOptions): Promise<TokenCost[]> {
  const { databases, only, rounds, profileFolder, say } = options;
  const count = Math.ceil(maxPerSecond * (maxWarmUpSeconds + rounds.rounds * rounds.seconds));
  buildBundle();
  const database = await databases.fresh();
  const stops: (() => unknown)[] = [() => database.drop()];
  try {
    say('Loading');
    const { rows, authorization } = await withApp(database, (world, _app, url) => loadOAuth(world, url, count));
    await database.settle();
    const server = await startServer({ ...commonSettings, ...database.settings }, profileFolder);
    stops.unshift(server.stop);
    const driver = startDriver();
    stops.unshift(driver.stop);
    const { port, pid } = server;
    const costs: TokenCost[] = [];
    const lines = [
      { title: authorizationTitle, supply: authorization },
      ...oauthRows.map(({ name, title }) => ({ title, supply: rows[name].supply })),
    ];
    for (const { title, supply } of lines.filter((line) => line.title.includes(only))) {
      const side = sideOf({ name: title, port, pid, database }, supply, driver, rounds.connections);
      const [{ figures }] = (await allByTurns([side], rounds)) as [Measured];
      costs.push({ title, figures });
      say(`${figures.cpuMs.toFixed(2)} ms: ${title}`);
    }
    return costs;
  } finally {
    for (const stop of stops) await stop();
  }
}
