import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, expect, test } from 'vitest';
import { runGatehouse, startGatehouse } from '../../support/gatehouse-process.ts';
import { type OutpostInTest, startOutpost, tokenOf } from '../../support/outpost-process.ts';
import { behindProxy, type ProtectedHost, protect, proxiedBrowser, sendAs } from '../../support/protected-host.ts';
import { describeOnBoth } from '../../support/server.ts';
import { startUpstreamApp } from '../../support/upstream-app.ts';
import { echo, openWebSocket } from '../../support/web-socket.ts';

const upstream = await startUpstreamApp();
afterAll(() => upstream.close());

describeOnBoth(
  'an outpost in a process of its own',
  (server) => {
    const started: OutpostInTest[] = [];
    afterEach(async () => {
      for (const outpost of started.splice(0)) await outpost.stop();
    });
    const near = async (apps: readonly ProtectedHost[], config: Record<string, unknown> = {}) => {
      const outpost = await startOutpost(
        server(),
        apps.map(({ pk }) => pk),
        config,
      );
      started.push(outpost);
      return outpost;
    };
    /** A user who has signed in to the application through the outpost. */
    const entered = async (app: ProtectedHost, outpost: OutpostInTest) => {
      const user = await server().user();
      const browser = proxiedBrowser(server(), new Map(), outpost);
      const session = await browser.signIn(user.pk);
      await browser.enter(app);
      return { user, browser, session };
    };

    test('serves forward auth for its providers, and for no others', async () => {
      const [app, other] = [await protect(server(), { skip_path_regex: '^/public/' }), await protect(server())];
      const outpost = await near([app]);
      const { browser, user } = await entered(app, outpost);
      for (const kind of ['nginx', 'caddy', 'traefik', 'haproxy']) {
        const { status, headers } = await browser.ask(`${app.url}/page`, { kind });
        expect([kind, status, headers['remote-user']]).toEqual([kind, 200, user.username]);
        expect(headers['x-gatehouse-meta-outpost']).toBe(outpost.name);
      }
      const stranger = proxiedBrowser(server(), new Map(), outpost);
      expect((await stranger.ask(`${app.url}/page`)).location).toContain(`${app.url}/outpost.gatehouse/start`);
      expect((await stranger.ask(`${app.url}/page`, { kind: 'nginx' })).status).toBe(401);
      const open = await stranger.ask(`${app.url}/public/a`);
      expect([open.status, open.headers['remote-user']]).toEqual([200, '']);
      expect((await stranger.ask(`${other.url}/`)).text).toContain('No provider of Gatehouse protects this host');
      // The server leaves it to the outpost, and serves the others.
      const here = proxiedBrowser(server(), browser.jar);
      expect((await here.ask(`${app.url}/page`)).status).toBe(400);
      expect((await here.ask(`${other.url}/`)).status).toBe(302);
    });

    test('signs out everywhere, and lets programs in by app passwords', async () => {
      const app = await protect(server());
      const outpost = await near([app]);
      const { browser, user } = await entered(app, outpost);
      await server().admin.post('/core/tokens/', {
        ...{ identifier: `near-${user.pk}`, intent: 'app_password', user: user.pk, expiring: false },
      });
      const secret = await tokenOf(server(), `near-${user.pk}`);
      const ask = (password: string) =>
        proxiedBrowser(server(), new Map(), outpost).ask(`${app.url}/`, {
          headers: { authorization: `Basic ${Buffer.from(`${user.username}:${password}`).toString('base64')}` },
        });
      expect((await ask(secret)).headers['remote-user']).toBe(user.username);
      expect((await ask(`${secret}x`)).status).toBe(401);
      const sent = await browser.leave(app);
      expect(sent.status).toBe(303);
      expect((await browser.ask(`${app.url}/`)).status).toBe(302);
    });

    test('passes requests on to the application near it with the mode proxy', async () => {
      const app = await protect(server(), { mode: 'proxy', internal_host: upstream.url });
      const outpost = await near([app]);
      const { browser, user, session } = await entered(app, outpost);
      const page = await browser.open(`${app.url}/shown?a=b`, { 'x-gatehouse-username': 'root', remote_user: 'root' });
      expect([page.status, page.text.includes('The application')]).toEqual([200, true]);
      const seen = upstream.requests.at(-1);
      const sentAs = (name: string) =>
        (seen?.headers ?? []).flatMap((one, at, all) =>
          at % 2 === 0 && one.toLowerCase() === name ? [all[at + 1]] : [],
        );
      expect([seen?.url, sentAs('x-gatehouse-username'), sentAs('remote_user')]).toEqual([
        '/shown?a=b',
        [user.username],
        [],
      ]);
      expect(sentAs('cookie').join()).not.toContain('gatehouse_proxy_');
      const socket = { upgrade: 'websocket', connection: 'Upgrade', 'sec-fetch-mode': 'websocket' };
      expect((await proxiedBrowser(server(), new Map(), outpost).open(`${app.url}/echo`, socket)).status).toBe(401);
      await server().admin.delete(`/core/authenticated_sessions/${session.pk}/`);
      expect((await browser.open(`${app.url}/shown`)).status).toBe(302);
    });

    test('carries WebSockets to the application near it', async () => {
      const app = await protect(server(), { mode: 'proxy', internal_host: upstream.url });
      const outpost = await near([app]);
      const { browser } = await entered(app, outpost);
      const [head, socket] = await openWebSocket(outpost, app, browser);
      expect(head).toContain('HTTP/1.1 101');
      expect(await echo(socket, 'hello')).toBe('hello');
      socket.destroy();
      const before = upstream.requests.length;
      const [refused, other] = await openWebSocket(outpost, app, null);
      expect([refused.split('\r\n')[0], upstream.requests.length]).toEqual(['HTTP/1.1 401 Unauthorized', before]);
      other.destroy();
    });

    test('honors earlier decisions for the configured time while the server is away, then denies', async () => {
      const app = await protect(server(), { skip_path_regex: '^/public/' });
      const outpost = await near([app], { keep_decisions: 'seconds=4' });
      const { browser, user } = await entered(app, outpost);
      const { browser: second } = await entered(app, outpost);
      expect((await browser.ask(`${app.url}/a`)).status).toBe(200);
      const stranger = proxiedBrowser(server(), new Map(), outpost);
      expect((await stranger.ask(`${app.url}/public/a`)).status).toBe(200);
      outpost.way.away();
      const during = await browser.ask(`${app.url}/another?page`, { kind: 'caddy' });
      expect([during.status, during.headers['remote-user']]).toEqual([200, user.username]);
      expect((await stranger.ask(`${app.url}/public/a`)).status).toBe(200);
      // Only the same request: another path, session, address or kind of check was not decided.
      const denied = await Promise.all([
        stranger.ask(`${app.url}/public/b`),
        stranger.ask(`${app.url}/a`),
        second.ask(`${app.url}/a`),
        browser.ask(`${app.url}/a`, { headers: { 'x-forwarded-for': '203.0.113.8' } }),
        browser.ask(`${app.url}/a`, { kind: 'nginx' }),
        browser.ask(`${app.url}/outpost.gatehouse/sign_out`),
        browser.open(`${app.url}/outpost.gatehouse/start`),
      ]);
      expect(denied.map(({ status }) => status)).toEqual(denied.map(() => 503));
      await sleep(4_000);
      expect((await browser.ask(`${app.url}/a`)).status).toBe(503);
      expect((await sendAs(outpost, '/-/health/ready/')).status).toBe(503);
      expect((await sendAs(outpost, '/-/health/live/')).status).toBe(200);
      outpost.way.back();
      expect((await browser.ask(`${app.url}/a`)).status).toBe(200);
      expect((await sendAs(outpost, '/-/health/ready/')).status).toBe(200);
    });

    test('honors nothing with a time of zero, nor what the server has taken back', async () => {
      const [app, other] = [await protect(server()), await protect(server())];
      const strict = await near([app], { keep_decisions: 'seconds=0' });
      const { browser } = await entered(app, strict);
      expect((await browser.ask(`${app.url}/`)).status).toBe(200);
      strict.way.away();
      expect((await browser.ask(`${app.url}/`)).status).toBe(503);
      const outpost = await near([other]);
      const { browser: ended, session } = await entered(other, outpost);
      expect((await ended.ask(`${other.url}/`)).status).toBe(200);
      await server().admin.delete(`/core/authenticated_sessions/${session.pk}/`);
      expect((await ended.ask(`${other.url}/`)).status).toBe(302);
      outpost.way.away();
      expect((await ended.ask(`${other.url}/`)).status).toBe(503);
    });

    test('loses its rights at once when its token is revoked', async () => {
      const app = await protect(server());
      const outpost = await near([app]);
      const { browser } = await entered(app, outpost);
      expect((await browser.ask(`${app.url}/`)).status).toBe(200);
      expect((await server().admin.delete(`/core/tokens/${outpost.identifier}/`)).status).toBe(204);
      expect((await browser.ask(`${app.url}/`)).status).toBe(503);
      // Earlier decisions do not hold any more either.
      outpost.way.away();
      expect((await browser.ask(`${app.url}/`)).status).toBe(503);
      outpost.way.back();
      // Saved again, the outpost has a new token; its process still has the old one.
      expect((await server().admin.patch(`/outposts/instances/${outpost.pk}/`, { name: outpost.name })).status).toBe(
        200,
      );
      expect(await tokenOf(server(), outpost.identifier)).not.toBe('');
      expect((await browser.ask(`${app.url}/`)).status).toBe(503);
    });

    test('loses its rights with its account, its providers and itself', async () => {
      const [app, other] = [await protect(server()), await protect(server())];
      const outpost = await near([app]);
      const { browser } = await entered(app, outpost);
      const accounts = `/core/users/?path=gatehouse/outposts&username=xak-outpost-${outpost.pk.replaceAll('-', '')}`;
      const [account] = (await server().admin.get(accounts)).body.results;
      expect(account).toMatchObject({ type: 'internal_service_account' });
      expect((await browser.ask(`${app.url}/`)).status).toBe(200);
      await server().admin.patch(`/outposts/instances/${outpost.pk}/`, { providers: [other.pk] });
      expect((await browser.ask(`${app.url}/`)).status).toBe(400);
      expect((await server().admin.delete(`/outposts/instances/${outpost.pk}/`)).status).toBe(204);
      expect((await browser.ask(`${other.url}/`)).status).toBe(503);
      expect((await server().admin.get(`/core/users/${account.pk}/`)).status).toBe(404);
      expect((await server().admin.get(`/core/tokens/${outpost.identifier}/`)).status).toBe(404);
    });

    test('shows its health on the page of the outpost', async () => {
      const app = await protect(server());
      const outpost = await near([app]);
      const { body } = await server().admin.get(`/outposts/instances/${outpost.pk}/health/`);
      expect(body).toMatchObject([{ version_outdated: false, openssl_enabled: true, golang_version: '' }]);
      expect(body[0].version).toBe(body[0].version_should);
      expect(Date.now() - Date.parse(body[0].last_seen)).toBeLessThan(60_000);
    });

    test('is not ready where something else than the server responds', async () => {
      const other = createServer((_, response) => response.writeHead(404).end('no such page')).listen(0, '127.0.0.1');
      await once(other, 'listening');
      const address = other.address();
      const port = typeof address === 'object' ? address?.port : 0;
      const running = startGatehouse(['outpost', '--server', `http://127.0.0.1:${port}`], {
        ...{ GATEHOUSE_TOKEN: 'any', PORT: '0' },
      });
      while (!/cannot be reached|connected to/.test(running.stdout())) await sleep(10);
      expect(running.stdout()).toContain('something else than Gatehouse responded with 404');
      expect(running.stdout()).not.toContain('connected to');
      running.kill('SIGTERM');
      await running.finished;
      other.close();
    });

    test('does not start without a valid token, nor for a type that it does not serve', async () => {
      const run = (env: Record<string, string>, address = server().url) =>
        runGatehouse(['outpost', '--server', address], { PORT: '0', ...env });
      const none = await run({});
      expect([none.code, none.stderr.includes('GATEHOUSE_TOKEN')]).toEqual([1, true]);
      const { token: own } = await server().user();
      const wrong = await run({ GATEHOUSE_TOKEN: own });
      expect([wrong.code, wrong.stderr.includes('refuses the token')]).toEqual([1, true]);
      expect((await run({ GATEHOUSE_TOKEN: own }, 'id.example.com')).code).toBe(2);
    });
  },
  { env: behindProxy },
);
