import { equal, match } from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runApache, usual } from '../../test/support/apache.ts';
import { mellon as module } from '../../test/support/apache-saml.ts';
import { findChromium } from '../../test/support/chromium.ts';
import { freePort } from '../../test/support/free-port.ts';
import { mellon as template } from '../../web/admin/applications/templates/mellon.ts';
import { whoIsHere } from './gatehouse.ts';
import { failureOf, type Peer } from './peer.ts';
import { dana, inScene, omar, signIn, type TemplateScene } from './template-scene.ts';

/**
 * Apache with mod_auth_mellon (Debian), set up with the text of its template. The test `saml-service-providers` runs it
 * and the module of Shibboleth, which has no template, with signed requests and encrypted assertions.
 */
export const mellon: Peer = {
  name: 'mod_auth_mellon',
  async prepare() {
    if ((await findChromium()) === null) return 'there is no Chromium';
    return (await module.isThere()) ? null : 'there is no package of Debian';
  },
  run: (folder) => inScene(folder, checkMellon),
};

async function checkMellon(scene: TemplateScene): Promise<void> {
  // Apache runs as a user who cannot read in the folder of the peers.
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-mellon-'));
  const port = await freePort();
  const address = `http://localhost:${port}`;
  const setup = (await scene.register(template, address)).replaceAll('/etc/apache2/mellon', join(folder, 'mellon'));
  const commands = setup.split('\n').filter((line) => line.startsWith('# ') && !line.endsWith(':'));
  equal(await failureOf('sh', ['-ec', commands.map((line) => line.slice(2)).join('\n')]), null);
  const loaded = [usual('auth_mellon'), usual('setenvif')];
  // Its cookies are for TLS otherwise, which browsers drop here.
  const directives = () => `SetEnvIf Request_URI . MELLON_DISABLE_SAMESITE=1\n${setup}\n`;
  const apache = await runApache(port, { loaded, directives }, folder);
  try {
    const page = await scene.window();
    await page.goto(`${address}/protected/`);
    await signIn(page, dana);
    await page.getByRole('heading', { name: 'The secret page' }).waitFor();
    match(apache.log(), new RegExp(`^${dana.username} /protected/`, 'm'));
    await page.goto(`${address}/mellon/logout?ReturnTo=${encodeURIComponent(`${address}/`)}`);
    await page.getByLabel('Email address or username').waitFor();
    equal(await whoIsHere(page, scene), null);

    const other = await scene.window();
    await other.goto(`${address}/protected/`);
    const refused = other.waitForResponse(`${address}/mellon/postResponse`);
    await signIn(other, omar);
    equal((await refused).status(), 401);
  } finally {
    await apache.stop();
    rmSync(folder, { recursive: true });
  }
}
