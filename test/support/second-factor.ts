import { Secret, TOTP } from 'otpauth';
import { addMilliseconds, type Clock, systemClock } from '../../src/platform/clock.ts';
import type { Answer } from './api.ts';
import { type Browser, openBrowser, signInByPassword } from './flow-client.ts';
import type { TestServer, TestUser } from './server.ts';

export const password = 'right horse';

export interface StillClock extends Clock {
  forward(milliseconds: number): void;
}

/** Stands still unless it is moved: codes and waits depend on nothing but the test. */
export function stillClock(): StillClock {
  let at = systemClock.now();
  return {
    now: () => at,
    forward: (milliseconds) => {
      at = addMilliseconds(at, milliseconds);
    },
  };
}

/** One step of an app that shows codes. */
export const step = 30_000;

export async function personWithPassword(server: TestServer): Promise<TestUser> {
  const user = await server.user();
  await server.admin.post(`/core/users/${user.pk}/set_password/`, { password });
  return user;
}

/** A user's app, as they would set it up from the picture. */
export interface App {
  readonly browser: Browser;
  /** The code that it shows now, or so many milliseconds away. */
  code(away?: number): string;
}

export function appFrom(server: TestServer, browser: Browser, configUrl: string): App {
  const { searchParams } = new URL(configUrl);
  const secret = Secret.fromBase32(searchParams.get('secret') ?? '');
  const digits = Number(searchParams.get('digits'));
  return {
    browser,
    code: (away = 0) => TOTP.generate({ secret, digits, timestamp: Date.parse(server.world.clock.now()) + away }),
  };
}

const totpSetup = 'default-authenticator-totp-setup';
const staticSetup = 'default-authenticator-static-setup';

/** Gives a user an app, through the flow of a fresh install; the code that confirmed it is used up. */
export async function giveApp(server: TestServer, username: string): Promise<App> {
  const browser = openBrowser(server);
  await signInByPassword(browser, username, password);
  const app = appFrom(server, browser, (await browser.show(totpSetup)).body.config_url);
  const { body } = await browser.answer(totpSetup, { code: app.code(-step) });
  if (body.component !== 'xak-flow-redirect') throw new Error(JSON.stringify(body));
  return app;
}

/** Gives a user a list of codes, through the flow of a fresh install. */
export async function giveCodes(server: TestServer, username: string): Promise<string[]> {
  const browser = openBrowser(server);
  await signInByPassword(browser, username, password);
  const { codes } = (await browser.show(staticSetup)).body;
  const { body } = await browser.answer(staticSetup, { component: 'xak-stage-authenticator-static' });
  if (body.component !== 'xak-flow-redirect') throw new Error(JSON.stringify(body));
  return codes;
}

/** A browser in which a user has given name and password; what it is asked then. */
export async function pastPassword(server: TestServer, username: string): Promise<{ browser: Browser; asked: Answer }> {
  const browser = openBrowser(server);
  return { browser, asked: await signInByPassword(browser, username, password) };
}

/** Whether a browser is signed in. */
export const isSignedIn = async (browser: Browser): Promise<boolean> =>
  (await browser.get('/core/users/me/')).status === 200;

/** The key of the user who is signed in with a browser; null if no user is. */
export const userIn = async (browser: Browser): Promise<number | null> =>
  (await browser.get('/core/users/me/')).body.user?.pk ?? null;
