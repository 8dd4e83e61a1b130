import { createPasswords } from '../src/platform/passwords.ts';
import type { Drive } from './drive.ts';

export interface HashOrder {
  readonly password: string;
  readonly connections: number;
  readonly seconds: number;
}

const passwords = createPasswords();

/** Checks passwords as the server does, as many at a time as there are connections, and does nothing besides. */
process.on('message', async ({ password, connections, seconds }: HashOrder) => {
  const hash = await passwords.hash(password);
  const latencies: number[] = [];
  const started = performance.now();
  const until = started + seconds * 1000;
  const oneAfterAnother = async () => {
    while (performance.now() < until) {
      const begun = performance.now();
      await passwords.verify(hash, password);
      latencies.push(performance.now() - begun);
    }
  };
  await Promise.all(Array.from({ length: connections }, oneAfterAnother));
  const took = (performance.now() - started) / 1000;
  const done: Drive = { seconds: took, latencies: Float64Array.from(latencies), bytes: 0, failure: null };
  process.send?.({ done });
});
