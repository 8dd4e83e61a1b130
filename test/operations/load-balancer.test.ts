import { Agent, fetch } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import {
  firstStart,
  processPassword,
  processToken,
  type RunningServer,
  startServerProcess,
} from '../support/gatehouse-process.ts';
import { signInByPassword } from '../support/password-sign-in.ts';
import { type FreshDatabase, freshPostgresDatabase } from '../support/postgres.ts';
import { findProxy, haproxy, newProxyPlace, startProxy } from '../support/reverse-proxy.ts';
import { hasPostgres, newFolder } from '../support/server.ts';

const isThere = (await findProxy(haproxy)) && hasPostgres;

interface Failure {
  readonly what: string;
  readonly startedAt: number;
}

describe.skipIf(!isThere)('two instances on one PostgreSQL behind HAProxy, configured as in docs/deployment.md', () => {
  let database: FreshDatabase;
  let place: Awaited<ReturnType<typeof newProxyPlace>>;
  let stopProxy: () => Promise<void>;
  let dispatcher: Agent;
  let ports: number[];
  let servers: RunningServer[];

  const start = (index: number) =>
    startServerProcess({
      ...firstStart,
      DATABASE_URL: database.url,
      GATEHOUSE_DATA_DIR: newFolder(),
      GATEHOUSE_SECRET_KEY: 'one key for both instances of this test',
      GATEHOUSE_PUBLIC_URL: `https://localhost:${place.securePort}`,
      GATEHOUSE_TRUSTED_PROXIES: '127.0.0.1/32',
      GATEHOUSE_SHUTDOWN_DELAY: '5',
      PORT: String(ports[index]),
    });

  beforeAll(async () => {
    database = (await freshPostgresDatabase()) as FreshDatabase;
    place = await newProxyPlace();
    ports = [await freePort(), await freePort()];
    servers = [await start(0), await start(1)];
    stopProxy = await startProxy(haproxy, place, ...servers.map(({ url }) => url));
    dispatcher = new Agent({ connect: { ca: place.certificate } });
  });
  afterAll(async () => {
    await dispatcher.close();
    await stopProxy();
    await Promise.all(servers.map((server) => server.stop()));
    await database.drop();
  });

  const ask = (path: string, init: Parameters<typeof fetch>[1] = {}) =>
    fetch(`https://localhost:${place.securePort}${path}`, { redirect: 'manual', ...init, dispatcher });
  const headers = { authorization: `Bearer ${processToken}`, 'content-type': 'application/json' };

  const calls: Record<string, () => Promise<boolean>> = {
    async reading() {
      const response = await ask('/api/v3/core/users/me/', { headers });
      await response.text();
      return response.status === 200;
    },
    async writing() {
      const body = JSON.stringify({ name: crypto.randomUUID() });
      const response = await ask('/api/v3/core/groups/', { method: 'POST', headers, body });
      await response.text();
      return response.status === 201;
    },
    async 'signing in'() {
      const { cookie } = await signInByPassword(ask, 'admin', processPassword);
      const response = await ask('/api/v3/core/users/me/', { headers: { cookie } });
      await response.text();
      return response.status === 200;
    },
  };

  /** Six people at work while something happens. Gives what failed, and how much there was. */
  async function underLoad(work: () => Promise<void>): Promise<{ failures: Failure[]; done: number }> {
    const failures: Failure[] = [];
    let done = 0;
    let isOver = false;
    const people = [...Object.entries(calls), ...Object.entries(calls)].map(async ([what, call]) => {
      while (!isOver) {
        const startedAt = performance.now();
        const isGood = await call().catch(() => false);
        if (isGood) done += 1;
        else failures.push({ what, startedAt });
      }
    });
    await expect.poll(() => done).toBeGreaterThan(20);
    await work().finally(() => {
      isOver = true;
    });
    await Promise.all(people);
    return { failures, done };
  }

  const someTime = () => new Promise((resolve) => setTimeout(resolve, 2_500));

  test('no request fails when one instance is restarted under load', async () => {
    const { failures, done } = await underLoad(async () => {
      expect((await servers[0]?.stop())?.code).toBe(0);
      servers[0] = await start(0);
      await someTime();
    });
    expect(failures).toEqual([]);
    expect(done).toBeGreaterThan(50);
  });

  test('only requests in flight fail when one instance is killed under load', async () => {
    let deadAt = 0;
    const { failures, done } = await underLoad(async () => {
      servers[1]?.kill('SIGKILL');
      await servers[1]?.finished;
      deadAt = performance.now();
      await someTime();
      servers[1] = await start(1);
      await someTime();
    });
    expect(failures.filter(({ startedAt }) => startedAt > deadAt)).toEqual([]);
    expect(failures.length).toBeLessThanOrEqual(6);
    expect(done).toBeGreaterThan(50);
  });
});
