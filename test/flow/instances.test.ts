import { sql } from 'kysely';
import { afterAll, describe, expect, test } from 'vitest';
import { composeApp } from '../../src/app/compose.ts';
import { openWorld } from '../../src/app/world.ts';
import type { Config } from '../../src/platform/config.ts';
import { createLog } from '../../src/platform/log.ts';
import { type Browser, copyBrowser, openBrowser, signInFlow } from '../support/flow-client.ts';
import { bindExpression, makeWalk, unique } from '../support/make-walk.ts';
import { adminPassword, type DatabaseKind, hasPostgres, startServer, type TestServer } from '../support/server.ts';

/** Another process on the same database, as far as the database can tell. */
async function startInstance(config: Config) {
  const world = await openWorld(config, createLog({ level: 'fatal' }));
  const app = await composeApp(world);
  const url = await app.server.listen({ host: '127.0.0.1', port: 0 });
  return {
    url,
    async close() {
      await app.server.close();
      await world.close();
    },
  };
}

const steps: ((browser: Browser) => Promise<{ body: { component: string } }>)[] = [
  (browser) => browser.show(signInFlow),
  (browser) => browser.answer(signInFlow, { uid_field: 'admin' }),
  (browser) => browser.answer(signInFlow, { password: adminPassword }),
];
const screens = ['xak-stage-identification', 'xak-stage-password', 'xak-flow-redirect'];

describe.each(['sqlite', 'postgres'] as DatabaseKind[])(
  'a server that is restarted in the middle of a walk (%s)',
  (kind) => {
    test.skipIf(kind === 'postgres' && !hasPostgres)('continues the walk', async () => {
      const first = await startServer(kind);
      const { config } = first.world;
      let browser = openBrowser(first);
      expect((await steps[0]?.(browser))?.body.component).toBe(screens[0]);
      // The database of the first stays until the end of the test.
      await first.app.server.close();
      await first.app.jobs.stop();
      await first.world.close();
      for (const [index, step] of steps.entries()) {
        if (index === 0) continue;
        const again = await startInstance(config);
        browser = copyBrowser(again, browser);
        expect((await step(browser)).body.component).toBe(screens[index]);
        if (index === steps.length - 1) {
          expect((await browser.get('/core/users/me/')).body.user.username).toBe('admin');
        }
        await again.close();
      }
    });
  },
);

describe.skipIf(!hasPostgres)('two servers on one PostgreSQL', () => {
  let one: TestServer;
  let other: Awaited<ReturnType<typeof startInstance>>;
  const start = async () => {
    one ??= await startServer('postgres');
    other ??= await startInstance(one.world.config);
  };
  afterAll(async () => {
    await other?.close();
    await one?.close();
  });

  test('serve one walk in turns', async () => {
    await start();
    let browser = openBrowser(one);
    for (const [index, step] of steps.entries()) {
      browser = copyBrowser(index % 2 === 0 ? other : one, browser);
      expect((await step(browser)).body.component).toBe(screens[index]);
    }
    expect((await copyBrowser(one, browser).get('/core/users/me/')).body.user.username).toBe('admin');
  });

  test('accept an answer only once when it is sent to both at once', async () => {
    await start();
    const walk = await makeWalk(one, [
      ['identification', { user_fields: ['username'] }],
      ['dummy'],
      ['identification', { name: unique('last'), user_fields: ['username'] }],
    ]);
    const moves = async () => {
      const { rows } = await sql<{ version: number }>`select version from flow_plans where flow = ${walk.pk}`.execute(
        one.world.db.read,
      );
      return rows.map(({ version }) => version);
    };
    const browser = openBrowser(one);
    await browser.show(walk.slug);
    await browser.answer(walk.slug, { uid_field: 'admin' });
    const [before = 0] = await moves();
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        copyBrowser(index % 2 ? one : other, browser).answer(walk.slug, { component: 'xak-stage-dummy' }),
      ),
    );
    for (const { body } of answers) expect(body.component).toBe('xak-stage-identification');
    expect(await moves()).toEqual([before + 1]);
  });

  test('see each other’s changes at once', async () => {
    await start();
    const walk = await makeWalk(one, [['dummy']]);
    const asked = async () => (await openBrowser(other).show(walk.slug)).body.component;
    expect(await asked()).toBe('xak-stage-dummy');
    await bindExpression(one, walk.pk, 'return false');
    expect(await asked()).toBe('xak-stage-access-denied');
  });
});
