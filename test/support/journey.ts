import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from 'vitest';
import { watchRequests } from './at-rest.ts';
import { findChromium, launchChromium } from './chromium.ts';
import { startOver } from './second-try.ts';
import { startServer, type TestServer, type TestServerOptions } from './server.ts';

export { signInOn, signOutOn, whoIs } from './sign-in-page.ts';

export interface Journey {
  readonly server: TestServer;
  /** A window of a user whom the server has never seen. */
  window(options?: WindowOptions): Promise<Page>;
}

export interface WindowOptions extends BrowserContextOptions {
  /** What this window may complain about. */
  readonly tolerates?: RegExp;
}

interface JourneyOptions {
  /** Whether windows stay open from one test to the next: for many short visits to pages of one kind. */
  readonly keepsWindows?: boolean;
}

const executablePath = await findChromium();

/**
 * Tests of pages in a real browser. Whatever a window complains about fails the test: errors, what the content security
 * policy refuses, what cannot be loaded.
 */
export function describeJourney(
  name: string,
  tests: (journey: () => Journey) => void,
  { keepsWindows = false, ...options }: TestServerOptions & JourneyOptions = {},
): void {
  describe.skipIf(!executablePath)(name, () => {
    let journey: Journey | undefined;
    let browser: Browser | undefined;
    const complaints: string[] = [];
    beforeAll(async () => {
      // Those of the first try.
      await browser?.close();
      await journey?.server.close();
      const server = await startServer('sqlite', options);
      browser = await launchChromium(executablePath as string);
      journey = { server, window: (wanted) => openWindow(server, browser as Browser, complaints, wanted) };
    });
    beforeEach(startOver);
    afterEach(async ({ task }) => {
      if (task.result?.state === 'fail') await tellOfPages(browser);
      for (const context of keepsWindows ? [] : (browser?.contexts() ?? [])) await context.close();
      expect(complaints.splice(0)).toEqual([]);
    });
    afterAll(async () => {
      await browser?.close();
      await journey?.server.close();
    });
    tests(() => journey as Journey);
  });
}

/** Prints what the open pages show, to tell a failure on another machine from afar. */
async function tellOfPages(browser: Browser | undefined): Promise<void> {
  for (const page of browser?.contexts().flatMap((context) => context.pages()) ?? []) {
    const text = await page
      .locator('body')
      .innerText({ timeout: 5000 })
      .catch((error: Error) => error.message);
    console.error(`${page.url()} shows:\n${text.slice(0, 4000)}`);
  }
}

async function openWindow(
  server: TestServer,
  browser: Browser,
  complaints: string[],
  { tolerates, ...options }: WindowOptions = {},
): Promise<Page> {
  // Passkeys are bound to names, and an address is none.
  const baseURL = server.url.replace('127.0.0.1', 'localhost');
  const context = await browser.newContext({ viewport: { width: 1100, height: 760 }, baseURL, ...options });
  // A browser on a busy machine takes its time.
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  movesAtRest(page);
  const complain = (text: string) => {
    if (!tolerates?.test(text)) complaints.push(text);
  };
  page.on('pageerror', (error) => complain(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') complain(message.text());
  });
  return page;
}

/**
 * Lets the window open and leave a page of a signed-in user only when that page has no pending requests. If one of them
 * finds that the session has ended, the page goes to the sign-in page by itself, regardless of the address that the
 * window is navigating to. Tests wait in the same way.
 */
function movesAtRest(page: Page): void {
  const noRequests = watchRequests(page);
  const waitForLoadState = page.waitForLoadState.bind(page);
  page.waitForLoadState = async (state, options) => {
    if (state !== 'networkidle') return waitForLoadState(state, options);
    await waitForLoadState('load', options);
    await noRequests();
  };
  const atRest = async () => {
    if (/^\/if\/(user|admin)\//.test(new URL(page.url()).pathname)) await page.waitForLoadState('networkidle');
  };
  const goto = page.goto.bind(page);
  page.goto = async (...where) => {
    await atRest();
    const response = await goto(...where);
    await atRest();
    return response;
  };
}
