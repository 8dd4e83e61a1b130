import { bootstrap } from '../src/app/bootstrap/run.ts';
import { type App, composeApp } from '../src/app/compose.ts';
import { openWorld, type World } from '../src/app/world.ts';
import { rollUpEvents } from '../src/core/event/rollup.jobs.ts';
import { readConfig } from '../src/platform/config.ts';
import { createLog } from '../src/platform/log.ts';
import type { BenchDatabase } from './databases.ts';

export const adminToken = 'the-administrators-token-in-benchmarks-only-0123456789';

/** The same for every server of a run, so that they can open each other's data. */
export const commonSettings = {
  GATEHOUSE_SECRET_KEY: 'a-key-for-benchmarks-only-a-key-for-benchmarks-only',
  GATEHOUSE_BOOTSTRAP_TOKEN: adminToken,
  GATEHOUSE_BOOTSTRAP_PASSWORD: 'the-administrators-password-in-benchmarks',
  GATEHOUSE_LOG_LEVEL: 'error',
  // The driver plays a proxy where it stands for people from many places.
  GATEHOUSE_TRUSTED_PROXIES: '127.0.0.1',
};

/** Runs work with the whole server in this process, to load it and to see its statements. */
export async function withApp<T>(
  database: BenchDatabase,
  work: (world: World, app: App, url: string) => Promise<T>,
): Promise<T> {
  const config = readConfig({ ...commonSettings, ...database.settings });
  const world = await openWorld(config, createLog({ level: 'error' }));
  const app = await composeApp(world);
  try {
    await bootstrap(world, app);
    const result = await work(world, app, await app.server.listen({ host: '127.0.0.1', port: 0 }));
    // As its jobs would have by the time a server has been in use.
    await rollUpEvents(world.db, world.clock.now());
    return result;
  } finally {
    await app.server.close();
    await world.close();
  }
}

/** An object as the API shows it. */
export type Made = Readonly<Record<string, unknown>>;

/** Makes an object by the API, as the administrator. */
export async function makeObject(url: string, path: string, body: object): Promise<Made> {
  const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' };
  const answer = await fetch(`${url}/api/v3${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  if (answer.status !== 201) throw new Error(`POST ${path} answers ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as Made;
}
