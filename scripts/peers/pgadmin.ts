import { equal, match } from 'node:assert/strict';
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findChromium } from '../../test/support/chromium.ts';
import { freePort } from '../../test/support/free-port.ts';
import { pgadmin as template } from '../../web/admin/applications/templates/pgadmin.ts';
import { whoIsHere } from './gatehouse.ts';
import { installPython, type Peer, pythonPrograms } from './peer.ts';
import { dana, inScene, isRefused, signIn, type TemplateScene } from './template-scene.ts';

/** pgAdmin (PyPI), set up with the text of its template. */
export const pgadmin: Peer = {
  name: 'pgAdmin',
  async prepare(folder) {
    if ((await findChromium()) === null) return 'there is no Chromium';
    return installPython(folder, 'pgadmin', ['pgadmin4==9.18']);
  },
  run: (folder) => inScene(folder, (scene) => checkPgadmin(scene, folder)),
};

async function checkPgadmin(scene: TemplateScene, parent: string): Promise<void> {
  const folder = mkdtempSync(join(parent, 'pgadmin-'));
  const port = await freePort();
  const address = `http://localhost:${port}`;
  const programs = pythonPrograms(parent, 'pgadmin');
  const [python = ''] = readdirSync(join(programs, '..', 'lib'));
  const installed = join(programs, '..', 'lib', python, 'site-packages', 'pgadmin4');
  const own = `SERVER_MODE = True
DATA_DIR = '${folder}'
LOG_FILE = '${folder}/log'
DEFAULT_SERVER = '127.0.0.1'
DEFAULT_SERVER_PORT = ${port}
`;
  writeFileSync(join(installed, 'config_local.py'), `${own}${await scene.register(template, address)}\n`);
  const env = { PGADMIN_SETUP_EMAIL: 'admin@example.org', PGADMIN_SETUP_PASSWORD: 'of no use here' };
  const options = { cwd: folder, env: { ...process.env, ...env } };
  await scene.start(join(programs, 'python'), [join(installed, 'pgAdmin4.py')], options, `${address}/misc/ping`);

  const page = await scene.window();
  await page.goto(address);
  await page.getByRole('button', { name: 'Gatehouse' }).click();
  await signIn(page, dana);
  await page.waitForURL(`${address}/browser/`);
  const me = await page.request.get(`${address}/user_management/current_user.js`);
  match(await me.text(), /dana@example.org/);
  await page.goto(`${address}/oauth2/logout`);
  await page.waitForURL(`${address}/login**`);
  equal(await whoIsHere(page, scene), null);

  const other = await scene.window();
  await other.goto(address);
  await other.getByRole('button', { name: 'Gatehouse' }).click();
  await isRefused(other);
}
