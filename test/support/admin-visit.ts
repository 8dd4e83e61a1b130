import type { Page } from 'playwright-core';
import type { Journey, WindowOptions } from './journey.ts';
import { signIn } from './session.ts';

// What is refused is told on the page; the console tells of it as well.
const refusals = /^Failed to load resource: the server responded with a status of 4(00|03|04|12)/;

export interface AdminVisit extends WindowOptions {
  /** The key of a user; the administrator unless said otherwise. */
  readonly user?: number;
}

/** A window of a user who is signed in, at an admin page. */
export async function visitAdmin(
  { server, window }: Journey,
  path: string,
  { user, ...options }: AdminVisit = {},
): Promise<Page> {
  const pk = user ?? (await server.admin.get('/core/users/?username=admin')).body.results[0].pk;
  const session = await signIn(server, pk);
  const page = await window({ tolerates: refusals, ...options });
  const url = server.url.replace('127.0.0.1', 'localhost');
  const [name = '', value = ''] = session.cookie.split('=');
  await page.context().addCookies([
    { name, value, url, httpOnly: true },
    { name: 'gatehouse_csrf', value: session.csrf, url },
  ]);
  await openAdmin(page, path);
  return page;
}

/** Goes to an admin page in a new document, and waits until it shows what it is about. */
export async function openAdmin(page: Page, path: string): Promise<void> {
  await page.goto(`/if/admin${path}`);
  await settled(page);
}

/** Chooses what can be done with an object: from the menu, or by the button where there is just one thing. */
export async function chooseAction(page: Page, title: string): Promise<void> {
  const button = page.locator('.page-head').getByRole('button', { name: title, includeHidden: true });
  await button.waitFor({ state: 'attached' });
  if (!(await button.isVisible())) await page.locator('.page-head').getByText('Actions', { exact: true }).click();
  await button.click();
}

/** The same in the document that is open, as going back and forth does. */
export async function moveTo(page: Page, path: string): Promise<void> {
  const address = JSON.stringify(`/if/admin${path}`);
  await page.evaluate(
    `history.pushState({ isMove: true }, '', ${address}); dispatchEvent(new PopStateEvent('popstate'))`,
  );
  await settled(page);
}

async function settled(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle');
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.locator('.waiting').first().waitFor({ state: 'detached' });
}
