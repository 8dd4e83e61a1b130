import { adminToken, commonSettings, withApp } from './open-app.ts';
import type { BenchOptions } from './options.ts';
import { buildBundle, cpuMsOf, startDriver, startServer } from './processes.ts';

export interface MeasuredLoad {
  readonly users: number;
  readonly seconds: number;
  /** For one user. */
  readonly serverMs: number;
  readonly databaseMs: number;
}

const user = {
  method: 'POST',
  path: '/api/v3/core/users/',
  body: { username: 'user-{unique}', name: 'User {unique}', email: 'user-{unique}@example.com' },
} as const;

/** Users created one by one through the API on a new installation, over a few connections. */
export async function measureLoad(
  { databases, rounds: { connections }, profileFolder }: BenchOptions,
  users: number,
): Promise<MeasuredLoad> {
  buildBundle();
  const database = await databases.fresh();
  const driver = startDriver();
  try {
    await withApp(database, async () => {});
    const server = await startServer({ ...commonSettings, ...database.settings }, profileFolder);
    try {
      const before = { server: cpuMsOf(server.pid), database: await database.cpuMs() };
      const { seconds, failure } = await driver.drive({
        ...{ port: server.port, token: adminToken, requests: [user], connections, run: 'load' },
        ...{ seconds: Number.POSITIVE_INFINITY, total: users },
      });
      if (failure !== null) throw new Error(failure);
      return {
        users,
        seconds,
        serverMs: (cpuMsOf(server.pid) - before.server) / users,
        databaseMs: ((await database.cpuMs()) - before.database) / users,
      };
    } finally {
      await server.stop();
    }
  } finally {
    driver.stop();
    await database.drop();
  }
}
