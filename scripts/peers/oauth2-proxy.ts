import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { findChromium, launchChromium } from '../../test/support/chromium.ts';
import { freePort } from '../../test/support/free-port.ts';
import { firstStart, processToken, startServerProcess } from '../../test/support/gatehouse-process.ts';
import { until } from '../../test/support/jobs.ts';
import { startUpstreamApp } from '../../test/support/upstream-app.ts';
import { bodyFor, factsOf, setupOf } from '../../web/admin/applications/template.ts';
import { oauth2Proxy as template } from '../../web/admin/applications/templates/oauth2-proxy.ts';
import { endOf, failureOf, type Peer } from './peer.ts';

const version = 'v7.8.1';
const module = 'github.com/oauth2-proxy/oauth2-proxy/v7';
const person = { username: 'dana', password: 'orchard beyond the hill', group: 'Keepers' };

/** OAuth2 Proxy (Go), set up with the text of its template, signs a person in before an application. */
export const oauth2Proxy: Peer = {
  name: 'OAuth2 Proxy',
  async prepare(folder) {
    if ((await findChromium()) === null) return 'there is no Chromium';
    // `go install` asks for other versions, too, which not every mirror lists. The cache is deleted with the folder.
    const go = { GOMODCACHE: join(folder, 'go'), GOFLAGS: '-modcacherw' };
    return (
      (await failureOf('go', ['mod', 'download', `${module}@${version}`], go)) ??
      failureOf(
        'go',
        ['build', '-o', join(folder, 'oauth2-proxy'), '.'],
        go,
        join(go.GOMODCACHE, `${module}@${version}`),
      )
    );
  },
  async run(folder) {
    const port = await freePort();
    const upstream = await startUpstreamApp();
    const server = await startServerProcess({
      ...firstStart,
      GATEHOUSE_DATA_DIR: mkdtempSync(join(folder, 'data-')),
      PORT: String(port),
      GATEHOUSE_PUBLIC_URL: `http://localhost:${port}`,
    });
    const api = server.as(processToken);
    const address = `http://localhost:${await freePort()}`;
    const choices = {
      ...{ name: template.name, slug: template.id, address, redirect: '', signedOut: '', backchannel: '', entity: '' },
      groups: [],
    };
    const { body: created } = await api.put('/core/transactional/applications/', bodyFor(template, choices));
    const own = { COOKIE_SECRET: randomBytes(16).toString('hex'), UPSTREAMS: upstream.url };
    const env = {
      ...environmentIn(setupOf(template, factsOf(address, template.id, created), [])),
      ...Object.fromEntries(Object.entries(own).map(([name, value]) => [`OAUTH2_PROXY_${name}`, value])),
      OAUTH2_PROXY_HTTP_ADDRESS: new URL(address).host,
    };
    const proxy = spawn(join(folder, 'oauth2-proxy'), { env, stdio: ['ignore', 'ignore', 'inherit'] });
    const browser = await launchChromium((await findChromium()) ?? '');
    try {
      await until(() =>
        fetch(`${address}/ping`).then(
          ({ ok }) => ok,
          () => false,
        ),
      );
      const { body: group } = await api.post('/core/groups/', { name: person.group });
      const made = { username: person.username, name: 'Dana Vo', email: 'dana@example.org', groups: [group.pk] };
      const { body: user } = await api.post('/core/users/', made);
      await api.post(`/core/users/${user.pk}/set_password/`, { password: person.password });

      const page = await browser.newPage();
      await page.goto(address);
      await page.getByRole('button', { name: /Sign in/ }).click();
      await page.getByLabel('Email address or username').fill(person.username);
      await page.keyboard.press('Enter');
      await page.getByLabel('Password', { exact: true }).fill(person.password);
      await page.keyboard.press('Enter');
      // What the application will learn.
      await page.waitForURL(/explicit-consent/);
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.waitForURL(`${address}/`);
      const { headers } = upstream.requests.at(-1) ?? { headers: [] };
      const headerOf = (name: string) => headers[headers.findIndex((one) => one.toLowerCase() === name) + 1];
      return headerOf('x-forwarded-preferred-username') === 'dana' && headerOf('x-forwarded-groups') === person.group;
    } catch (error) {
      console.error(error);
      return false;
    } finally {
      await browser.close();
      await endOf(proxy);
      await server.stop();
      await upstream.close();
    }
  },
};

/** The lines of an environment file, without its comments. */
function environmentIn(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line.includes('=') && !line.startsWith('#'));
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
}
