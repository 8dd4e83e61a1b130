import { equal, match } from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { findApache, runApache, usual } from '../../test/support/apache.ts';
import { mellon as module } from '../../test/support/apache-saml.ts';
import { findChromium } from '../../test/support/chromium.ts';
import { freePort } from '../../test/support/free-port.ts';
import type { Template } from '../../web/admin/applications/template.ts';
import { apache as openidcTemplate } from '../../web/admin/applications/templates/apache.ts';
import { mellon as mellonTemplate } from '../../web/admin/applications/templates/mellon.ts';
import { whoIsHere } from './gatehouse.ts';
import { failureOf, type Peer } from './peer.ts';
import { dana, inScene, isRefused, omar, signIn, type TemplateScene } from './template-scene.ts';

/** Apache with mod_auth_openidc (Debian), set up with the text of its template. */
export const openidc: Peer = {
  name: 'mod_auth_openidc',
  prepare: () => whatIsMissing(findApache),
  run: (folder) =>
    inScene(folder, (scene) =>
      checkApache(scene, {
        template: openidcTemplate,
        loaded: [usual('auth_openidc')],
        prepare: (setup) => setup.replace(/^OIDCCryptoPassphrase$/m, `$& ${randomBytes(32).toString('hex')}`),
        signOut: '/oidc/redirect_uri?logout=',
        refuse: isRefused,
      }),
    ),
};

/**
 * Apache with mod_auth_mellon (Debian), set up with the text of its template. The test `saml-service-providers` runs it
 * and the module of Shibboleth, which has no template, with signed requests and encrypted assertions.
 */
export const mellon: Peer = {
  name: 'mod_auth_mellon',
  prepare: () => whatIsMissing(module.isThere),
  run: (folder) =>
    inScene(folder, (scene) =>
      checkApache(scene, {
        template: mellonTemplate,
        loaded: [usual('auth_mellon'), usual('setenvif')],
        prepare: prepareMellon,
        signOut: '/mellon/logout?ReturnTo=',
        async refuse(page) {
          const refused = page.waitForResponse(/\/mellon\/postResponse$/);
          await signIn(page, omar);
          equal((await refused).status(), 401);
        },
      }),
    ),
};

async function whatIsMissing(isThere: () => Promise<boolean>): Promise<string | null> {
  if ((await findChromium()) === null) return 'there is no Chromium';
  return (await isThere()) ? null : 'there is no package of Debian';
}

/** Runs the commands in the comments of its template. */
async function prepareMellon(text: string, folder: string): Promise<string> {
  const setup = text.replaceAll('/etc/apache2/mellon', join(folder, 'mellon'));
  const commands = setup.split('\n').filter((line) => line.startsWith('# ') && !line.endsWith(':'));
  equal(await failureOf('sh', ['-ec', commands.map((line) => line.slice(2)).join('\n')]), null);
  // Its cookies are for TLS otherwise, which browsers drop here.
  return `SetEnvIf Request_URI . MELLON_DISABLE_SAMESITE=1\n${setup}`;
}

interface ApacheModule {
  readonly template: Template;
  readonly loaded: readonly string[];
  /** Makes what the text leaves to people. */
  prepare(setup: string, folder: string): string | Promise<string>;
  /** Where people sign out, up to the address to which they return. */
  readonly signOut: string;
  /** Omar signs in, who may not. */
  refuse(page: Page): Promise<void>;
}

async function checkApache(
  scene: TemplateScene,
  { template, loaded, prepare, signOut, refuse }: ApacheModule,
): Promise<void> {
  // Apache runs as a user who cannot read in the folder of the peers.
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-apache-'));
  const port = await freePort();
  const address = `http://localhost:${port}`;
  const setup = await prepare(await scene.register(template, address), folder);
  const apache = await runApache(port, { loaded, directives: () => `${setup}\n` }, folder);
  try {
    const page = await scene.window();
    await page.goto(`${address}/protected/`);
    await signIn(page, dana);
    await page.getByRole('heading', { name: 'The secret page' }).waitFor();
    match(apache.log(), new RegExp(`^${dana.username} /protected/`, 'm'));
    await page.goto(`${address}${signOut}${encodeURIComponent(`${address}/`)}`);
    await page.getByLabel('Email address or username').waitFor();
    equal(await whoIsHere(page, scene), null);

    const other = await scene.window();
    await other.goto(`${address}/protected/`);
    await refuse(other);
  } finally {
    await apache.stop();
    rmSync(folder, { recursive: true });
  }
}
