import { once } from 'node:events';
import { request } from 'node:http';
import { afterAll, expect, test, vi } from 'vitest';
import { generateCertificate } from '../../../src/lib/certificate/generate-certificate.ts';
import {
  behindProxy,
  cookiesOf,
  navigating,
  type ProtectedHost,
  type ProxiedBrowser,
  protect,
  proxiedBrowser,
  type SentHeaders,
} from '../../support/protected-host.ts';
import { describeOnBoth } from '../../support/server.ts';
import { startUpstreamApp } from '../../support/upstream-app.ts';
import { echo, openWebSocket } from '../../support/web-socket.ts';

const upstream = await startUpstreamApp();
afterAll(() => upstream.close());

describeOnBoth(
  'the mode proxy',
  (server) => {
    const proxied = (values: Record<string, unknown> = {}) =>
      protect(server(), { mode: 'proxy', internal_host: upstream.url, ...values });
    const entered = async (values: Record<string, unknown> = {}) => {
      const app = await proxied(values);
      const user = await server().user([], { name: 'Zoë 田中' });
      const browser = proxiedBrowser(server());
      const session = await browser.signIn(user.pk);
      await browser.enter(app);
      return { app, user, browser, session };
    };
    const headersOf = (url: string) => {
      const { headers } = upstream.requests.findLast((one) => one.url === url) ?? { headers: [] };
      return Array.from({ length: headers.length / 2 }, (_, at) => [headers[2 * at], headers[2 * at + 1]] as const);
    };
    const valuesOf = (url: string, name: string) =>
      headersOf(url).flatMap(([key, value]) => (key?.toLowerCase() === name ? [value] : []));

    test('shows the application to who is signed in, and no other user', async () => {
      const { app, user, browser } = await entered();
      const came = await browser.open(`${app.url}/page?a=b`);
      expect([came.status, came.text.includes('The application')]).toEqual([200, true]);
      expect(valuesOf('/page?a=b', 'x-gatehouse-username')).toEqual([user.username]);
      expect(Buffer.from(valuesOf('/page?a=b', 'remote-name').join(), 'latin1').toString('utf8')).toBe('Zoë 田中');
      expect(valuesOf('/page?a=b', 'host')).toEqual([app.host]);
      expect(valuesOf('/page?a=b', 'x-forwarded-for')).toEqual(['203.0.113.7']);
      expect(valuesOf('/page?a=b', 'x-forwarded-proto')).toEqual(['https']);
      const stranger = proxiedBrowser(server());
      const away = await stranger.open(`${app.url}/secret?x=y`);
      expect([away.status, new URL(away.location).searchParams.get('rd')]).toEqual([302, `${app.url}/secret?x=y`]);
      const script = await stranger.open(`${app.url}/secret`, { 'sec-fetch-mode': 'cors' });
      expect([script.status, JSON.parse(script.text).code]).toEqual([401, 'not_authenticated']);
      expect(upstream.requests.some(({ url }) => url.startsWith('/secret'))).toBe(false);
      expect((await stranger.open(`${app.url}/api/v3/root/config/`)).status).toBe(302);
      // It would show the headers that are for the application.
      expect((await browser.open(`${app.url}/trace`, {}, { method: 'TRACE' })).status).toBe(405);
    });

    test('passes on no header that says who a user is, in whatever spelling, nor our cookies', async () => {
      const { app, user, browser } = await entered({ skip_path_regex: '^/open' });
      const claims: SentHeaders = {
        'X-Gatehouse-Username': 'admin',
        x_gatehouse_username: 'admin',
        'X-GATEHOUSE_Groups': 'admins',
        'x-gatehouse-anything': 'x',
        Remote_User: 'admin',
        'Remote.User': 'admin',
        'X.Gatehouse_Groups': 'admins',
        'REMOTE-USER': 'admin',
        'X-Forwarded-User': 'admin',
        'X-Original-URL': '/x',
        X_Forwarded_For: '127.0.0.1',
        'X-Real-IP': '127.0.0.1',
        Connection: 'x-secret, keep-alive',
        'X-Secret': 'hop by hop',
        'X-Other': 'kept',
      };
      await browser.open(`${app.url}/closed`, claims);
      await proxiedBrowser(server()).open(`${app.url}/open`, claims);
      const folded = (url: string) => headersOf(url).map(([name]) => name?.toLowerCase().replace(/[^a-z0-9]/g, '-'));
      expect(folded('/closed').filter((name) => name === 'x-gatehouse-username')).toHaveLength(1);
      expect(valuesOf('/closed', 'remote-user')).toEqual([user.username]);
      expect(folded('/open').filter((name) => /^(x-gatehouse-|remote-)/.test(name ?? ''))).toEqual([]);
      for (const url of ['/open', '/closed']) {
        const names = folded(url);
        for (const name of ['x-gatehouse-anything', 'x-forwarded-user', 'x-original-url', 'x-real-ip', 'x-secret'])
          expect([url, names.includes(name), name]).toEqual([url, false, name]);
        expect(names.filter((name) => name === 'x-forwarded-for')).toHaveLength(1);
        expect(valuesOf(url, 'x-other')).toEqual(['kept']);
      }
      expect(valuesOf('/closed', 'cookie')).toEqual([]);
      const cookie = `${cookiesOf(browser, app.host)}; of_app=1`;
      await browser.open(`${app.url}/cookies`, { cookie });
      expect(valuesOf('/cookies', 'cookie')).toEqual(['app=1; second=2; of_app=1']);
    });

    test('takes an app password off, and leaves the Authorization header of a session to the application', async () => {
      const { app, user, browser } = await entered();
      const identifier = `proxy-${user.pk}`;
      await server().admin.post('/core/tokens/', { identifier, intent: 'app_password', user: user.pk });
      const { key } = (await server().admin.get(`/core/tokens/${identifier}/view_key/`)).body;
      const program = proxiedBrowser(server());
      for (const path of ['/first', '/again']) {
        expect((await program.open(app.url + path, { authorization: `Bearer ${key}` })).status).toBe(200);
        expect(valuesOf(path, 'authorization')).toEqual([]);
      }
      await browser.open(`${app.url}/own`, { authorization: 'Bearer of-the-application' });
      expect(valuesOf('/own', 'authorization')).toEqual(['Bearer of-the-application']);
    });

    test('answers as the application does, without its attempts at our cookies', async () => {
      const { app, browser } = await entered();
      const came = await browser.open(`${app.url}/?status=503`);
      expect(came.status).toBe(503);
      expect(came.cookies).toEqual(['app=1; Path=/', 'second=2; Path=/']);
      expect(came.headers['content-security-policy']).toBeUndefined();
      expect(Buffer.from(came.headers['x-app'] ?? '', 'latin1').toString('utf8')).toBe('Größe');
    });

    test('counts no fault of the application as its own', async () => {
      const { app, browser } = await entered();
      const faults = async () =>
        /^gatehouse_faults_total \d+$/m.exec((await server().nobody.send('GET', '/-/metrics')).text)?.[0];
      const before = await faults();
      expect(before).toBeDefined();
      expect((await browser.open(`${app.url}/?status=500`)).status).toBe(500);
      expect(await faults()).toBe(before);
    });

    const open = (
      app: ProtectedHost,
      browser: ProxiedBrowser,
      path: string,
      method = 'GET',
      more: SentHeaders = {},
    ) => {
      const { hostname, port } = new URL(server().url);
      return request({
        ...{ hostname, port, path, method },
        headers: {
          ...{ 'x-forwarded-host': app.host, 'x-forwarded-proto': 'https', cookie: cookiesOf(browser, app.host) },
          ...more,
        } as Record<string, string>,
      });
    };

    test('streams both ways, without waiting for the end of either', async () => {
      const { app, browser } = await entered();
      const sent = open(app, browser, '/upload', 'POST');
      sent.write('one');
      const [response] = await once(sent, 'response');
      const [first] = await once(response, 'data');
      expect(String(first)).toBe('one');
      sent.end('two');
      const [second] = await once(response, 'data');
      expect(String(second)).toBe('two');
      const large = open(app, browser, '/upload', 'POST', { 'content-length': String(8_000_000) });
      large.end(Buffer.alloc(8_000_000, 'x'));
      const [answer] = await once(large, 'response');
      let size = 0;
      for await (const chunk of answer) size += chunk.length;
      expect(size).toBe(8_000_000);
    });

    test('passes events on as they come, and ends the stream with its client', async () => {
      const { app, browser } = await entered();
      const sent = open(app, browser, '/events');
      sent.on('error', () => {}).end();
      const [response] = await once(sent, 'response');
      const [first] = await once(response, 'data');
      expect(String(first)).toBe('data: first\n\n');
      expect(upstream.streams).toBe(1);
      sent.destroy();
      await vi.waitFor(() => expect(upstream.streams).toBe(0));
    });

    test('carries WebSockets, for who is signed in', async () => {
      const { app, browser, user } = await entered();
      const [head, socket] = await openWebSocket(server(), app, browser);
      expect(head).toContain('HTTP/1.1 101');
      expect(head).toContain('s3pPLMBiTxaQ9kYGzzhZRbK+xOo=');
      expect(await echo(socket, 'hello')).toBe('hello');
      expect(valuesOf('/echo', 'remote-user')).toEqual([user.username]);
      socket.destroy();
      const before = upstream.requests.length;
      const [refused, other] = await openWebSocket(server(), app, null);
      expect(refused).toContain('HTTP/1.1 401');
      expect(upstream.requests.length).toBe(before);
      other.destroy();
    });

    test('ends WebSockets and event streams within a minute of the session', async () => {
      const { app, browser, session } = await entered();
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
      try {
        const [head, socket] = await openWebSocket(server(), app, browser);
        expect(head).toContain('HTTP/1.1 101');
        const sent = open(app, browser, '/events');
        sent.on('error', () => {}).end();
        const [response] = await once(sent, 'response');
        await once(response, 'data');
        await vi.advanceTimersByTimeAsync(60_000);
        expect(await echo(socket, 'still')).toBe('still');
        expect(upstream.streams).toBe(2);

        await server().admin.delete(`/core/authenticated_sessions/${session.pk}/`);
        response.on('error', () => {});
        await vi.advanceTimersByTimeAsync(60_000);
        await vi.waitFor(() => expect([socket.closed, response.closed, upstream.streams]).toEqual([true, true, 0]));
      } finally {
        vi.useRealTimers();
      }
    });

    test('limits headers both ways, and takes nothing for a response that is none', async () => {
      const { app, browser } = await entered();
      const before = upstream.requests.length;
      expect((await browser.open(`${app.url}/large`, { 'x-large': 'x'.repeat(40_000) })).status).toBe(431);
      expect(upstream.requests.length).toBe(before);
      for (const path of ['/large-header', '/no-http']) {
        const came = await browser.open(app.url + path);
        expect([path, came.status, came.text.includes('The application cannot be reached')]).toEqual([path, 502, true]);
      }
    });

    test('uses connections again', async () => {
      const { app, browser } = await entered();
      await browser.open(`${app.url}/warm`);
      const before = upstream.connections;
      for (let at = 0; at < 5; at++) await browser.open(`${app.url}/again-${at}`);
      expect(upstream.connections).toBe(before);
    });

    test('shows a page where the application is away, and verifies its certificate', async () => {
      const gone = await entered({ internal_host: 'http://127.0.0.1:1' });
      const away = await gone.browser.open(`${gone.app.url}/`);
      expect([away.status, away.text.includes('The application cannot be reached')]).toEqual([502, true]);
      expect(away.text).not.toContain('127.0.0.1');
      const cut = await entered();
      expect((await cut.browser.open(`${cut.app.url}/cut`)).status).toBe(502);
      const tls = await generateCertificate({
        ...{ commonName: 'localhost', subjectAltNames: ['localhost'], validityDays: 1, algorithm: 'ecdsa' as const },
      });
      const secure = await startUpstreamApp(tls);
      try {
        const internal_host = `https://localhost:${secure.port}`;
        const strict = await entered({ internal_host });
        expect((await strict.browser.open(`${strict.app.url}/`)).status).toBe(502);
        const lax = await entered({ internal_host, internal_host_ssl_validation: false });
        expect((await lax.browser.open(`${lax.app.url}/`)).status).toBe(200);
      } finally {
        await secure.close();
      }
    });

    test('reaches no link-local address, by name or number', async () => {
      for (const internal_host of [
        'http://169.254.169.254',
        'http://[fe80::1]:80',
        'http://[::ffff:169.254.169.254]',
      ]) {
        const { app, browser } = await entered({ internal_host });
        expect([internal_host, (await browser.open(`${app.url}/`)).status]).toEqual([internal_host, 502]);
      }
    });

    test('keeps the paths of this server to itself, and its own host', async () => {
      const { app, browser } = await entered();
      expect((await browser.open(`${app.url}/outpost.gatehouse/ping`)).status).toBe(204);
      expect((await browser.open(`${app.url}/outpost.gatehouse/unknown`)).status).toBe(404);
      expect((await server().nobody.get('/root/config/')).status).toBe(200);
      // The checks of proxies are not for a host that has no proxy but this server.
      expect((await browser.ask(`${app.url}/`)).status).toBe(400);
    });

    test('follows changes of the provider at once', async () => {
      const { app, browser } = await entered();
      await server().admin.patch(`/providers/proxy/${app.pk}/`, { mode: 'forward_single' });
      expect((await browser.open(`${app.url}/moved`, navigating)).text).not.toContain('The application');
      expect((await browser.ask(`${app.url}/moved`)).status).toBe(200);
    });
  },
  { env: behindProxy },
);
