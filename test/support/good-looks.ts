import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { axeViolations } from './axe.ts';

/** Expects that what a window shows is accessible and fits it: wide, narrow, dark and from right to left. It is at rest, and stays as it is. */
export async function expectGoodLooks(page: Page, what: string, part: Locator = page.locator('html')): Promise<void> {
  const fits = (look: string) =>
    expect
      .poll(async () => [what, look, await part.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)])
      .toEqual([what, look, 0]);
  const isAccessible = (look: string, rules?: readonly string[]) =>
    expect.poll(async () => [what, look, await axeViolations(page, rules)]).toEqual([what, look, []]);
  const turn = (direction: string) =>
    page.locator('html').evaluate((html, dir) => html.setAttribute('dir', dir), direction);

  await page.setViewportSize({ width: 375, height: 740 });
  await isAccessible('narrow');
  await fits('narrow');
  await page.setViewportSize({ width: 1280, height: 860 });
  await isAccessible('wide');
  await fits('wide');
  // Dark pages differ in their colours alone.
  await page.emulateMedia({ colorScheme: 'dark' });
  await isAccessible('dark', ['color-contrast']);
  await page.emulateMedia({ colorScheme: 'light' });
  await turn('rtl');
  await fits('from right to left');
  await turn('ltr');
}
