import { equal } from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { freePort } from '../../test/support/free-port.ts';
import { gitea as template } from '../../web/admin/applications/templates/gitea.ts';
import { buildGo, moduleFolder } from './go-program.ts';
import type { Peer } from './peer.ts';
import { dana, inScene, isRefused, signIn, type TemplateScene } from './template-scene.ts';

const program = { module: 'code.gitea.io/gitea', version: 'v1.25.5', tags: 'sqlite sqlite_unlock_notify' };
const administrator = { username: 'keeper', password: 'the-password-of-gitea' };

/** Gitea (Go), set up with the text of its template, has an account for a person who signs in. */
export const gitea: Peer = {
  name: 'Gitea',
  prepare: (folder) => buildGo(folder, 'gitea', program),
  run: (folder) => inScene(folder, (scene) => checkGitea(scene, folder)),
};

async function checkGitea(scene: TemplateScene, folder: string): Promise<void> {
  const address = `http://localhost:${await freePort()}`;
  // The first part is for a form of the administration, the second for the configuration.
  const [form = '', ...ini] = (await scene.register(template, address)).split('\n\n');
  const work = join(folder, 'gitea-work');
  mkdirSync(work);
  const config = join(work, 'app.ini');
  writeFileSync(config, configurationOf(address, work, moduleFolder(folder, program), ini.join('\n\n')));
  const binary = join(folder, 'gitea');
  const env = { ...process.env, HOME: work, USER: userInfo().username };
  const base = ['--config', config, '--work-path', work];
  const account = ['--username', administrator.username, '--password', administrator.password, '--admin'];
  await promisify(execFile)(binary, [...base, 'migrate'], { env });
  await promisify(execFile)(
    binary,
    [...base, 'admin', 'user', 'create', ...account, '--email', 'keeper@example.org', '--must-change-password=false'],
    { env },
  );
  await scene.start(binary, [...base, 'web'], { env }, `${address}/api/healthz`);
  await addSource(await scene.window(), address, form);

  const page = await scene.window();
  await page.goto(`${address}/user/login`);
  await page.getByRole('link', { name: 'gatehouse' }).click();
  await signIn(page, dana);
  await page.waitForURL(`${address}/`);
  equal(await nameAt(page, address), dana.username);
  // Its scripts would send this.
  const _csrf = String(await page.evaluate('window.config.csrfToken'));
  await page.request.post(`${address}/user/logout`, { form: { _csrf } });
  equal(await nameAt(page, address), '');

  const other = await scene.window();
  await other.goto(`${address}/user/login`);
  await other.getByRole('link', { name: 'gatehouse' }).click();
  await isRefused(other);
}

const configurationOf = (address: string, work: string, files: string, pasted: string) => `
RUN_USER = ${userInfo().username}
I_AM_BEING_UNSAFE_RUNNING_AS_ROOT = true
[security]
INSTALL_LOCK = true
[server]
HTTP_ADDR = 127.0.0.1
HTTP_PORT = ${new URL(address).port}
ROOT_URL = ${address}/
STATIC_ROOT_PATH = ${files}
DISABLE_SSH = true
[database]
DB_TYPE = sqlite3
PATH = ${join(work, 'gitea.db')}
[log]
LEVEL = Error
${pasted}
`;

/**
 * Fills the form of the administration by its labels. Its scripts are no part of the module: they choose the type and
 * the provider, and hide the fields of the others.
 */
async function addSource(page: Page, address: string, text: string): Promise<void> {
  await page.goto(`${address}/user/login`);
  await page.getByLabel('Username or Email Address').fill(administrator.username);
  await page.getByLabel('Password').fill(administrator.password);
  await page.keyboard.press('Enter');
  await page.waitForURL(`${address}/`);
  await page.goto(`${address}/-/admin/auths/new`);
  const choose = (id: string, value: string) =>
    page.locator(`#${id}`).evaluate((input, chosen) => input.setAttribute('value', chosen), value);
  await choose('auth_type', '6');
  for (const line of text.split(/\n|, (?=required )/)) {
    const [label = '', value = ''] = line.split(/: (.*)/s);
    if (label === 'OAuth2 provider')
      await choose('oauth2_provider', { 'OpenID Connect': 'openidConnect' }[value] ?? '');
    else await page.getByLabel(label).first().fill(value);
  }
  await page.getByRole('button', { name: 'Add Authentication Source' }).click();
  await page.waitForURL(/\/admin\/auths(\/\d+)?$/);
}

/** The username of the session at Gitea; empty without a session. */
async function nameAt(page: Page, address: string): Promise<string> {
  const answer = await page.request.get(`${address}/user/settings`, { maxRedirects: 0 });
  return /name="name" value="([^"]*)"/.exec(await answer.text())?.[1] ?? '';
}
