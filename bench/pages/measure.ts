import type { Page } from 'playwright-core';
import { findChromium, launchChromium } from '../../test/support/chromium.ts';
import { adminToken, commonSettings, withApp } from '../open-app.ts';
import type { BenchOptions } from '../options.ts';
import { buildBundle, startServer } from '../processes.ts';

export interface MeasuredInteraction {
  readonly title: string;
  /** From the input to the next paint, one of each time it was tried; zero where the browser saw less than 16 ms. */
  readonly durations: readonly number[];
}

export const rowsShown = 100;
const list = `/if/admin/core/groups/?page_size=${rowsShown}`;

const interactions: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  'sort by a heading': (page) => page.locator('thead').getByRole('link').first().click(),
  'type into the search': (page) => page.getByRole('searchbox').first().pressSequentially('bench', { delay: 120 }),
  'select a row': (page) => page.locator('tbody').getByRole('checkbox').nth(3).check(),
  'select all rows': (page) => page.locator('thead').getByRole('checkbox').check(),
};

/** Collects how long interactions take, as the browser itself measures them. */
const observe = `globalThis.seen = [];
  new PerformanceObserver((list) => {
    for (const { interactionId, duration } of list.getEntries()) if (interactionId) seen.push(duration);
  }).observe({ type: 'event', durationThreshold: 16 });`;
/** Entries arrive some time after the paint. */
const read = `new Promise((resolve) => setTimeout(() => resolve(Math.max(0, ...seen)), 300))`;

/** Interaction to next paint on a long list of the admin pages. */
export async function measurePages({ databases, only, rounds, say }: BenchOptions): Promise<MeasuredInteraction[]> {
  const chromium = await findChromium();
  if (!chromium) throw new Error('Install Chromium to measure pages');
  buildBundle();
  const database = await databases.fresh();
  const stops: (() => unknown)[] = [() => database.drop()];
  try {
    say('Loading');
    await withApp(database, (_world, _app, url) => loadGroups(url));
    const server = await startServer({ ...commonSettings, ...database.settings });
    stops.unshift(server.stop);
    const browser = await launchChromium(chromium);
    stops.unshift(() => browser.close());
    const page = await browser.newPage({ baseURL: `http://localhost:${server.port}` });
    await page.addInitScript(observe);
    await signIn(page);
    const measured: MeasuredInteraction[] = [];
    for (const [title, act] of Object.entries(interactions).filter(([one]) => one.includes(only))) {
      say(title);
      const durations: number[] = [];
      for (let round = 0; round < rounds.rounds; round += 1) durations.push(await durationOf(page, act));
      measured.push({ title, durations });
    }
    return measured;
  } finally {
    for (const stop of stops) await stop();
  }
}

async function loadGroups(url: string): Promise<void> {
  const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' };
  for (let at = 0; at < rowsShown; at += 1) {
    const body = JSON.stringify({ name: `bench group ${at}` });
    const { status } = await fetch(`${url}/api/v3/core/groups/`, { method: 'POST', headers, body });
    if (status !== 201) throw new Error(`a group was answered with ${status}`);
  }
}

async function signIn(page: Page): Promise<void> {
  await page.goto(list);
  await page.getByLabel('Email address or username').fill('admin');
  await page.keyboard.press('Enter');
  await page.getByLabel('Password', { exact: true }).fill(commonSettings.GATEHOUSE_BOOTSTRAP_PASSWORD);
  await page.keyboard.press('Enter');
  await page.locator('tbody tr').first().waitFor();
  await page.waitForLoadState('networkidle');
}

async function durationOf(page: Page, act: (page: Page) => Promise<void>): Promise<number> {
  await page.goto(list);
  await page
    .locator('tbody tr')
    .nth(rowsShown - 1)
    .waitFor();
  await page.waitForLoadState('networkidle');
  await page.evaluate('seen.length = 0');
  await act(page);
  await page.waitForLoadState('networkidle');
  return Number(await page.evaluate(read));
}
