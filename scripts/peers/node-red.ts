import { equal } from 'node:assert/strict';
import { mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findChromium } from '../../test/support/chromium.ts';
import { freePort } from '../../test/support/free-port.ts';
import { nodeRed as template } from '../../web/admin/applications/templates/node-red.ts';
import { installNpm, npmPackages, type Peer } from './peer.ts';
import { dana, inScene, isRefused, signIn, type TemplateScene } from './template-scene.ts';

const packages = ['node-red@4.1.15', 'passport-openidconnect@0.1.2'];

/** Node-RED (npm), set up with the text of its template. */
export const nodeRed: Peer = {
  name: 'Node-RED',
  async prepare(folder) {
    if ((await findChromium()) === null) return 'there is no Chromium';
    return installNpm(folder, 'node-red', packages);
  },
  run: (folder) => inScene(folder, (scene) => checkNodeRed(scene, folder)),
};

async function checkNodeRed(scene: TemplateScene, parent: string): Promise<void> {
  const folder = mkdtempSync(join(parent, 'node-red-'));
  const port = await freePort();
  const address = `http://localhost:${port}`;
  const setup = await scene.register(template, address);
  const modules = npmPackages(parent, 'node-red');
  symlinkSync(modules, join(folder, 'node_modules'));
  const settings = join(folder, 'settings.js');
  // What it asks of a new installation covers its menus.
  const own = `uiPort: ${port},\nuiHost: "127.0.0.1",\neditorTheme: { tours: false },\ntelemetry: { enabled: false },`;
  writeFileSync(settings, `module.exports = {\n${own}\n${setup}\n};\n`);
  const args = [join(modules, 'node-red', 'red.js'), '--userDir', folder, '--settings', settings];
  await scene.start(process.execPath, args, { cwd: folder }, `http://127.0.0.1:${port}/auth/login`);

  const page = await scene.window();
  await page.goto(address);
  await page.getByText('Sign in with Gatehouse').click();
  await signIn(page, dana);
  await page.locator('#red-ui-header-button-user').click();
  await page.locator('#usermenu-item-username').getByText(dana.username, { exact: true }).waitFor();
  const { access_token } = await page.evaluate<{ access_token: string }>("RED.settings.get('auth-tokens')");
  const statusThere = async () => {
    const headers = { authorization: `Bearer ${access_token}` };
    return (await fetch(`http://127.0.0.1:${port}/settings`, { headers })).status;
  };
  equal(await statusThere(), 200);
  await page.locator('#usermenu-item-logout').click();
  await page.getByText('Sign in with Gatehouse').waitFor();
  equal(await statusThere(), 401);

  const other = await scene.window();
  await other.goto(`${address}/auth/strategy`);
  await isRefused(other);
}
