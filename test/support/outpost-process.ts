import { databaseProxy } from '../operations/database-proxy.ts';
import { type GatehouseProcess, startGatehouse } from './gatehouse-process.ts';
import type { TestServer } from './server.ts';

export interface OutpostInTest {
  readonly pk: string;
  readonly name: string;
  readonly identifier: string;
  readonly url: string;
  /** The addresses of its other ports by their protocol: `LDAP`. */
  readonly listening: Readonly<Record<string, string>>;
  readonly running: GatehouseProcess;
  /** The way to the server, which can be cut. */
  readonly way: { away(): void; back(): void; silent(): void };
  stop(): Promise<void>;
}

interface Options {
  readonly type?: string;
  readonly env?: Record<string, string>;
  /** Another address of the server, instead of the way that can be cut. */
  readonly address?: string;
}

let count = 0;

/** An outpost for these providers, whose process is started with its token. */
export async function startOutpost(
  server: Pick<TestServer, 'admin' | 'url'>,
  providers: readonly number[],
  config: Record<string, unknown> = {},
  { type = 'proxy', env = {}, address }: Options = {},
): Promise<OutpostInTest> {
  count += 1;
  const { admin } = server;
  const name = `Near ${count}`;
  const created = await admin.post('/outposts/instances/', { name, type, providers, config });
  if (created.status !== 201) throw new Error(`no outpost: ${created.text}`);
  const identifier: string = created.body.token_identifier;
  const token = await tokenOf(server, identifier);
  const way = await databaseProxy(server.url);
  const running = startGatehouse(['outpost', '--server', address ?? way.url], {
    ...{ GATEHOUSE_TOKEN: token, PORT: '0', GATEHOUSE_TRUSTED_PROXIES: '127.0.0.1', ...env },
  });
  const url = await readyAt(running);
  const served = running.stdout().matchAll(/"address":"([^"]+)".*"msg":"(\w+) is served"/g);
  const listening = Object.fromEntries(Array.from(served, ([, address = '', protocol = '']) => [protocol, address]));
  return {
    ...{ pk: created.body.pk, name, identifier, url, listening, running, way },
    async stop() {
      running.kill('SIGTERM');
      await running.finished;
      await way.close();
    },
  };
}

export const tokenOf = async ({ admin }: Pick<TestServer, 'admin'>, identifier: string): Promise<string> =>
  (await admin.get(`/core/tokens/${identifier}/view_key/`)).body.key;

async function readyAt({ stdout, stderr, finished }: GatehouseProcess): Promise<string> {
  let isOver = false;
  void finished.then(() => {
    isOver = true;
  });
  while (!isOver) {
    const ready = /"address":"([^"]+)".*"the outpost is ready"/.exec(stdout());
    if (ready?.[1]) return ready[1];
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`the outpost did not start:\n${stdout()}\n${stderr()}`);
}
