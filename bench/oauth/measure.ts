import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { allByTurns, type Measured, maxWarmUpSeconds, type Rounds, ratioOf } from '../measure.ts';
import { commonSettings, withApp } from '../open-app.ts';
import type { BenchOptions } from '../options.ts';
import {
  buildBundle,
  type DriverProcess,
  type HelperProcess,
  type ServerProcess,
  startDriver,
  startHelper,
  startServer,
} from '../processes.ts';
import type { FloorOrder } from './floor.ts';
import { type LoadedOAuth, loadOAuth } from './load.ts';
import type { MintOrder } from './oidc-process.ts';
import { type OAuthRow, oauthRows } from './rows.ts';
import { maxPerSecond, sideOf } from './side.ts';
import type { Supply } from './supply.ts';

export interface MeasuredOAuthRow {
  readonly row: OAuthRow;
  readonly server: Measured;
  readonly floor: Measured;
  readonly other: Measured;
}

/** Our server, the floor and `oidc-provider`, each in a process of its own, by turns. */
export async function measureOAuth(options: BenchOptions): Promise<MeasuredOAuthRow[]> {
  const { databases, only, rounds, profileFolder, say } = options;
  if (databases.kind !== 'sqlite') throw new Error('tokens are measured on SQLite, as the floor for them is');
  const count = Math.ceil(maxPerSecond * (maxWarmUpSeconds + rounds.rounds * rounds.seconds));
  buildBundle();
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'));
  const database = await databases.fresh();
  const stops: (() => unknown)[] = [() => database.drop(), () => rmSync(folder, { recursive: true, force: true })];
  try {
    say('Loading');
    const loaded = await withApp(database, (world, _app, url) => loadOAuth(world, url, count));
    const server = await startServer({ ...commonSettings, ...database.settings }, profileFolder);
    stops.unshift(server.stop);
    const floorArgs = [loaded.privateKey, join(folder, 'floor.db')];
    const floor = await startHelper<FloorOrder, null>('oauth/floor-process.ts', floorArgs);
    stops.unshift(floor.stop);
    const other = await startHelper<MintOrder, Supply>('oauth/oidc-process.ts', [loaded.privateKey]);
    stops.unshift(other.stop);
    const driver = startDriver();
    stops.unshift(driver.stop);
    const measured: MeasuredOAuthRow[] = [];
    for (const row of oauthRows.filter(({ title }) => title.includes(only))) {
      const found = await measureRow(row, loaded, { server, floor, other, driver }, count, rounds);
      measured.push(found);
      const [toFloor, toOther] = [ratioOf(found.server, found.floor), ratioOf(found.server, found.other)];
      say(`${toFloor.toFixed(2)} of the floor, ${toOther.toFixed(2)} to oidc-provider: ${row.title}`);
    }
    return measured;
  } finally {
    for (const stop of stops) await stop();
  }
}

interface Processes {
  readonly server: ServerProcess;
  readonly floor: HelperProcess<FloorOrder, null>;
  readonly other: HelperProcess<MintOrder, Supply>;
  readonly driver: DriverProcess;
}

async function measureRow(
  row: OAuthRow,
  { rows }: LoadedOAuth,
  { server, floor, other, driver }: Processes,
  count: number,
  { connections, ...rounds }: Rounds,
): Promise<MeasuredOAuthRow> {
  const { supply, floor: order } = rows[row.name];
  const side = (name: string, { port, pid }: { port: number; pid: number }, requests: Supply) =>
    sideOf({ name, port, pid }, requests, driver, connections);
  await floor.ask(order);
  const [ours, least, theirs] = (await allByTurns(
    [
      side('server', server, supply),
      // It redeems nothing, so that it can be sent the same again.
      side('floor', floor, { ...supply, requests: supply.requests.slice(0, maxPerSecond), isSingleUse: false }),
      side('oidc-provider', other, await other.ask({ row: row.name, count })),
    ],
    rounds,
  )) as [Measured, Measured, Measured];
  return { row, server: ours, floor: least, other: theirs };
}
