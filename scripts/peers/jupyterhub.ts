import { deepEqual, equal } from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findChromium } from '../../test/support/chromium.ts';
import { freePort } from '../../test/support/free-port.ts';
import { until } from '../../test/support/jobs.ts';
import { jupyterhub as template } from '../../web/admin/applications/templates/jupyterhub.ts';
import { whoIsHere } from './gatehouse.ts';
import { installNpm, installPython, npmPackages, type Peer, pythonPrograms } from './peer.ts';
import { dana, group, inScene, isRefused, signIn, type TemplateScene } from './template-scene.ts';

const packages = ['jupyterhub==6.1.1', 'oauthenticator==17.4.0'];

/** JupyterHub (PyPI) with its proxy (npm), set up with the text of its template. */
export const jupyterhub: Peer = {
  name: 'JupyterHub',
  async prepare(folder) {
    if ((await findChromium()) === null) return 'there is no Chromium';
    return (
      (await installPython(folder, 'jupyterhub', packages)) ??
      installNpm(folder, 'jupyterhub', ['configurable-http-proxy@5.3.0'])
    );
  },
  run: (folder) => inScene(folder, (scene) => checkJupyterhub(scene, folder)),
};

async function checkJupyterhub(scene: TemplateScene, parent: string): Promise<void> {
  const folder = mkdtempSync(join(parent, 'jupyterhub-'));
  const port = await freePort();
  const address = `http://localhost:${port}`;
  const proxy = join(npmPackages(parent, 'jupyterhub'), 'configurable-http-proxy', 'bin', 'configurable-http-proxy');
  const own = `c.JupyterHub.bind_url = "http://127.0.0.1:${port}"
c.JupyterHub.hub_port = ${await freePort()}
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:${await freePort()}"
c.ConfigurableHTTPProxy.command = ["${process.execPath}", "${proxy}"]
`;
  const file = join(folder, 'jupyterhub_config.py');
  writeFileSync(file, `${own}${await scene.register(template, address)}\n`);
  const command = join(pythonPrograms(parent, 'jupyterhub'), 'jupyterhub');
  await scene.start(command, ['--config', file], { cwd: folder }, `${address}/hub/health`);
  // The proxy listens before it leads to the hub.
  await until(async () => (await fetch(`${address}/hub/health`)).ok);

  const page = await scene.window();
  // Not to a notebook: starting one needs an account of the machine.
  await page.goto(`${address}/hub/home`);
  await page.getByRole('button', { name: 'Sign in with Gatehouse' }).click();
  await signIn(page, dana);
  await page.waitForURL(`${address}/hub/home`);
  const me = await (await page.request.get(`${address}/hub/api/user`)).json();
  equal(me.name, dana.username);
  deepEqual(me.groups, [group]);
  await page.locator('#logout').click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Sign in with Gatehouse' }).waitFor();
  equal(await whoIsHere(page, scene), null);

  const other = await scene.window();
  await other.goto(`${address}/hub/oauth_login`);
  await isRefused(other);
}
