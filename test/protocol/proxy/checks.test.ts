import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { behindProxy, navigating, protect, proxiedBrowser, sendAs } from '../../support/protected-host.ts';
import { describeOnBoth } from '../../support/server.ts';
import { statementsOf } from '../../support/statements.ts';

const identity = ['x-gatehouse-username', 'x-gatehouse-groups', 'x-gatehouse-email', 'remote-user', 'remote-groups'];

describeOnBoth(
  'checks of a reverse proxy',
  (server) => {
    const entered = async (values: Record<string, unknown> = {}, person = server().user()) => {
      const app = await protect(server(), values);
      const user = await person;
      const browser = proxiedBrowser(server());
      const session = await browser.signIn(user.pk);
      await browser.enter(app);
      return { app, browser, user, session };
    };
    const mapping = async (expression: string) =>
      (
        await server().admin.post('/propertymappings/provider/scope/', {
          ...{ name: `mapping ${Math.random()}`, scope_name: 'more', expression },
        })
      ).body.pk;
    const usual = async () => {
      const { body } = await server().admin.get('/propertymappings/provider/scope/?page_size=100');
      const managed: { pk: string; managed: string | null }[] = body.results;
      return managed
        .filter(({ managed: name }) => /scope-(openid|email|profile|gatehouse_proxy)$/.test(name ?? ''))
        .map(({ pk }) => pk);
    };
    const appPassword = async (user: number) => {
      const identifier = `app-${user}`;
      await server().admin.post('/core/tokens/', { identifier, intent: 'app_password', user, expiring: false });
      const { body } = await server().admin.get(`/core/tokens/${identifier}/view_key/`);
      return { identifier, key: body.key as string };
    };
    const basic = (username: string, password: string) =>
      `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

    test('each kind of proxy gets 200 with headers, or what it can pass on to a browser', async () => {
      const { app, browser, user } = await entered();
      const stranger = proxiedBrowser(server());
      for (const kind of ['traefik', 'caddy', 'haproxy']) {
        const allowed = await browser.ask(`${app.url}/a?b`, { kind });
        expect([allowed.status, allowed.headers['remote-user']]).toEqual([200, user.username]);
        const { status, location } = await stranger.ask(`${app.url}/a?b`, { kind });
        const start = `${app.url}/outpost.gatehouse/start?rd=${encodeURIComponent(`${app.url}/a?b`)}`;
        expect([status, location]).toEqual([302, start]);
      }
      expect((await browser.ask(`${app.url}/a`, { kind: 'nginx' })).headers['remote-user']).toBe(user.username);
      expect((await stranger.ask(`${app.url}/a`, { kind: 'nginx' })).status).toBe(401);
      // nginx sends the browser to `start` then, without saying for what.
      const start = await stranger.open(`${app.url}/outpost.gatehouse/start`, { 'x-original-url': `${app.url}/a?b=c` });
      expect(start.status).toBe(302);
      const envoy = (path: string, cookie?: string) =>
        sendAs(server(), `/outpost.gatehouse/auth/envoy${path}`, {
          ...{ ...navigating, host: app.host, 'x-forwarded-proto': 'https' },
          ...(cookie && { cookie }),
        });
      const cookie = [...(browser.jar.get(app.host) ?? [])].map((pair) => pair.join('=')).join('; ');
      expect((await envoy('/a?b', cookie)).headers['remote-user']).toBe(user.username);
      expect((await envoy('/a?b')).location).toContain(encodeURIComponent(`${app.url}/a?b`));
    });

    test('say what came and what is missing where the proxy is not set up', async () => {
      const app = await protect(server());
      const ask = (headers: Record<string, string>, localAddress = '127.0.0.1') =>
        sendAs(server(), '/outpost.gatehouse/auth/caddy', { ...navigating, ...headers }, { localAddress });
      const right = { 'x-forwarded-host': app.host, 'x-forwarded-proto': 'https', 'x-forwarded-uri': '/' };
      expect((await ask(right)).status).toBe(302);
      const missing = await ask({ 'x-forwarded-proto': 'gopher' });
      expect(missing.status).toBe(400);
      for (const words of ['X-Forwarded-Proto: gopher', 'X-Forwarded-Host: –', 'X-Forwarded-Uri: –'])
        expect(missing.text).toContain(words);
      const untrusted = await ask(right, '127.0.0.2');
      expect(untrusted.status).toBe(400);
      expect(untrusted.text).toContain('GATEHOUSE_TRUSTED_PROXIES');
      expect(untrusted.text).toContain('127.0.0.2');
      const unknown = await ask({ ...right, 'x-forwarded-host': 'nobody.example.com' });
      expect([unknown.status, unknown.text.includes('Host: nobody.example.com')]).toEqual([400, true]);
      // nginx cannot show it; the address that it leads to does.
      const nginx = await sendAs(server(), '/outpost.gatehouse/auth/nginx', {
        'x-original-url': 'https://nobody.example/',
      });
      expect(nginx.status).toBe(401);
    });

    test('one statement decides for who is signed in', async () => {
      const { app, browser } = await entered();
      const everything = /^$/;
      expect(await statementsOf(server(), () => browser.ask(`${app.url}/`), everything)).toHaveLength(1);
    });

    test('paths that need no sign-in pass without saying who comes, and so clear what a client claims', async () => {
      const app = await protect(server(), { skip_path_regex: '^/public/' });
      const stranger = proxiedBrowser(server());
      const came = await stranger.ask(`${app.url}/public/logo.png`, { headers: { 'remote-user': 'admin' } });
      expect(came.status).toBe(200);
      for (const name of identity) expect([name, came.headers[name]]).toEqual([name, '']);
      const { browser, user } = await entered({ skip_path_regex: '^/public/' });
      expect(user.username).not.toBe('');
      expect((await browser.ask(`${app.url}/private`)).status).toBe(302);
    });

    test('headers that have no value clear what a client claims, too', async () => {
      const { app, browser } = await entered();
      const change = (from: string, to: string) =>
        server().world.db.write((tx) =>
          sql`update certificates set managed = ${to} where managed = ${from}`.execute(tx),
        );
      const { rows } = await sql<{
        managed: string;
      }>`select managed from certificates where managed is not null`.execute(server().world.db.read);
      const pair = rows[0]?.managed ?? '';
      // No token is issued without a key pair that signs.
      await change(pair, 'elsewhere');
      await server().world.db.write((tx) =>
        sql`update proxy_sessions set checked = '2020-01-01T00:00:00.000000Z'`.execute(tx),
      );
      const came = await browser.ask(`${app.url}/`, { headers: { 'x-gatehouse-jwt': 'forged' } });
      await change('elsewhere', pair);
      expect([came.status, came.headers['x-gatehouse-jwt'], came.headers['x-gatehouse-meta-jwks']]).toEqual([
        200,
        '',
        '',
      ]);
    });

    test('a pattern for a whole domain is searched in the address', async () => {
      const domain = `skip-${server().kind}.example.net`;
      await protect(server(), {
        ...{ mode: 'forward_domain', external_host: `https://auth.${domain}`, cookie_domain: domain },
        skip_path_regex: `^https://wiki\\.${domain.replaceAll('.', '\\.')}/public/`,
      });
      const stranger = proxiedBrowser(server());
      expect((await stranger.ask(`https://wiki.${domain}/public/x`)).status).toBe(200);
      expect((await stranger.ask(`https://mail.${domain}/public/x`)).status).toBe(302);
      expect((await stranger.ask(`https://mail.${domain}/?https://wiki.${domain}/public/`)).status).toBe(302);
    });

    test('name the entitlements that a mapping gives', async () => {
      const more = await mapping("return { entitlements: ['Größe', 'reader', 'a|admin', 7] };");
      const { app, browser } = await entered({ property_mappings: [...(await usual()), more] });
      const { headers } = await browser.ask(`${app.url}/`);
      expect(Buffer.from(headers['x-gatehouse-entitlements'] ?? '', 'latin1').toString('utf8')).toBe('Größe|reader');
    });

    test('names with a separator in them are left out, since they would count as several', async () => {
      const person = await server().user();
      for (const name of ['a|admins', 'b,admins', 'plain', 'Größe']) {
        const group = (await server().admin.post('/core/groups/', { name: `${name}` })).body.pk;
        await server().admin.post(`/core/groups/${group}/add_user/`, { pk: person.pk });
      }
      const { app, browser } = await entered({}, Promise.resolve(person));
      const { headers } = await browser.ask(`${app.url}/`);
      const utf8 = (name: string) => Buffer.from(headers[name] ?? '', 'latin1').toString('utf8');
      expect(utf8('x-gatehouse-groups').split('|').toSorted()).toEqual(['Größe', 'b,admins', 'plain'].toSorted());
      expect(utf8('remote-groups').split(',').toSorted()).toEqual(['Größe', 'a|admins', 'plain'].toSorted());
    });

    test('mappings add headers, but none that say who the user is, and attributes add none', async () => {
      const more = await mapping(`return { gatehouse_proxy: { user_attributes: { additionalHeaders: {
        'X-Team': 'red\\r\\nX-Evil: 1', 'X-Number': 7, 'X-Gatehouse-Username': 'admin', 'x_gatehouse_groups': 'admins',
        'Remote_User': 'admin', 'Set-Cookie': 'a=b', 'Location': 'https://evil.example', 'X-Forwarded-User': 'admin', 'bad name': 'x',
      } } } };`);
      const person = await server().user([], {
        attributes: { additionalHeaders: { 'X-From-Attributes': 'yes', 'Remote-User': 'admin' } },
      });
      const { app, browser } = await entered(
        { property_mappings: [...(await usual()), more] },
        Promise.resolve(person),
      );
      const { headers, cookies } = await browser.ask(`${app.url}/`);
      expect(headers).toMatchObject({
        'x-team': 'red X-Evil: 1',
        'x-number': '7',
        'x-gatehouse-username': person.username,
        'remote-user': person.username,
      });
      for (const name of [
        'x-evil',
        'x_gatehouse_groups',
        'location',
        'x-from-attributes',
        'x-forwarded-user',
        'remote_user',
      ])
        expect([name, headers[name]]).toEqual([name, undefined]);
      expect(cookies).toEqual([]);
    });

    test('attributes of a user sign in to the application itself', async () => {
      const settings = {
        basic_auth_enabled: true,
        basic_auth_user_attribute: 'app_user',
        basic_auth_password_attribute: 'app_password',
      };
      const withBoth = await server().user([], { attributes: { app_user: 'reader', app_password: 'päss' } });
      const first = await entered(settings, Promise.resolve(withBoth));
      expect((await first.browser.ask(`${first.app.url}/`)).headers.authorization).toBe(basic('reader', 'päss'));
      const withoutUser = await server().user([], { email: 'x@example.com', attributes: { app_password: 'p' } });
      const second = await entered(settings, Promise.resolve(withoutUser));
      expect((await second.browser.ask(`${second.app.url}/`)).headers.authorization).toBe(basic('x@example.com', 'p'));
      const third = await entered(settings);
      expect((await third.browser.ask(`${third.app.url}/`)).headers.authorization).toBeUndefined();
    });

    test('programs bring an app password, in three ways', async () => {
      const app = await protect(server());
      const person = await server().user();
      const { key, identifier } = await appPassword(person.pk);
      const program = proxiedBrowser(server());
      const ask = (authorization: string) => program.ask(`${app.url}/api`, { headers: { authorization } });
      for (const header of [basic(person.username, key), basic('gatehouse/token', key), `Bearer ${key}`]) {
        for (const _ of ['first', 'again']) {
          const came = await ask(header);
          expect([came.status, came.headers['remote-user']]).toEqual([200, person.username]);
        }
      }
      // However the same credentials are spelled, they have one session.
      const spelled = basic(person.username, key).slice('Basic '.length);
      for (const header of [`basic ${spelled}`, `BASIC   ${spelled}`, `Basic ..${spelled}`, `bearer  ${key}`])
        expect([header, (await ask(header)).status]).toEqual([header, 200]);
      const { rows } = await sql`select 1 from proxy_sessions where "user" = ${person.pk}`.execute(
        server().world.db.read,
      );
      expect(rows).toHaveLength(2);
      const wrong = await ask(basic(person.username, `${key}x`));
      expect([wrong.status, wrong.headers['www-authenticate']?.startsWith('Basic')]).toEqual([401, true]);
      expect(wrong.text).toBe("Due to 'Receive header authentication' being set, no redirect is performed.");
      const other = await server().user();
      expect((await ask(basic(other.username, key))).status).toBe(401);
      expect((await ask(`Bearer ${person.token}`)).status).toBe(401);
      for (const odd of [
        'Basic',
        'Basic !',
        'Bearer ',
        'Digest x',
        `Basic ${'A'.repeat(5000)}`,
        'Basic gA==',
        'basic Og==',
      ])
        expect([odd, (await ask(odd)).status]).toEqual([odd, 401]);
      // It ends with the app password, however often it was used before.
      await server().admin.delete(`/core/tokens/${identifier}/`);
      expect((await ask(basic(person.username, key))).status).toBe(401);
      expect((await ask(`Bearer ${key}`)).status).toBe(401);
    });

    test('the application gets the Authorization header that is for it, and no app password', async () => {
      const { app, browser, user } = await entered({ skip_path_regex: '^/public/' });
      const { key } = await appPassword(user.pk);
      const after = async (caller: typeof browser, path: string, authorization: string) =>
        (await caller.ask(app.url + path, { headers: { authorization } })).headers.authorization;
      const program = proxiedBrowser(server());
      for (const _ of ['first', 'again']) expect(await after(program, '/', basic(user.username, key))).toBe('');
      expect(await after(browser, '/', 'Bearer of-the-application')).toBe('Bearer of-the-application');
      expect(await after(program, '/public/', 'Bearer of-the-application')).toBe('Bearer of-the-application');
    });

    test('a mapping that fails denies access, and says so at the sign-in', async () => {
      const { app, browser, user } = await entered();
      const { key } = await appPassword(user.pk);
      const failing = await mapping('return missing.value;');
      await server().admin.patch(`/providers/proxy/${app.pk}/`, { property_mappings: [...(await usual()), failing] });
      await server().world.db.write((tx) =>
        sql`update proxy_sessions set checked = '2020-01-01T00:00:00.000000Z' where provider = ${app.pk}`.execute(tx),
      );
      expect((await browser.ask(`${app.url}/`)).status).toBe(302);
      const headers = { authorization: basic(user.username, key) };
      expect((await proxiedBrowser(server()).ask(`${app.url}/`, { headers })).status).toBe(401);
      const [page] = await browser.follow(`${app.url}/outpost.gatehouse/start`);
      expect([page.status, page.text.includes('property mapping')]).toEqual([400, true]);
      const { body } = await server().admin.get('/events/events/?action=property_mapping_exception');
      expect(body.results.length).toBeGreaterThan(1);
    });

    test('an app password of another application opens nothing here', async () => {
      const app = await protect(server());
      const other = await protect(server());
      const person = await server().user();
      const { key, identifier } = await appPassword(person.pk);
      const ask = () =>
        proxiedBrowser(server()).ask(`${app.url}/api`, { headers: { authorization: basic(person.username, key) } });
      const limitTo = (application: string) => server().admin.patch(`/core/tokens/${identifier}/`, { application });
      expect((await limitTo(app.application)).status).toBe(200);
      expect((await ask()).status).toBe(200);
      // The session that this opened ends, too.
      await limitTo(other.application);
      expect((await ask()).status).toBe(401);
    });

    test('a session of a program ends with a new key, an expired key, the user and the policies', async () => {
      const app = await protect(server());
      const ask = (header: string) =>
        proxiedBrowser(server()).ask(`${app.url}/api`, { headers: { authorization: header } });
      const ready = async () => {
        const person = await server().user();
        const { key, identifier } = await appPassword(person.pk);
        const header = basic(person.username, key);
        expect((await ask(header)).status).toBe(200);
        return { person, header, identifier };
      };
      const rotated = await ready();
      await server().admin.post(`/core/tokens/${rotated.identifier}/set_key/`, {
        key: 'another-long-key-of-this-token-0123456789',
      });
      expect((await ask(rotated.header)).status).toBe(401);
      const expired = await ready();
      await server().world.db.write((tx) =>
        sql`update tokens set expiring = true, expires = '2001-01-01T00:00:00.000000Z' where identifier = ${expired.identifier}`.execute(
          tx,
        ),
      );
      expect((await ask(expired.header)).status).toBe(401);
      const inactive = await ready();
      await server().admin.patch(`/core/users/${inactive.person.pk}/`, { is_active: false });
      expect((await ask(inactive.header)).status).toBe(401);
      const denied = await server().user();
      const { key } = await appPassword(denied.pk);
      const group = (await server().admin.post('/core/groups/', { name: `programs ${app.pk}` })).body.pk;
      await server().admin.post('/policies/bindings/', { target: app.application, group, order: 0 });
      expect((await ask(basic(denied.username, key))).status).toBe(401);
    });

    test('an Authorization header that is for the application leads to the sign-in, where that is wanted', async () => {
      const { app, browser } = await entered({ intercept_header_auth: false });
      const headers = { authorization: 'Bearer of-the-application' };
      expect((await proxiedBrowser(server()).ask(`${app.url}/`, { headers })).status).toBe(302);
      expect((await browser.ask(`${app.url}/`, { headers })).status).toBe(200);
    });

    test('tokens are verified by the published keys', async () => {
      const { app, browser } = await entered();
      const { headers } = await browser.ask(`${app.url}/`);
      const { createLocalJWKSet, jwtVerify } = await import('jose');
      const { pathname } = new URL(headers['x-gatehouse-meta-jwks'] ?? '');
      const keys = createLocalJWKSet((await server().nobody.get(pathname)).body);
      const { body: provider } = await server().admin.get(`/providers/proxy/${app.pk}/`);
      const { payload } = await jwtVerify(headers['x-gatehouse-jwt'] ?? '', keys, { audience: provider.client_id });
      expect(payload.sub).toBe(headers['x-gatehouse-uid']);
      expect(payload.iss).toBe(`http://id.example.com/application/proxy/${app.slug}/`);
    });

    test('a session bound to its network ends when it is used from elsewhere', async () => {
      const { app, browser, session } = await entered();
      const binding = JSON.stringify({ ip: '203.0.113.7', network: 'bind_asn_network_ip', geo: 'no_binding' });
      await server().world.db.write((tx) =>
        sql`update authenticated_sessions set binding = ${binding} where pk = ${session.pk}`.execute(tx),
      );
      expect((await browser.ask(`${app.url}/`)).status).toBe(200);
      const elsewhere = { 'x-forwarded-for': '198.51.100.9' };
      expect((await browser.ask(`${app.url}/`, { headers: elsewhere })).status).toBe(302);
      expect((await browser.ask(`${app.url}/`)).status).toBe(302);
    });

    test('a provider that another outpost serves is not served here', async () => {
      const { app, browser } = await entered();
      const body = { name: `outpost of ${app.pk}`, type: 'proxy', providers: [app.pk], config: {} };
      expect((await server().admin.post('/outposts/instances/', body)).status).toBe(201);
      expect((await browser.ask(`${app.url}/`)).status).toBe(400);
    });
  },
  { env: behindProxy },
);
