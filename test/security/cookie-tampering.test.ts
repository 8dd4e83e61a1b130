import { expect, test } from 'vitest';
import { openBrowser, signInByPassword, signInFlow } from '../support/flow-client.ts';
import { makeWalk } from '../support/make-walk.ts';
import { adminPassword, describeOnSqlite } from '../support/server.ts';
import { signIn } from '../support/session.ts';

const plan = 'gatehouse_flow_plan';
const session = 'gatehouse_session';

describeOnSqlite('cookies of flows and sessions', (server) => {
  test('a flow token that this server did not issue is replaced', async () => {
    const browser = openBrowser(server());
    browser.cookies.set(plan, 'planted-by-a-neighbour');
    await browser.show(signInFlow);
    expect(browser.cookies.get(plan)).not.toBe('planted-by-a-neighbour');
    expect(browser.cookies.get(plan)?.length).toBeGreaterThanOrEqual(43);
  });

  test('a changed session token is refused', async () => {
    const browser = openBrowser(server());
    await signInByPassword(browser, 'admin', adminPassword);
    for (const name of [session]) {
      const real = browser.cookies.get(name) as string;
      for (const at of [0, 10, real.length - 1]) {
        const changed = `${real.slice(0, at)}${real[at] === 'A' ? 'B' : 'A'}${real.slice(at + 1)}`;
        browser.cookies.set(name, changed);
        expect((await browser.get('/core/users/me/')).status).toBe(403);
      }
      browser.cookies.set(name, real);
      expect((await browser.get('/core/users/me/')).status).toBe(200);
    }
  });

  test('signing in rotates the session, and the old one is refused', async () => {
    const walk = await makeWalk(server(), [['user_login']]);
    const user = await server().user();
    const { cookie, csrf } = await signIn(server(), user.pk);
    const browser = openBrowser(server());
    const old = cookie.split('=')[1] as string;
    browser.cookies.set(session, old);
    browser.cookies.set('gatehouse_csrf', csrf);
    expect((await browser.show(walk.slug)).body.component).toBe('xak-flow-confirm');
    await browser.answer(walk.slug, { component: 'xak-flow-confirm' });
    expect(browser.cookies.get(session)).not.toBe(old);
    expect((await browser.get('/core/users/me/')).body.user.pk).toBe(user.pk);
    browser.cookies.set(session, old);
    expect((await browser.get('/core/users/me/')).status).toBe(403);
  });
});

describeOnSqlite(
  'cookies behind TLS',
  (server) => {
    test('carry the __Host- prefix', async () => {
      const api = server().nobody;
      const first = await api.get(`/flows/executor/${signInFlow}/`);
      const [cookie = ''] = first.headers.getSetCookie();
      expect(cookie).toMatch(
        /^__Host-gatehouse_flow_plan=[^;]{43,}; Max-Age=1800; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
      );
      const headers = { cookie: cookie.split(';')[0] as string };
      await api.post(`/flows/executor/${signInFlow}/`, { uid_field: 'admin' }, headers);
      const last = await api.post(`/flows/executor/${signInFlow}/`, { password: adminPassword }, headers);
      const set = last.headers.getSetCookie().filter((line) => !line.includes('flow_plan'));
      expect(set).toHaveLength(3);
      for (const line of set)
        expect(line).toMatch(
          /^__Host-gatehouse_(session|csrf|known)=[^;]+;( Max-Age=\d+;)? Path=\/; (HttpOnly; )?Secure; SameSite=Lax$/,
        );
      expect(set.join()).not.toMatch(/domain=/i);
    });
  },
  { env: { GATEHOUSE_PUBLIC_URL: 'https://id.example.org' } },
);
