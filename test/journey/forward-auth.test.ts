import type { BrowserContext } from 'playwright-core';
import { afterAll, describe, expect, test } from 'vitest';
import { identityHeaders } from '../../src/kinds/providers/proxy/header-names.ts';
import type { Setup } from '../../web/admin/applications/forward-auth/setup.ts';
import { identityHeaders as configuredHeaders } from '../../web/admin/applications/forward-auth/setup.ts';
import { freePort } from '../support/free-port.ts';
import { describeJourney, signInOn, signOutOn, whoIs } from '../support/journey.ts';
import { protect } from '../support/protected-host.ts';
import { findProtecting, protectingKinds, sendTo, startProtecting } from '../support/protecting-proxy.ts';
import { openPublicPort } from '../support/public-port.ts';
import { startUpstreamApp } from '../support/upstream-app.ts';

const password = 'a long enough password for Ada';
const front = await openPublicPort();
const upstream = await startUpstreamApp();
afterAll(() => Promise.all([front.close(), upstream.close()]));

const env = { GATEHOUSE_PUBLIC_URL: front.url, GATEHOUSE_TRUSTED_PROXIES: '127.0.0.1' };
const modes = ['forward_single', 'forward_domain', 'proxy'] as const;
const folded = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '-');

/** The headers of the last request for a path, as they came. */
function receivedFor(path: string): [name: string, value: string][] {
  const { headers } = upstream.requests.findLast(({ url }) => url === path) ?? { headers: [] };
  return Array.from({ length: headers.length / 2 }, (_, at) => [
    folded(headers[2 * at] ?? ''),
    headers[2 * at + 1] ?? '',
  ]);
}

const cookiesOf = async (context: BrowserContext, url: string) =>
  (await context.cookies(url)).map(({ name, value }) => `${name}=${value}`).join('; ');

const webSocket = {
  ...{ connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' },
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

test('configurations name every header of the checks', () => {
  expect(configuredHeaders).toEqual(identityHeaders);
});

for (const kind of protectingKinds) {
  const isThere = await findProtecting(kind);
  describe.skipIf(!isThere)(kind.name, () => {
    describeJourney(
      'with the configuration that the administration shows',
      (journey) => {
        test.for(modes)('protects an application in the mode %s', async (mode) => {
          const { server, window } = journey();
          front.leadsTo(server.url);
          const port = await freePort();
          const domain = `${kind.name.toLowerCase()}.localhost`;
          const address = (name: string) => `http://${name}.${domain}:${port}`;
          const app = new URL(address(mode.replace('_', '-')));
          const signInAt = mode === 'forward_domain' ? new URL(address('auth')) : null;
          await protect(server, {
            mode,
            external_host: (signInAt ?? app).origin,
            ...(mode === 'forward_domain' && { cookie_domain: domain }),
            ...(mode === 'proxy' && { internal_host: upstream.url }),
          });
          const setup: Setup = {
            ...{ mode, application: app, signIn: signInAt },
            ...{ gatehouse: new URL(server.url).host, upstream: new URL(upstream.url).host },
          };
          const stop = await startProtecting(kind, setup);
          try {
            const user = await server.user([], { name: 'Zoë 田中' });
            await server.admin.post(`/core/users/${user.pk}/set_password/`, { password });
            const page = await window({ baseURL: front.url });

            // Signs in, and comes back to where the person wanted to be. The WebSocket gets through, too.
            const path = `/${mode}/page?a=b%20c`;
            await page.goto(app.origin + path);
            await signInOn(page, user.username, password);
            await page.getByRole('heading', { name: 'The application' }).waitFor();
            expect(page.url()).toBe(app.origin + path);
            await page.getByText('It says hello').waitFor();
            const received = Object.fromEntries(receivedFor(path));
            expect(received['x-gatehouse-username']).toBe(user.username);
            expect(received['remote-user']).toBe(user.username);
            expect(Buffer.from(received['remote-name'] ?? '', 'latin1').toString('utf8')).toBe('Zoë 田中');
            expect(received['x-gatehouse-jwt']?.split('.')).toHaveLength(3);
            expect(received.host).toBe(app.host);

            // Whatever a client claims to be, in whatever spelling, is replaced.
            const cookie = await cookiesOf(page.context(), app.origin);
            const claims = Object.fromEntries(
              identityHeaders
                .flatMap((name) => [
                  name,
                  name.toUpperCase(),
                  name.replaceAll('-', '_'),
                  name.replaceAll('-', '.'),
                  name.replace('-', '_'),
                  name.toLowerCase().replace(/-(?=[^-]*$)/, '_'),
                ])
                .map((name) => [name, 'admin']),
            );
            const forwarded = {
              'X-Forwarded-Host': 'evil.example',
              'X-Forwarded-Uri': '/public/',
              'X-Original-URL': `${app.origin}/outpost.gatehouse/start`,
              'X-Original-URI': '/outpost.gatehouse/start',
              'X-Rewrite-URL': '/admin',
            };
            const authorization = 'Bearer of-the-application';
            expect(
              (
                await sendTo(`${app.origin}/${mode}/claims`, {
                  ...claims,
                  ...forwarded,
                  authorization,
                  cookie,
                  connection: 'close, Remote-User',
                })
              ).status,
            ).toBe(200);
            const identity = receivedFor(`/${mode}/claims`).filter(([name]) => /^(?:x-gatehouse|remote)-/.test(name));
            expect(identity.filter(([, value]) => value === 'admin')).toEqual([]);
            expect(identity.filter(([name]) => name === 'remote-user')).toEqual([['remote-user', user.username]]);
            const claimed = receivedFor(`/${mode}/claims`);
            expect(claimed.filter(([name]) => /^x-(?:original|rewrite)-/.test(name))).toEqual([]);
            expect(claimed.filter(([name]) => name === 'authorization')).toEqual([['authorization', authorization]]);
            const names = identity.map(([name]) => name);
            expect(names).toEqual([...new Set(names)]);

            // Requests of scripts and programs are refused with the address of the sign-in, and reach nothing.
            const before = upstream.requests.length;
            for (const method of ['GET', 'POST']) {
              const refused = await sendTo(
                `${app.origin}/api/data`,
                { ...claims, ...forwarded, 'sec-fetch-mode': 'cors', accept: '*/*', 'content-length': '0' },
                method,
              );
              expect([method, refused.status]).toEqual([method, 401]);
              expect(JSON.parse(refused.text).sign_in).toContain('/outpost.gatehouse/start?rd=');
            }
            expect((await sendTo(`${app.origin}/echo`, webSocket)).status).toBe(401);
            expect((await sendTo(`${app.origin}/`, { accept: 'text/html' })).status).toBe(302);
            for (const trick of [
              '/outpost.gatehouse/../x',
              '//outpost.gatehouse/x',
              '/Outpost.gatehouse/x',
              '/%6futpost.gatehouse/x',
            ])
              expect([trick, (await sendTo(app.origin + trick, { accept: '*/*' })).status]).not.toEqual([trick, 200]);
            expect(upstream.requests.length).toBe(before);

            // Nor does a client that claims to come for another application, which is open to all.
            const open = [`http://open-${mode.replace('_', '-')}.${domain}:${port}`, `http://${app.hostname}:1`];
            for (const external_host of open) await protect(server, { external_host, skip_path_regex: '^/' });
            const [other = '', samePlace = ''] = open.map((url) => new URL(url).host);
            for (const host of [samePlace, `${app.host},${other}`, `${samePlace},${other}`, `${other}, ${app.host}`]) {
              await sendTo(`${app.origin}/${mode}/other`, { host, accept: '*/*' });
              expect([host, upstream.requests.length]).toEqual([host, before]);
            }

            // Clients read no answers to checks, which are for the application alone.
            for (const name of ['nginx', 'traefik', 'caddy', 'haproxy', 'envoy/']) {
              const asked = { cookie, 'X-Original-URL': `${app.origin}/`, 'X-Forwarded-Uri': '/' };
              const read = await sendTo(`${app.origin}/outpost.gatehouse/auth/${name}`, asked);
              expect([name, read.headers['x-gatehouse-jwt']]).toEqual([name, undefined]);
            }

            // A program brings an app password, which the application does not get.
            const identifier = `${kind.name}-${mode}`;
            await server.admin.post('/core/tokens/', { identifier, intent: 'app_password', user: user.pk });
            const { key } = (await server.admin.get(`/core/tokens/${identifier}/view_key/`)).body;
            const credentials = `Basic ${Buffer.from(`${user.username}:${key}`).toString('base64')}`;
            expect((await sendTo(`${app.origin}/${mode}/program`, { authorization: credentials })).status).toBe(200);
            const brought = Object.fromEntries(receivedFor(`/${mode}/program`));
            expect([brought['remote-user'], brought.authorization ?? '']).toEqual([user.username, '']);

            // Signing out here ends the application's session at once.
            expect((await sendTo(`${app.origin}/echo`, { ...webSocket, cookie })).status).toBe(101);
            await signOutOn(page);
            await page.getByLabel('Email address or username').waitFor();
            expect((await sendTo(`${app.origin}/`, { accept: 'text/html', cookie })).status).toBe(302);
            expect((await sendTo(`${app.origin}/api/data`, { accept: '*/*', cookie })).status).toBe(401);

            // Signing out of the application ends everything.
            await page.goto(app.origin);
            await signInOn(page, user.username, password);
            await page.getByText('It says hello').waitFor();
            expect(await whoIs(page)).toBe(user.username);
            await page.goto(`${app.origin}/outpost.gatehouse/sign_out`);
            await page.getByRole('button', { name: 'Sign out' }).click();
            await page.getByLabel('Email address or username').waitFor();
            expect(await whoIs(page)).toBeNull();
            await page.goto(app.origin);
            await page.getByLabel('Email address or username').waitFor();
          } finally {
            await stop();
          }
        });
      },
      { env },
    );
  });
}
