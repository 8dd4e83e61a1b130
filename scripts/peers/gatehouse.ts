import type { Page } from 'playwright-core';
import type { Api } from '../../test/support/api.ts';

/** The Gatehouse server that a peer uses, by its base URL. */
export interface Visited {
  readonly gatehouse: string;
}

/** Makes something here; anything but success is an error. */
// biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely
export async function make(api: Api, path: string, body: unknown, method = 'POST'): Promise<any> {
  const answer = await api.send(method, path, body);
  if (answer.status >= 300) throw new Error(`Gatehouse: ${method} ${path}: ${answer.status} ${answer.text}`);
  return answer.body;
}

export const flowKey = async (api: Api, slug: string): Promise<string> =>
  (await api.get(`/flows/instances/${slug}/`)).body.pk;

/** The signed-in user; null if there is none. */
export async function whoIsHere(page: Page, { gatehouse }: Visited): Promise<string | null> {
  const answer = await page.request.get(`${gatehouse}/api/v3/core/users/me/`);
  return answer.ok() ? (await answer.json()).user.username : null;
}

/** Signs out here, and waits until the sign-in page shows. */
export async function signOutHere(page: Page, { gatehouse }: Visited): Promise<void> {
  await page.goto(`${gatehouse}/if/flow/default-invalidation-flow/`);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.waitForURL(/\/if\/flow\/default-authentication-flow\//);
}
