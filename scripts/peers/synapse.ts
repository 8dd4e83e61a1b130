import { equal } from 'node:assert/strict';
import { appendFileSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findChromium } from '../../test/support/chromium.ts';
import { freePort } from '../../test/support/free-port.ts';
import { until } from '../../test/support/jobs.ts';
import { loopbackAllowed } from '../../test/support/service.ts';
import { synapse as template } from '../../web/admin/applications/templates/synapse.ts';
import { signOutHere } from './gatehouse.ts';
import { failureOf, fetchJson, installPython, type Peer, pythonPrograms } from './peer.ts';
import { dana, inScene, isRefused, signIn, type TemplateScene } from './template-scene.ts';

/** Synapse (PyPI), set up with the text of its template. */
export const synapse: Peer = {
  name: 'Synapse',
  async prepare(folder) {
    if ((await findChromium()) === null) return 'there is no Chromium';
    return installPython(folder, 'synapse', ['matrix-synapse[oidc]==1.163.2']);
  },
  run: (folder) => inScene(folder, (scene) => checkSynapse(scene, folder), loopbackAllowed),
};

async function checkSynapse(scene: TemplateScene, parent: string): Promise<void> {
  const folder = mkdtempSync(join(parent, 'synapse-'));
  const port = await freePort();
  const address = `http://localhost:${port}`;
  const python = join(pythonPrograms(parent, 'synapse'), 'python');
  const file = join(folder, 'homeserver.yaml');
  const start = ['-m', 'synapse.app.homeserver', '--config-path', file];
  const generate = ['--server-name', 'localhost', '--generate-config', '--report-stats=no'];
  equal(await failureOf(python, [...start, ...generate], {}, folder), null);
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll('8008', String(port)));
  appendFileSync(file, `\npublic_baseurl: "${address}/"\n${await scene.register(template, address)}\n`);
  await scene.start(python, start, { cwd: folder }, `${address}/health`);

  const client = `${address}/_matrix/client/v3`;
  const begin = `${client}/login/sso/redirect/oidc-gatehouse?redirectUrl=${encodeURIComponent(`${address}/app/`)}`;
  const page = await scene.window();
  await page.goto(begin);
  await signIn(page, dana);
  // Synapse asks whether this client may have the account.
  await page.getByRole('link', { name: 'Continue' }).click();
  await page.waitForURL(`${address}/app/**`);
  const token = new URL(page.url()).searchParams.get('loginToken');
  const body = JSON.stringify({ type: 'm.login.token', token });
  const { access_token } = await fetchJson(`${client}/login`, { method: 'POST', body });
  const headers = { authorization: `Bearer ${access_token}` };
  const { user_id } = await fetchJson(`${client}/account/whoami`, { headers });
  equal(user_id, `@${dana.username}:localhost`);
  equal((await fetchJson(`${client}/profile/${user_id}/displayname`, { headers })).displayname, dana.name);
  // By back-channel logout.
  await signOutHere(page, scene);
  await until(async () => (await fetch(`${client}/account/whoami`, { headers })).status === 401);

  const other = await scene.window();
  await other.goto(begin);
  await isRefused(other);
}
