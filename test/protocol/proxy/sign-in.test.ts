import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Clock } from '../../../src/platform/clock.ts';
import { addMilliseconds, systemClock } from '../../../src/platform/clock.ts';
import { behindProxy, protect, proxiedBrowser, publicUrl, sendAs } from '../../support/protected-host.ts';
import { describeOnBoth } from '../../support/server.ts';

let later = 0;
const clock: Clock = { now: () => addMilliseconds(systemClock.now(), later) };

describeOnBoth(
  'signing in to a protected application',
  (server) => {
    const events = async (action: string) =>
      (await server().admin.get(`/events/events/?action=${action}`)).body.results;

    test('leads from the application to this server and back, with headers that say who it is', async () => {
      const app = await protect(server());
      const person = await server().user([], { name: 'Zoë 田中', email: 'zoe@example.com' });
      const browser = proxiedBrowser(server());
      expect((await browser.ask(`${app.url}/reports?x=1`)).status).toBe(302);
      await browser.signIn(person.pk);

      const opened = await browser.enter(app, '/reports?x=1');

      expect(opened.map((url) => new URL(url).origin + new URL(url).pathname)).toEqual([
        `${app.url}/outpost.gatehouse/start`,
        `${publicUrl}/application/proxy/${app.slug}/authorize/`,
        `${app.url}/outpost.gatehouse/callback`,
        `${app.url}/reports`,
      ]);
      expect(opened.at(-1)).toBe(`${app.url}/reports?x=1`);
      const { status, headers } = await browser.ask(`${app.url}/reports`);
      expect(status).toBe(200);
      expect(headers['x-gatehouse-username']).toBe(person.username);
      expect(headers['remote-user']).toBe(person.username);
      expect(Buffer.from(headers['remote-name'] ?? '', 'latin1').toString('utf8')).toBe('Zoë 田中');
      expect(headers['x-gatehouse-email']).toBe('zoe@example.com');
      expect(headers['x-gatehouse-meta-app']).toBe(app.slug);
      expect(headers['x-gatehouse-jwt']?.split('.')).toHaveLength(3);
      const [event] = await events('authorize_application');
      expect([event.app, event.context.authorized_application.name]).toEqual([
        'svc_providers_proxy',
        expect.stringContaining('Protected'),
      ]);
    });

    test('without a session leads to the sign-in page, which comes back with the target', async () => {
      const app = await protect(server());
      const browser = proxiedBrowser(server());
      const [, opened] = await browser.follow((await browser.ask(`${app.url}/deep/page`)).location, (url) =>
        new URL(url).pathname.startsWith('/if/flow/'),
      );
      const next = new URL(opened.at(-1) ?? '').searchParams.get('next') ?? '';
      expect(next).toMatch(new RegExp(`^/application/proxy/${app.slug}/authorize/\\?state=`));
      await browser.signIn((await server().user()).pk);
      const [, rest] = await browser.follow(publicUrl + next, (url) => url === `${app.url}/deep/page`);
      expect(rest.at(-1)).toBe(`${app.url}/deep/page`);
    });

    test('in two tabs takes each to its own target', async () => {
      const app = await protect(server());
      const browser = proxiedBrowser(server());
      const person = await server().user();
      const begun = async (path: string) =>
        (await browser.open(`${app.url}/outpost.gatehouse/start?rd=${encodeURIComponent(path)}`)).location;
      const [first, second] = [await begun('/one'), await begun('/two')];
      await browser.signIn(person.pk);
      const callbackOf = async (url: string) => (await browser.open(url)).location;
      const [one, two] = [await callbackOf(first), await callbackOf(second)];
      expect((await browser.open(two)).location).toBe(`${app.url}/two`);
      expect((await browser.open(one)).location).toBe(`${app.url}/one`);
      // By the back button: the code is used up, and the person is signed in.
      expect((await browser.open(one)).location).toBe(`${app.url}/one`);
    });

    test('replaces a stale cookie silently', async () => {
      const app = await protect(server());
      const browser = proxiedBrowser(server());
      await browser.signIn((await server().user()).pk);
      await browser.enter(app);
      await server().world.db.write((tx) => sql`delete from proxy_sessions where provider = ${app.pk}`.execute(tx));
      expect((await browser.ask(`${app.url}/`)).status).toBe(302);
      await browser.enter(app);
      expect((await browser.ask(`${app.url}/`)).status).toBe(200);
    });

    test('takes no code that another browser got, nor one twice', async () => {
      const app = await protect(server());
      const attacker = proxiedBrowser(server());
      await attacker.signIn((await server().user()).pk);
      const [, opened] = await attacker.follow(`${app.url}/outpost.gatehouse/start`, (url) =>
        url.includes('/callback'),
      );
      const callback = opened.at(-1) ?? '';
      const victim = proxiedBrowser(server());
      const came = await victim.open(callback);
      expect([came.status, came.location]).toEqual([302, expect.stringContaining('/outpost.gatehouse/start?')]);
      expect((await victim.ask(`${app.url}/`)).status).toBe(302);
      // With a sign-in of its own under way, the code of the other still is not for it.
      const begun = await victim.open(`${app.url}/outpost.gatehouse/start`);
      const state = new URL(begun.location).searchParams.get('state') ?? '';
      const mixed = new URL(callback);
      mixed.searchParams.set('state', state);
      await victim.open(mixed.href);
      expect((await victim.ask(`${app.url}/`)).status).toBe(302);
      const copy = proxiedBrowser(server(), new Map([...attacker.jar].map(([host, all]) => [host, new Map(all)])));
      await attacker.open(callback);
      expect((await attacker.ask(`${app.url}/`)).status).toBe(200);
      await copy.open(callback);
      expect((await copy.ask(`${app.url}/`)).status).toBe(302);
    });

    test('says so when the browser keeps no cookies, instead of redirecting for ever', async () => {
      const app = await protect(server());
      const browser = proxiedBrowser(server());
      await browser.signIn((await server().user()).pk);
      const session = browser.jar.get('id.example.com') ?? new Map();
      let url = `${app.url}/outpost.gatehouse/start`;
      let came = await browser.open(url);
      for (let hops = 0; came.location !== '' && hops < 10; hops++) {
        browser.jar.clear();
        browser.jar.set('id.example.com', session);
        url = new URL(came.location, url).href;
        came = await browser.open(url);
      }
      expect([came.status, came.text.includes('cookie')]).toEqual([400, true]);
    });

    test('ends with the session of this server, however that ends', async () => {
      const app = await protect(server());
      const entered = async () => {
        const person = await server().user();
        const browser = proxiedBrowser(server());
        const session = await browser.signIn(person.pk);
        await browser.enter(app);
        expect((await browser.ask(`${app.url}/`)).status).toBe(200);
        return { person, browser, session };
      };
      const deactivated = await entered();
      await server().admin.patch(`/core/users/${deactivated.person.pk}/`, { is_active: false });
      expect((await deactivated.browser.ask(`${app.url}/`)).status).toBe(302);
      const changed = await entered();
      const password = 'another long enough password';
      await server().admin.post(`/core/users/${changed.person.pk}/set_password/`, { password });
      expect((await changed.browser.ask(`${app.url}/`)).status).toBe(302);
      const revoked = await entered();
      await server().admin.delete(`/core/authenticated_sessions/${revoked.session.pk}/`);
      expect((await revoked.browser.ask(`${app.url}/`)).status).toBe(302);
      const deleted = await entered();
      await server().admin.delete(`/core/users/${deleted.person.pk}/`);
      expect((await deleted.browser.ask(`${app.url}/`)).status).toBe(302);
    });

    test('ends everything when the person signs out at the application', async () => {
      const [app, other] = [await protect(server()), await protect(server())];
      const browser = proxiedBrowser(server());
      const { pk } = await browser.signIn((await server().user()).pk);
      await browser.enter(app);
      await browser.enter(other);
      const signOut = `${app.url}/outpost.gatehouse/sign_out`;
      // Following a link does not, be it on another site, in a mail or in what users write in the application.
      for (const headers of [
        { 'sec-fetch-mode': 'no-cors' },
        ...['cross-site', 'none', 'same-origin'].map((site) => ({ 'sec-fetch-site': site })),
      ]) {
        expect((await browser.open(signOut, headers)).text).toContain('<form method="post"');
        expect((await browser.ask(`${app.url}/`)).status).toBe(200);
      }
      // Nor does a form of another host on the same site: the confirmation page puts a token into its own.
      const form = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-site' };
      const question = await browser.open(signOut, form, { method: 'POST', body: 'proof=x' });
      expect(question.text).toContain('<form method="post"');
      expect((await browser.ask(`${app.url}/`)).status).toBe(200);
      const came = await browser.leave(app);
      expect([came.status, new URL(came.location).pathname]).toEqual([303, `/application/proxy/${app.slug}/end/`]);
      expect((await browser.ask(`${app.url}/`)).status).toBe(302);
      expect((await browser.ask(`${other.url}/`)).status).toBe(302);
      const ended = await browser.open(came.location);
      expect(ended.status).toBe(302);
      if (!ended.location.includes('/if/flow/')) {
        const { rows } = await sql`select 1 from authenticated_sessions where pk = ${pk}`.execute(
          server().world.db.read,
        );
        expect(rows).toEqual([]);
      }
    });

    test('the proof of a sign-out is good for its session alone', async () => {
      const app = await protect(server());
      const browser = proxiedBrowser(server());
      await browser.signIn((await server().user()).pk);
      await browser.enter(app);
      const { location } = await browser.leave(app);
      const other = proxiedBrowser(server());
      const { pk } = await other.signIn((await server().user()).pk);
      await other.open(location);
      const { rows } = await sql`select 1 from authenticated_sessions where pk = ${pk}`.execute(server().world.db.read);
      expect(rows).toHaveLength(1);
    });

    test('asks the policies of the application, and again within a minute', async () => {
      const app = await protect(server());
      const group = (await server().admin.post('/core/groups/', { name: `allowed ${app.pk}` })).body.pk;
      await server().admin.post('/policies/bindings/', { target: app.application, group, order: 0 });
      const person = await server().user();
      const browser = proxiedBrowser(server());
      await browser.signIn(person.pk);
      const footer_links = [{ name: 'Help desk', href: 'https://help.example/' }];
      await server().admin.patch('/admin/settings/', { footer_links });
      const [page] = await browser.follow(`${app.url}/outpost.gatehouse/start`);
      expect(page.status).toBe(403);
      expect(page.text).toContain('<h1>Access denied</h1>');
      expect(page.text).toMatch(/You do not have access to Protected \d+\./);
      expect(page.text).toContain('Ask your administrator if you need it.');
      expect(page.text).toContain('href="https://help.example/">Help desk</a>');
      expect(page.text).not.toContain('Ask for access');
      await server().admin.patch(`/core/applications/${app.slug}/`, { access_requests: true });
      const [offer] = await browser.follow(`${app.url}/outpost.gatehouse/start`);
      expect([offer.status, offer.text.includes('Ask for access</button>')]).toEqual([403, true]);
      await server().admin.post(`/core/groups/${group}/add_user/`, { pk: person.pk });
      await browser.enter(app);
      const allowed = await browser.ask(`${app.url}/`);
      expect([allowed.status, allowed.headers['x-gatehouse-groups']]).toEqual([200, `allowed ${app.pk}`]);
      await server().admin.post(`/core/groups/${group}/remove_user/`, { pk: person.pk });
      later += 60_000;
      expect((await browser.ask(`${app.url}/`)).status).toBe(302);
      later = 0;
      // The session is over, not only this check.
      expect((await browser.ask(`${app.url}/`)).status).toBe(302);
    });

    test('lasts as long as the provider says, and passes on what changes', async () => {
      const app = await protect(server(), { access_token_validity: 'minutes=10' });
      const person = await server().user([], { name: 'Before' });
      const browser = proxiedBrowser(server());
      await browser.signIn(person.pk);
      await browser.enter(app);
      expect((await browser.ask(`${app.url}/`)).headers['remote-name']).toBe('Before');
      await server().admin.patch(`/core/users/${person.pk}/`, { name: 'After' });
      later = 61_000;
      expect((await browser.ask(`${app.url}/`)).headers['remote-name']).toBe('After');
      later = 10 * 60_000 + 1000;
      expect((await browser.ask(`${app.url}/`)).status).toBe(302);
      later = 0;
    });

    test('shows a page where no application uses the provider, and where the application is switched off', async () => {
      const app = await protect(server());
      const browser = proxiedBrowser(server());
      await browser.signIn((await server().user()).pk);
      await browser.enter(app);
      await server().admin.patch(`/core/applications/${app.slug}/`, { enabled: false });
      expect((await browser.ask(`${app.url}/`)).status).toBe(302);
      const [off] = await browser.follow(`${app.url}/outpost.gatehouse/start`);
      expect([off.status, off.text.includes('is switched off')]).toEqual([403, true]);
      await server().admin.patch(`/core/applications/${app.slug}/`, { enabled: true, provider: null });
      expect((await browser.ask(`${app.url}/`)).status).toBe(302);
      const [none] = await browser.follow(`${app.url}/outpost.gatehouse/start`);
      expect(none.status).toBe(403);
    });

    test('protects every host of a domain with one session, and none outside', async () => {
      const domain = `d${server().kind}.example.net`;
      const app = await protect(server(), {
        mode: 'forward_domain',
        external_host: `https://auth.${domain}`,
        cookie_domain: domain,
      });
      const browser = proxiedBrowser(server());
      await browser.signIn((await server().user()).pk);
      const wiki = `https://wiki.${domain}`;
      const { location } = await browser.ask(`${wiki}/page?a=b`);
      expect(new URL(location).origin).toBe(app.url);
      const [, opened] = await browser.follow(location, (url) => url === `${wiki}/page?a=b`);
      expect(opened.at(-1)).toBe(`${wiki}/page?a=b`);
      expect((await browser.ask(`${wiki}/`)).status).toBe(200);
      expect((await browser.ask(`https://mail.${domain}:8443/`)).status).toBe(200);
      expect((await browser.ask(`https://evil${domain}/`)).status).toBe(400);
      const start = `${app.url}/outpost.gatehouse/start?rd=`;
      for (const rd of [`https://evil${domain}/`, `https://${domain}.evil.example/`]) {
        const [, evil] = await browser.follow(start + encodeURIComponent(rd), (url) => new URL(url).pathname === '/');
        expect(evil.at(-1)).toBe(`${app.url}/`);
      }
      // A host with a provider of its own is not the domain's any more.
      const own = await protect(server(), { external_host: wiki });
      expect((await browser.ask(`${wiki}/`)).status).toBe(302);
      expect((await browser.ask(`${wiki}/`)).location).toContain(`${own.url}/outpost.gatehouse/start`);
    });

    test('leads nowhere but to the application', async () => {
      const app = await protect(server());
      const browser = proxiedBrowser(server());
      await browser.signIn((await server().user()).pk);
      const evil = [
        ...[
          'https://evil.example',
          '//evil.example',
          '/\\evil.example',
          'https://user@evil.example',
          'javascript:alert(1)',
        ],
        ...[`https://${app.host}.evil.example/`, `https://evil.example/?${app.host}`, `https://x@${app.host}/`],
        ...['/outpost.gatehouse/sign_out', '/x/../outpost.gatehouse/sign_out', '/%2e%2e/outpost.gatehouse/start'],
        'https:evil.example/..//evil.example',
      ];
      for (const rd of evil) {
        const opened = await browser.enter(app, rd);
        expect(new URL(opened.at(-1) ?? '').host).toBe(app.host);
        expect(opened.at(-1)).not.toContain('outpost.gatehouse');
      }
    });

    test('answers scripts and programs with the address at which people sign in', async () => {
      const app = await protect(server());
      const browser = proxiedBrowser(server());
      const ask = (headers: Record<string, string>) => browser.ask(`${app.url}/api/data`, { headers });
      const kinds = [
        { 'sec-fetch-mode': 'cors' },
        { 'sec-fetch-mode': '', 'x-requested-with': 'XMLHttpRequest', accept: '*/*' },
        { 'sec-fetch-mode': 'websocket', upgrade: 'websocket' },
      ];
      for (const headers of kinds) {
        const { status, text, headers: came } = await ask(headers);
        expect(status).toBe(401);
        const { sign_in } = JSON.parse(text);
        expect(sign_in).toBe(`${app.url}/outpost.gatehouse/start?rd=${encodeURIComponent(`${app.url}/api/data`)}`);
        expect(came['www-authenticate']).toContain(`authorization_uri="${sign_in}"`);
      }
      const start = await browser.open(`${app.url}/outpost.gatehouse/start`, { 'sec-fetch-mode': 'cors' });
      expect(start.status).toBe(401);
    });

    test('lets no user in who acts as another user', async () => {
      const app = await protect(server());
      const browser = proxiedBrowser(server());
      const { me } = { me: await server().user() };
      const { pk } = await browser.signIn(me.pk);
      const other = await server().user();
      await server().world.db.write((tx) =>
        sql`update authenticated_sessions set impersonated = ${other.pk} where pk = ${pk}`.execute(tx),
      );
      await server().world.db.write((tx) =>
        sql`insert into user_groups ("user", "group") select ${me.pk}, pk from groups where is_superuser`.execute(tx),
      );
      const [page] = await browser.follow(`${app.url}/outpost.gatehouse/start`);
      expect([page.status, page.text.includes('Impersonated sessions cannot')]).toEqual([403, true]);
    });

    test('answers ping on any host', async () => {
      expect((await sendAs(server(), '/outpost.gatehouse/ping')).status).toBe(204);
    });
  },
  { env: behindProxy, clock },
);
