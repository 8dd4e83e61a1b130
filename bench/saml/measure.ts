import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { allByTurns, type Measured, type Side } from '../measure.ts';
import type { FloorOrder } from '../oauth/floor.ts';
import { commonSettings, withApp } from '../open-app.ts';
import type { BenchOptions } from '../options.ts';
import { buildBundle, startDriver, startHelper, startServer } from '../processes.ts';
import { loadSaml } from './load.ts';

export interface MeasuredSaml {
  readonly server: Measured;
  readonly floor: Measured;
}

/**
 * A sign-in to an application by a user with a session; the floor makes one RSA-2048 signature and one durable write.
 */
export async function measureSaml({ databases, rounds, profileFolder, say }: BenchOptions): Promise<MeasuredSaml> {
  if (databases.kind !== 'sqlite') throw new Error('SAML is measured on SQLite, as its floor is');
  buildBundle();
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'));
  const database = await databases.fresh();
  const stops: (() => unknown)[] = [() => database.drop(), () => rmSync(folder, { recursive: true, force: true })];
  try {
    say('Loading');
    const { privateKey, supply, floor: order } = await withApp(database, (world, _app, url) => loadSaml(world, url));
    const server = await startServer({ ...commonSettings, ...database.settings }, profileFolder);
    stops.unshift(server.stop);
    const floor = await startHelper<FloorOrder, null>('oauth/floor-process.ts', [privateKey, join(folder, 'floor.db')]);
    stops.unshift(floor.stop);
    const driver = startDriver();
    stops.unshift(driver.stop);
    await floor.ask(order);
    const sideOf = (name: string, { port, pid }: { port: number; pid: number }): Side => ({
      name,
      pid,
      run: (seconds) => driver.drive({ supply, port, connections: rounds.connections, seconds }),
    });
    const [ours, least] = (await allByTurns([sideOf('server', server), sideOf('floor', floor)], rounds)) as [
      Measured,
      Measured,
    ];
    return { server: ours, floor: least };
  } finally {
    for (const stop of stops) await stop();
  }
}
