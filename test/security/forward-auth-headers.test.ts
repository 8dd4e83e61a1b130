import { expect, test } from 'vitest';
import {
  behindProxy,
  navigating,
  protect,
  proxiedBrowser,
  publicUrl,
  type SentHeaders,
  sendAs,
} from '../support/protected-host.ts';
import { describeOnSqlite } from '../support/server.ts';

describeOnSqlite(
  'forward auth: headers, paths and cookies of clients open nothing',
  (server) => {
    const auth = (kind: string, headers: SentHeaders, path = '') =>
      sendAs(server(), `/outpost.gatehouse/auth/${kind}${path}`, { ...navigating, ...headers });

    test('headers that the proxy of a kind does not set are not read', async () => {
      const open = await protect(server(), { skip_path_regex: '^/' });
      const closed = await protect(server(), { skip_path_regex: '^/public/' });
      // The client names an open path or host in headers that another kind of proxy sets.
      const claims = {
        'x-original-uri': '/outpost.gatehouse/start',
        'x-original-host': open.host,
        'x-forwarded-path': '/public/',
        'x-forwarded-prefix': '/public/',
        'x-rewrite-url': '/public/',
        'x-envoy-original-path': '/public/',
        forwarded: `host=${open.host};proto=https`,
      };
      const forwarded = {
        'x-forwarded-host': closed.host,
        'x-forwarded-proto': 'https',
        'x-forwarded-uri': '/private',
      };
      for (const kind of ['caddy', 'traefik', 'haproxy']) {
        const came = await auth(kind, { ...claims, ...forwarded, 'x-original-url': `${open.url}/` });
        expect([kind, came.status]).toEqual([kind, 302]);
      }
      const original = { 'x-original-url': `${closed.url}/private` };
      const openForwarded = { ...forwarded, 'x-forwarded-host': open.host, 'x-forwarded-uri': '/public/' };
      expect((await auth('nginx', { ...claims, ...openForwarded, ...original })).status).toBe(401);
      const envoy = { ...claims, ...openForwarded, 'x-original-url': `${open.url}/`, host: closed.host };
      expect((await auth('envoy', envoy, '/private')).status).toBe(302);
    });

    test('without the header of its proxy nothing passes, not even our own paths', async () => {
      const app = await protect(server(), { skip_path_regex: '^/' });
      const host = { host: app.host, 'x-forwarded-host': app.host, 'x-forwarded-proto': 'https' };
      expect((await auth('nginx', { ...host, 'x-original-uri': '/' })).status).toBe(401);
      expect((await auth('nginx', { ...host, 'x-original-url': '/' })).status).toBe(401);
      expect((await auth('caddy', host)).status).toBe(400);
      for (const path of ['/outpost.gatehouse/start', '/outpost.gatehouse/x', '/Outpost.gatehouse/auth/nginx']) {
        expect((await auth('nginx', { ...host, 'x-original-url': `${app.url}${path}` })).status).toBe(403);
        expect((await auth('caddy', { ...host, 'x-forwarded-uri': path })).status).toBe(403);
      }
    });

    test('headers that the application could take for ours, and that proxies do not replace, are refused', async () => {
      const app = await protect(server(), { skip_path_regex: '^/public/' });
      const host = { 'x-forwarded-host': app.host, 'x-forwarded-proto': 'https', 'x-forwarded-uri': '/public/' };
      for (const name of [
        'remote_user',
        'Remote.User',
        'X_Gatehouse_Username',
        'x-gatehouse.groups',
        'X!Gatehouse-Uid',
      ]) {
        const caddy = await auth('caddy', { ...host, [name]: 'admin' });
        const nginx = await auth('nginx', { 'x-original-url': `${app.url}/public/`, [name]: 'admin' });
        expect([name, caddy.status, nginx.status]).toEqual([name, 403, 403]);
      }
      expect(
        (await auth('caddy', { ...host, 'Remote-User': 'admin', Remote_Address: 'x', X_Team: 'red' })).status,
      ).toBe(200);
    });

    test('the pages of this server have no answers for a client to read', async () => {
      const domain = 'example.com';
      await protect(server(), {
        mode: 'forward_domain',
        external_host: publicUrl,
        cookie_domain: domain,
        skip_path_regex: '^http',
      });
      const { host } = new URL(publicUrl);
      const forwarded = { 'x-forwarded-proto': 'http', 'x-forwarded-uri': '/' };
      expect((await auth('caddy', { ...forwarded, 'x-forwarded-host': host })).status).toBe(403);
      expect((await auth('nginx', { 'x-original-url': `${publicUrl}/` })).status).toBe(403);
      expect((await auth('caddy', { ...forwarded, 'x-forwarded-host': `other.${domain}` })).status).toBe(200);
    });

    test('a header that came twice is not read', async () => {
      const app = await protect(server(), { skip_path_regex: '^/public/' });
      const twice = [`${app.url}/public/`, `${app.url}/private`];
      expect((await auth('nginx', { 'x-original-url': twice })).status).toBe(401);
      const host = { 'x-forwarded-host': app.host, 'x-forwarded-proto': 'https' };
      expect((await auth('caddy', { ...host, 'x-forwarded-uri': ['/public/', '/private'] })).status).toBe(400);
      // Proxies find the application by what stands before the comma.
      const open = await protect(server(), { skip_path_regex: '^/' });
      for (const list of [`${app.host}:1,${open.host}`, `${app.host}, ${open.host}`, [app.host, open.host]]) {
        const claimed = { 'x-forwarded-host': list, 'x-forwarded-proto': 'https', 'x-forwarded-uri': '/' };
        expect([list, (await auth('caddy', claimed)).status]).toEqual([list, 400]);
      }
    });

    test('spellings of a path that servers read in different ways always need a sign-in', async () => {
      const allowing = await protect(server(), { skip_path_regex: '^/public/' });
      const excluding = await protect(server(), { skip_path_regex: '^/(?!admin)' });
      const ask = async ({ url, host }: { url: string; host: string }, path: string) => {
        const nginx = await auth('nginx', { 'x-original-url': `${url}${path}` });
        const caddy = await auth('caddy', {
          ...{ 'x-forwarded-host': host, 'x-forwarded-proto': 'https', 'x-forwarded-uri': path },
        });
        return [nginx.status, caddy.status];
      };
      expect(await ask(allowing, '/public/logo.png')).toEqual([200, 200]);
      expect(await ask(allowing, '/public/a%20b.png?x=../..')).toEqual([200, 200]);
      expect(await ask(excluding, '/blog')).toEqual([200, 200]);
      const tricks = [
        ...['/public/../admin', '/public/..', '/public/./admin', '/public/%2e%2e/admin', '/public/%2E./admin'],
        ...['/public/..;/admin', '/public/;/../admin', '/public//../admin', '//public/admin', '/public/%2f../admin'],
        ...['/public/%5c..%5cadmin', '/public/..%5cadmin', '/public/%252e%252e/admin', '/public/%00', '/public/%0d%0a'],
        ...['/public/#/../admin', '/public/#', '/public/%23/../admin', '/public/%3f/../admin', '/public/a%3Fb'],
        ...['/public/..%2fadmin', '/public/%zz', '/public/%c0%ae%c0%ae/admin', '/public/a;b=c', '/public/%3b/admin'],
      ];
      for (const path of tricks) expect([path, ...(await ask(allowing, path))]).toEqual([path, 401, 302]);
      // What follows `#` is cut off by some, and would make any path a public one.
      const suffix = await protect(server(), { skip_path_regex: '\\.css$' });
      expect(await ask(suffix, '/a.css')).toEqual([200, 200]);
      for (const path of ['/admin#a.css', '/admin%23a.css', '/admin%3fa.css', '/admin;a.css'])
        expect([path, ...(await ask(suffix, path))]).toEqual([path, 401, 302]);
      const hidden = ['/admin', '/ADMIN', '/%61dmin', '/%41DMIN', '/Admin/x', '/./admin', '//admin', '/x/../admin'];
      for (const path of hidden) expect([path, ...(await ask(excluding, path))]).toEqual([path, 401, 302]);
      expect((await auth('nginx', { 'x-original-url': `${allowing.url}/private?/public/` })).status).toBe(401);
      expect((await auth('nginx', { 'x-original-url': `${allowing.url}/private#/public/` })).status).toBe(401);
    });

    test('a pattern that backtracks without end matches nothing, and holds nothing up', async () => {
      const app = await protect(server(), { skip_path_regex: '^/(a+)+$\n^/ok$' });
      const began = process.cpuUsage().user;
      const path = `/${'a'.repeat(40)}!`;
      expect((await auth('nginx', { 'x-original-url': `${app.url}${path}` })).status).toBe(401);
      expect((process.cpuUsage().user - began) / 1000).toBeLessThan(1_000);
      expect((await auth('nginx', { 'x-original-url': `${app.url}/ok` })).status).toBe(200);
    });

    test('blank lines of the patterns match nothing', async () => {
      const app = await protect(server(), { skip_path_regex: '\n^/public/\n   \n' });
      expect((await auth('nginx', { 'x-original-url': `${app.url}/private` })).status).toBe(401);
    });

    test('a session cookie that is garbage, or of another application, lets no user in', async () => {
      const [app, other] = [await protect(server()), await protect(server())];
      const browser = proxiedBrowser(server());
      await browser.signIn((await server().user()).pk);
      await browser.enter(app);
      const [[name = '', value = ''] = []] = [...(browser.jar.get(app.host) ?? [])].filter(
        ([cookie]) => !cookie.includes('browser'),
      );
      expect(name).toMatch(/^__Host-gatehouse_proxy_/);
      const ask = (host: string, cookie: string) => auth('nginx', { 'x-original-url': `https://${host}/`, cookie });
      expect((await ask(app.host, `${name}=${value}`)).status).toBe(200);
      // A neighbour cannot plant a session: without the prefix it is another cookie.
      expect((await ask(app.host, `${name.replace('__Host-', '')}=${value}`)).status).toBe(401);
      expect((await ask(app.host, `${name.replace('__Host-', '__Secure-')}=${value}`)).status).toBe(401);
      expect((await ask(other.host, `${name}=${value}`)).status).toBe(401);
      for (const garbage of ['', '%', '%00', 'x'.repeat(8000), '"', `${value}x`, value.slice(1), '{"user":1}', 'null'])
        expect([garbage.slice(0, 10), (await ask(app.host, `${name}=${garbage}`)).status]).toEqual([
          garbage.slice(0, 10),
          401,
        ]);
      // Cookies of neighbours do not crowd it out.
      const planted = Array.from({ length: 20 }, (_, at) => `gatehouse_proxy_${String(at).padStart(16, '0')}=x`);
      expect((await ask(app.host, [...planted, `${name}=${value}`].join('; '))).status).toBe(200);
    });

    test('the code of a sign-in is no session token', async () => {
      const app = await protect(server());
      const browser = proxiedBrowser(server());
      await browser.signIn((await server().user()).pk);
      const [, opened] = await browser.follow(`${app.url}/outpost.gatehouse/start`, (url) => url.includes('/callback'));
      const code = new URL(opened.at(-1) ?? '').searchParams.get('code') ?? '';
      const { client_id } = (await server().admin.get(`/providers/proxy/${app.pk}/`)).body;
      const { hash } = await import('node:crypto');
      const name = `__Host-gatehouse_proxy_${hash('sha256', `proxy cookie ${client_id}`).slice(0, 16)}`;
      const came = await auth('nginx', { 'x-original-url': `${app.url}/`, cookie: `${name}=${code}` });
      expect(came.status).toBe(401);
    });
  },
  { env: behindProxy },
);
