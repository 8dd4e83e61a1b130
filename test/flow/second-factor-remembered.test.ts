import { expect, test } from 'vitest';
import { type Browser, openBrowser } from '../support/flow-client.ts';
import { makeWalk, type Walk } from '../support/make-walk.ts';
import { type App, giveApp, password, personWithPassword, stillClock } from '../support/second-factor.ts';
import { describeOnSqlite, type TestUser } from '../support/server.ts';

const asked = 'xak-stage-authenticator-validate';
const redirect = 'xak-flow-redirect';
const cookie = 'gatehouse_mfa';
const minute = 60_000;
const clock = stillClock();

describeOnSqlite(
  'a browser in which a second factor was shown',
  (server) => {
    const walkWith = (last_auth_threshold: string) =>
      makeWalk(server(), [
        ['identification', { user_fields: ['username'] }],
        ['password', { backends: ['svc.core.auth.InbuiltBackend'] }],
        ['authenticator/validate', { last_auth_threshold }],
        ['user_login'],
      ]);
    /** Name and password; what is asked then. */
    const begin = async (browser: Browser, { slug }: Walk, { username }: TestUser): Promise<string> => {
      for (const name of browser.cookies.keys()) if (name !== cookie) browser.cookies.delete(name);
      await browser.show(slug);
      await browser.answer(slug, { uid_field: username });
      return (await browser.answer(slug, { password })).body.component;
    };
    const shownOnce = async (threshold = 'hours=1') => {
      const user = await personWithPassword(server());
      const app: App = await giveApp(server(), user.username);
      const walk = await walkWith(threshold);
      const browser = openBrowser(server());
      expect(await begin(browser, walk, user)).toBe(asked);
      const answer = await browser.answer(walk.slug, { code: app.code() });
      expect(answer.body.component).toBe(redirect);
      return { user, app, walk, browser, answer };
    };

    test('is not asked again until the duration of the stage is over', async () => {
      const { user, walk, browser, answer } = await shownOnce();
      const header = answer.headers.getSetCookie().find((line) => line.startsWith(cookie));
      expect(header).toMatch(/; Max-Age=3600; Path=\/; HttpOnly; SameSite=Lax$/);
      clock.forward(59 * minute);
      expect(await begin(browser, walk, user)).toBe(redirect);
      clock.forward(2 * minute);
      expect(await begin(browser, walk, user)).toBe(asked);
    });

    test('is always asked where the stage sets no duration', async () => {
      const { user, walk, browser, answer } = await shownOnce('seconds=0');
      expect(answer.headers.getSetCookie().some((line) => line.startsWith(cookie))).toBe(false);
      expect(await begin(browser, walk, user)).toBe(asked);
    });

    test('is asked once on a walk with two stages, but again by the stricter one where the other only remembers', async () => {
      const user = await personWithPassword(server());
      const app = await giveApp(server(), user.username);
      const walk = await makeWalk(server(), [
        ['identification', { user_fields: ['username'] }],
        ['password', { backends: ['svc.core.auth.InbuiltBackend'] }],
        ['authenticator/validate', { last_auth_threshold: 'hours=1' }],
        ['authenticator/validate', { not_configured_action: 'deny' }],
        ['user_login'],
      ]);
      const browser = openBrowser(server());
      expect(await begin(browser, walk, user)).toBe(asked);
      expect((await browser.answer(walk.slug, { code: app.code() })).body.component).toBe(redirect);
      clock.forward(minute);
      expect(await begin(browser, walk, user)).toBe(asked);
      expect((await browser.answer(walk.slug, { code: app.code() })).body.component).toBe(redirect);
    });

    test('is asked by a stage that does not accept what was shown to the one before', async () => {
      const user = await personWithPassword(server());
      const app = await giveApp(server(), user.username);
      const walk = await makeWalk(server(), [
        ['identification', { user_fields: ['username'] }],
        ['password', { backends: ['svc.core.auth.InbuiltBackend'] }],
        ['authenticator/validate', {}],
        ['authenticator/validate', { device_classes: ['webauthn'], not_configured_action: 'deny' }],
        ['user_login'],
      ]);
      const browser = openBrowser(server());
      expect(await begin(browser, walk, user)).toBe(asked);
      expect((await browser.answer(walk.slug, { code: app.code() })).body.component).toBe('xak-stage-access-denied');
    });

    test('is asked when the duration was shortened meanwhile', async () => {
      const { user, walk, browser } = await shownOnce();
      clock.forward(10 * minute);
      await server().admin.patch(`/stages/authenticator/validate/${walk.stages[2]}/`, {
        last_auth_threshold: 'minutes=5',
      });
      expect(await begin(browser, walk, user)).toBe(asked);
    });

    test('is asked when another user signs in', async () => {
      const { walk, browser } = await shownOnce();
      const other = await personWithPassword(server());
      await giveApp(server(), other.username);
      expect(await begin(browser, walk, other)).toBe(asked);
    });

    test('is remembered for each user and each stage by itself', async () => {
      const { user, app, walk, browser } = await shownOnce();
      const other = await personWithPassword(server());
      const apps = new Map([
        [user, app],
        [other, await giveApp(server(), other.username)],
      ]);
      const walks = [walk, await walkWith('hours=2')];
      for (const one of walks) {
        for (const person of [user, other]) {
          if (one === walk && person === user) continue;
          expect(await begin(browser, one, person)).toBe(asked);
          clock.forward(minute);
          const { body } = await browser.answer(one.slug, { code: apps.get(person)?.code() });
          expect(body.component).toBe(redirect);
        }
      }
      for (const one of walks)
        for (const person of [user, other]) expect(await begin(browser, one, person)).toBe(redirect);
      // Of many, the newest.
      for (let n = 0; n < 8; n++) {
        const another = await walkWith('hours=2');
        expect(await begin(browser, another, other)).toBe(asked);
        clock.forward(minute);
        await browser.answer(another.slug, { code: apps.get(other)?.code() });
        expect(await begin(browser, another, other)).toBe(redirect);
      }
      expect(await begin(browser, walk, user)).toBe(asked);
    });

    test('is asked by another stage', async () => {
      const { user, browser } = await shownOnce();
      expect(await begin(browser, await walkWith('hours=1'), user)).toBe(asked);
    });

    test('is asked when the device was replaced by another', async () => {
      const { user, app, walk, browser } = await shownOnce();
      const [device] = (await app.browser.get('/authenticators/totp/')).body.results;
      const setup = 'default-authenticator-static-setup';
      await app.browser.show(setup);
      await app.browser.answer(setup, { component: 'xak-stage-authenticator-static' });
      await server().admin.delete(`/authenticators/admin/totp/${device.pk}/`);
      expect(await begin(browser, walk, user)).toBe(asked);
    });

    test('is asked when the password was changed since', async () => {
      const { user, walk, browser } = await shownOnce();
      clock.forward(minute);
      await server().admin.post(`/core/users/${user.pk}/set_password/`, { password });
      expect(await begin(browser, walk, user)).toBe(asked);
    });

    test('is asked when the cookie was changed in any place', async () => {
      const { user, walk, browser } = await shownOnce();
      const value = browser.cookies.get(cookie) as string;
      const [text = '', signature = ''] = value.split('.');
      const forged = Buffer.from(
        JSON.stringify({ ...JSON.parse(Buffer.from(text, 'base64url').toString()), user: user.pk + 1 }),
      ).toString('base64url');
      const flipped = `${text.slice(0, -1)}${text.endsWith('A') ? 'B' : 'A'}`;
      for (const changed of ['', '.', text, `${flipped}.${signature}`, `${forged}.${signature}`, `${text}.${text}`]) {
        browser.cookies.set(cookie, changed);
        expect([changed, await begin(browser, walk, user)]).toEqual([changed, asked]);
      }
      browser.cookies.set(cookie, value);
      expect(await begin(browser, walk, user)).toBe(redirect);
    });
  },
  { clock },
);

describeOnSqlite(
  'the cookie of a remembered second factor over TLS',
  (server) => {
    test('can be neither set by other hosts nor read by scripts', async () => {
      const user = await personWithPassword(server());
      const app = await giveApp(server(), user.username);
      const { slug } = await makeWalk(server(), [
        ['identification', { user_fields: ['username'] }],
        ['authenticator/validate', { last_auth_threshold: 'hours=1' }],
      ]);
      const browser = openBrowser(server());
      await browser.show(slug);
      await browser.answer(slug, { uid_field: user.username });
      const { headers } = await browser.answer(slug, { code: app.code() });
      const header = headers.getSetCookie().find((line) => line.includes(cookie));
      expect(header).toMatch(/^__Host-gatehouse_mfa=\S+; Max-Age=3600; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
      const again = openBrowser(server());
      again.cookies.set(cookie, browser.cookies.get(`__Host-${cookie}`) as string);
      await again.show(slug);
      expect((await again.answer(slug, { uid_field: user.username })).body.component).toBe(asked);
    });
  },
  { env: { GATEHOUSE_PUBLIC_URL: 'https://sign-in.example' } },
);
