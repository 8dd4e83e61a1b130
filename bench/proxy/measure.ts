import { allByTurns, type Figures } from '../measure.ts';
import { adminToken, commonSettings } from '../open-app.ts';
import type { BenchOptions } from '../options.ts';
import { buildBundle, startDriver, startServer } from '../processes.ts';

export interface MeasuredForwardAuth {
  readonly connections: number;
  readonly rows: readonly { readonly title: string; readonly figures: Figures }[];
}

/** The check that a reverse proxy makes for each request of a signed-in user, beside a request that does nothing. */
export async function measureForwardAuth({
  databases,
  profileFolder,
  rounds,
  say,
}: BenchOptions): Promise<MeasuredForwardAuth> {
  buildBundle();
  const database = await databases.fresh();
  const settings = { ...commonSettings, ...database.settings, GATEHOUSE_PUBLIC_URL: 'http://id.example.com' };
  const server = await startServer(settings, profileFolder);
  const driver = startDriver();
  try {
    const token = await protect(server.port);
    const paths = {
      'check of a signed-in program (`auth/envoy`)': '/outpost.gatehouse/auth/envoy/page?a=b',
      'ping (`/outpost.gatehouse/ping`)': '/outpost.gatehouse/ping',
    };
    const sides = Object.entries(paths).map(([name, path]) => ({
      ...{ name, pid: server.pid, database },
      run(seconds: number, run: string) {
        say(name);
        const requests = [{ method: 'GET', path } as const];
        return driver.drive({ port: server.port, token, requests, connections: rounds.connections, seconds, run });
      },
    }));
    const measured = await allByTurns(sides, rounds);
    return {
      connections: rounds.connections,
      rows: measured.map(({ figures }, at) => ({ title: sides[at]?.name ?? '', figures })),
    };
  } finally {
    driver.stop();
    await server.stop();
    await database.drop();
  }
}

/** An application behind the proxy at this port; gives the app password of a program that may use it. */
async function protect(port: number): Promise<string> {
  const ask = async (method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(`http://127.0.0.1:${port}/api/v3${path}`, { method, headers, ...sent });
    if (!answer.ok) throw new Error(`${method} ${path} answers ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as Readonly<Record<string, unknown>>;
  };
  const { pk: provider } = await ask('POST', '/providers/proxy/', {
    ...{ name: 'Bench', mode: 'forward_single', external_host: `http://127.0.0.1:${port}` },
  });
  await ask('POST', '/core/applications/', { name: 'Bench', slug: 'bench', provider });
  const { pk: user } = await ask('POST', '/core/users/', { username: 'program', name: 'A program' });
  await ask('POST', '/core/tokens/', { identifier: 'program', intent: 'app_password', user, expiring: false });
  return String((await ask('GET', '/core/tokens/program/view_key/')).key);
}
