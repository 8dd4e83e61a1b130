import { equal } from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../test/support/free-port.ts';
import { until } from '../../test/support/jobs.ts';
import { headscale as template } from '../../web/admin/applications/templates/headscale.ts';
import { buildGo } from './go-program.ts';
import { endOf, type Peer } from './peer.ts';
import { dana, inScene, isRefused, signIn, type TemplateScene } from './template-scene.ts';

const program = { module: 'github.com/juanfont/headscale', version: 'v0.29.0', package: './cmd/headscale' };
/** The client that joins the network, in the version that Headscale is built with. */
const client = { tailscale: 'tailscale.com/cmd/tailscale', tailscaled: 'tailscale.com/cmd/tailscaled' };

const run = promisify(execFile);

/** Headscale (Go), set up with the text of its template, lets the computer of a person into the network. */
export const headscale: Peer = {
  name: 'Headscale',
  async prepare(folder) {
    for (const [name, main] of Object.entries({ headscale: program.package, ...client })) {
      const missing = await buildGo(folder, name, { ...program, package: main });
      if (missing !== null) return missing;
    }
    return null;
  },
  run: (folder) => inScene(folder, (scene) => checkHeadscale(scene, folder)),
};

async function checkHeadscale(scene: TemplateScene, folder: string): Promise<void> {
  const address = `http://localhost:${await freePort()}`;
  const work = join(folder, 'headscale-work');
  mkdirSync(work);
  const config = join(work, 'config.yaml');
  const metrics = `127.0.0.1:${await freePort()}`;
  writeFileSync(config, `${configurationOf(address, work, metrics)}${await scene.register(template, address)}\n`);
  const binary = join(folder, 'headscale');
  await scene.start(binary, ['-c', config, 'serve'], {}, `${address}/health`);

  const list = async (what: string) =>
    JSON.parse((await run(binary, ['-c', config, what, 'list', '--output', 'json'])).stdout);
  const computer = await startComputer(folder);
  try {
    const page = await scene.window();
    await joinNetwork(computer.command('up', '--accept-dns=false', `--login-server=${address}`), async (link) => {
      await page.goto(link);
      await signIn(page, dana);
      await page.waitForURL(/\/oidc\/callback/);
      await page.getByRole('button', { name: 'Confirm registration' }).click();
    });
    const [node, ...others] = await list('nodes');
    equal(others.length, 0);
    equal(node.user.name, dana.username);
    // Signing out takes the computer out of the network.
    await new Promise((resolve) => computer.command('logout').once('exit', resolve));
    await until(async () => (await list('nodes')).every(isExpired));
  } finally {
    await computer.stop();
  }

  const other = await scene.window();
  await other.goto(`${address}/register/hskey-authreq-${'x'.repeat(24)}`);
  await isRefused(other);
  equal((await list('users')).length, 1);
}

const isExpired = ({ expiry }: { readonly expiry?: { readonly seconds: number } }) =>
  expiry !== undefined && expiry.seconds * 1_000 <= Date.now();

/** A computer with the client, which touches no network device of this one. */
async function startComputer(folder: string) {
  const state = join(folder, 'computer');
  mkdirSync(state);
  const socket = join(state, 'socket');
  const daemon = spawn(
    join(folder, 'tailscaled'),
    ['--tun=userspace-networking', `--statedir=${state}`, `--socket=${socket}`, '--port=0', '--no-logs-no-support'],
    { stdio: 'ignore' },
  );
  await until(() => existsSync(socket));
  return {
    command: (...args: string[]) =>
      spawn(join(folder, 'tailscale'), [`--socket=${socket}`, ...args], { stdio: ['ignore', 'ignore', 'pipe'] }),
    stop: () => endOf(daemon),
  };
}

/** The client says where the person is to sign in, and ends once the computer is in the network. */
async function joinNetwork(
  up: ReturnType<Awaited<ReturnType<typeof startComputer>>['command']>,
  visit: (link: string) => Promise<void>,
): Promise<void> {
  let said = '';
  up.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    said += chunk;
  });
  try {
    const link = /https?:\/\/\S+\/register\/\S+/;
    await until(() => up.exitCode !== null || link.test(said));
    await visit(link.exec(said)?.[0] ?? said);
    await until(() => up.exitCode !== null);
    equal(up.exitCode, 0, said);
  } finally {
    await endOf(up);
  }
}

const configurationOf = (address: string, work: string, metrics: string) => `
server_url: ${address}
listen_addr: ${new URL(address).host}
metrics_listen_addr: ${metrics}
grpc_listen_addr: 127.0.0.1:0
noise:
  private_key_path: ${work}/noise.key
prefixes:
  v4: 100.64.0.0/10
  v6: fd7a:115c:a1e0::/48
derp:
  server:
    enabled: true
    region_id: 999
    region_code: own
    region_name: Own
    stun_listen_addr: 127.0.0.1:0
    private_key_path: ${work}/derp.key
  urls: []
database:
  type: sqlite
  sqlite:
    path: ${work}/db.sqlite
dns:
  magic_dns: false
  override_local_dns: false
  base_domain: net.example
unix_socket: ${work}/socket
log:
  level: error
`;
