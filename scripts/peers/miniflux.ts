import { equal } from 'node:assert/strict';
import { join } from 'node:path';
import { freePort } from '../../test/support/free-port.ts';
import { findPostgres, startCluster } from '../../test/support/postgres-cluster.ts';
import { miniflux as template } from '../../web/admin/applications/templates/miniflux.ts';
import { buildGo } from './go-program.ts';
import type { Peer } from './peer.ts';
import { dana, environmentIn, inScene, isRefused, signIn, type TemplateScene } from './template-scene.ts';

const program = { module: 'miniflux.app/v2', version: 'v2.3.0' };

/** Miniflux (Go, on PostgreSQL), set up with the text of its template, has an account for a person who signs in. */
export const miniflux: Peer = {
  name: 'Miniflux',
  async prepare(folder) {
    const postgres = await findPostgres();
    return 'reason' in postgres ? postgres.reason : buildGo(folder, 'miniflux', program);
  },
  async run(folder) {
    const postgres = await findPostgres();
    if ('reason' in postgres) return false;
    const cluster = await startCluster(postgres.programs);
    try {
      return await inScene(folder, (scene) => checkMiniflux(scene, join(folder, 'miniflux'), cluster.adminUrl));
    } finally {
      await cluster.stop();
    }
  },
};

async function checkMiniflux(scene: TemplateScene, binary: string, database: string): Promise<void> {
  const address = `http://localhost:${await freePort()}`;
  const env = {
    ...environmentIn(await scene.register(template, address)),
    ...{
      DATABASE_URL: connectionTo(database),
      RUN_MIGRATIONS: '1',
      BASE_URL: address,
      LISTEN_ADDR: new URL(address).host,
    },
  };
  await scene.start(binary, [], { env }, `${address}/healthcheck`);

  const page = await scene.window();
  await page.goto(address);
  await page.getByRole('link', { name: 'Sign in with Gatehouse' }).click();
  await signIn(page, dana);
  await page.waitForURL(/\/unread$/);
  await page.goto(`${address}/settings`);
  equal(await page.locator('input[name=username]').inputValue(), dana.username);
  await page.goto(`${address}/unread`);
  await page.getByRole('button', { name: 'Logout' }).click();
  await page.goto(`${address}/unread`);
  await page.getByRole('link', { name: 'Sign in with Gatehouse' }).waitFor();

  const other = await scene.window();
  await other.goto(address);
  await other.getByRole('link', { name: 'Sign in with Gatehouse' }).click();
  await isRefused(other);
}

/** Its driver takes a socket only in this form. */
function connectionTo(url: string): string {
  const { username, pathname, searchParams } = new URL(url);
  return `user=${username} dbname=${pathname.slice(1)} host=${searchParams.get('host')} sslmode=disable`;
}
