import { deepEqual, equal } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../../test/support/jobs.ts';
import { kubernetes as template } from '../../web/admin/applications/templates/kubernetes.ts';
import { buildGo } from './go-program.ts';
import { endOf, type Peer } from './peer.ts';
import { dana, group, inScene, isRefused, signIn, type TemplateScene } from './template-scene.ts';

const program = { module: 'github.com/int128/kubelogin', version: 'v1.36.3' };

/** The plugin of kubectl (Go) that fetches the tokens for a cluster, run with the line of the template. */
export const kubelogin: Peer = {
  name: 'kubelogin',
  prepare: (folder) => buildGo(folder, 'kubectl-oidc_login', program),
  run: (folder) => inScene(folder, (scene) => checkKubelogin(scene, folder)),
};

/** What the flags of the API server take from a token. */
interface Claims {
  readonly iss: string;
  readonly aud: string;
  readonly preferred_username: string;
  readonly groups: readonly string[];
}

async function checkKubelogin(scene: TemplateScene, folder: string): Promise<void> {
  const text = await scene.register(template, 'https://cluster.example.com:6443');
  const flags = Object.fromEntries(
    [...text.matchAll(/^--oidc-([a-z-]+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
  );
  const command = text.slice(text.indexOf('kubectl '));

  const page = await scene.window();
  const claims = await claimsFor(folder, command, async (address) => {
    await page.goto(address);
    await signIn(page, dana);
    await page.getByText('Authenticated').first().waitFor();
  });
  equal(claims.iss, flags['issuer-url']);
  equal(claims.aud, flags['client-id']);
  equal(claims[flags['username-claim'] as 'preferred_username'], dana.username);
  deepEqual(claims[flags['groups-claim'] as 'groups'], [group]);

  const other = await scene.window();
  let hasReturned = false;
  const refused = claimsFor(folder, command, async (address) => {
    await other.goto(address);
    await isRefused(other);
    hasReturned = true;
  });
  deepEqual(await refused, {});
  equal(hasReturned, true);
}

/** Runs the command in a shell whose `kubectl` does no more than to find its plugin, with a person in the browser. */
async function claimsFor(folder: string, command: string, visit: (address: string) => Promise<void>): Promise<Claims> {
  const bin = join(folder, 'kubectl');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'kubectl'), `#!/bin/sh\nshift\nexec '${folder}/kubectl-oidc_login' "$@"\n`, { mode: 0o755 });
  // Without the programs that would open a browser of this machine.
  const child = spawn('/bin/sh', ['-c', `exec ${command}`], {
    env: { PATH: bin, HOME: bin },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    said += chunk;
  });
  try {
    await until(() => child.exitCode !== null || /http:\/\/localhost:\d+/.test(said));
    await visit(/http:\/\/localhost:\d+\/?/.exec(said)?.[0] ?? '');
    await until(() => child.exitCode !== null || /```\n(\{.*?\})\n```/s.test(said));
    return JSON.parse(/```\n(\{.*?\})\n```/s.exec(said)?.[1] ?? '{}');
  } catch (error) {
    console.error(said);
    throw error;
  } finally {
    await endOf(child);
  }
}
