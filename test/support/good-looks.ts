import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { axeViolations } from './axe.ts';

const fits = (page: Page, what: string, part = page.locator('html')) =>
  expect
    .poll(async () => [what, await part.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)])
    .toEqual([what, 0]);

const isAccessible = (page: Page, what: string, rules?: readonly string[]) =>
  expect.poll(async () => [what, await axeViolations(page, rules)]).toEqual([what, []]);

/** Expects that what a window shows is accessible, and that it or its part is no wider than there is room. */
export async function expectGoodLook(page: Page, what: string, part?: Locator): Promise<void> {
  await isAccessible(page, what);
  await fits(page, what, part);
}

/** The same for what a window shows when it is wide, narrow, dark and from right to left; it stays open meanwhile. */
export async function expectGoodLooks(page: Page, what: string, part?: Locator): Promise<void> {
  await page.setViewportSize({ width: 375, height: 740 });
  await expectGoodLook(page, `${what}, narrow`, part);
  await page.setViewportSize({ width: 1280, height: 860 });
  await expectGoodLook(page, `${what}, wide`, part);
  // Dark pages differ in their colours alone.
  await page.emulateMedia({ colorScheme: 'dark' });
  await isAccessible(page, `${what}, dark`, ['color-contrast']);
  await page.emulateMedia({ colorScheme: 'light' });
  const turn = (direction: string) =>
    page.locator('html').evaluate((html, dir) => html.setAttribute('dir', dir), direction);
  await turn('rtl');
  await fits(page, `${what}, from right to left`, part);
  await turn('ltr');
}
