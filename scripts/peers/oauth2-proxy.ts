import { equal } from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { freePort } from '../../test/support/free-port.ts';
import { startUpstreamApp } from '../../test/support/upstream-app.ts';
import { oauth2Proxy as template } from '../../web/admin/applications/templates/oauth2-proxy.ts';
import { buildGo } from './go-program.ts';
import type { Peer } from './peer.ts';
import { dana, environmentIn, group, inScene, isRefused, signIn, type TemplateScene } from './template-scene.ts';

const program = { module: 'github.com/oauth2-proxy/oauth2-proxy/v7', version: 'v7.8.1' };

/** OAuth2 Proxy (Go), set up with the text of its template, signs a person in before an application. */
export const oauth2Proxy: Peer = {
  name: 'OAuth2 Proxy',
  prepare: (folder) => buildGo(folder, 'oauth2-proxy', program),
  run: (folder) => inScene(folder, (scene) => checkOauth2Proxy(scene, join(folder, 'oauth2-proxy'))),
};

async function checkOauth2Proxy(scene: TemplateScene, binary: string): Promise<void> {
  const upstream = await startUpstreamApp();
  try {
    const address = `http://localhost:${await freePort()}`;
    const env = {
      ...environmentIn(await scene.register(template, address)),
      OAUTH2_PROXY_COOKIE_SECRET: randomBytes(16).toString('hex'),
      OAUTH2_PROXY_UPSTREAMS: upstream.url,
      OAUTH2_PROXY_HTTP_ADDRESS: new URL(address).host,
    };
    await scene.start(binary, [], { env }, `${address}/ping`);

    const page = await scene.window();
    await page.goto(address);
    await page.getByRole('button', { name: /Sign in/ }).click();
    await signIn(page, dana);
    await page.waitForURL(`${address}/`);
    const { headers } = upstream.requests.at(-1) ?? { headers: [] };
    const headerOf = (name: string) => headers[headers.findIndex((one) => one.toLowerCase() === name) + 1];
    equal(headerOf('x-forwarded-preferred-username'), dana.username);
    equal(headerOf('x-forwarded-groups'), group);
    await page.goto(`${address}/oauth2/sign_out`);
    await page.goto(address);
    await page.getByRole('button', { name: /Sign in/ }).waitFor();

    const other = await scene.window();
    await other.goto(address);
    await other.getByRole('button', { name: /Sign in/ }).click();
    await isRefused(other);
  } finally {
    await upstream.close();
  }
}
