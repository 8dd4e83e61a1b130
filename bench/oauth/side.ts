import type { Side } from '../measure.ts';
import type { DriverProcess } from '../processes.ts';
import type { Supply } from './supply.ts';

/** No server here redeems more of them in a second. */
export const maxPerSecond = 6_000;

interface Served extends Pick<Side, 'name' | 'pid' | 'database'> {
  readonly port: number;
}

/** Has a driver send a supply of requests to a server. */
export function sideOf({ port, ...served }: Served, supply: Supply, driver: DriverProcess, connections: number): Side {
  const taken = createTaker(supply);
  return {
    ...served,
    async run(seconds) {
      const part = taken.next(Math.ceil(seconds * maxPerSecond));
      const drive = await driver.drive({ supply: part, port, connections, seconds });
      taken.used(drive.latencies.length);
      return drive;
    },
  };
}

/** Gives out a supply in parts: what was sent once and is good once is not given again. */
export function createTaker(supply: Supply): { next(count: number): Supply; used(count: number): void } {
  let from = 0;
  return {
    next: (count) => (supply.isSingleUse ? { ...supply, requests: supply.requests.slice(from, from + count) } : supply),
    used: (count) => {
      from += count;
    },
  };
}
