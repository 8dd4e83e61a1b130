import type { Page } from 'playwright-core';

/** Who is signed in with this window; null when no user is. */
export async function whoIs(page: Page): Promise<string | null> {
  const answer = await page.request.get('/api/v3/core/users/me/');
  return answer.ok() ? (await answer.json()).user.username : null;
}

/** Says who one is on the screens of the default flow. */
export async function signInOn(page: Page, username: string, password: string): Promise<void> {
  await page.getByLabel('Email address or username').fill(username);
  await page.keyboard.press('Enter');
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.keyboard.press('Enter');
}

/** Opens the page of the flow that signs out, and confirms. */
export async function signOutOn(page: Page): Promise<void> {
  await page.goto('/if/flow/default-invalidation-flow/');
  await page.getByRole('button', { name: 'Sign out' }).click();
}
