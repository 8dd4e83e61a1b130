import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import type { Api } from '../../../test/support/api.ts';
import { firstStart, processToken, startServerProcess } from '../../../test/support/gatehouse-process.ts';
import { until } from '../../../test/support/jobs.ts';
import { openPublicPort } from '../../../test/support/public-port.ts';
import { loopbackAllowed } from '../../../test/support/service.ts';
import type { Keycloak } from './keycloak.ts';

/** Both servers, and a browser. They have different hosts, because browsers do not tell ports apart in cookies. */
export interface Scene {
  readonly gatehouse: string;
  readonly api: Api;
  readonly keycloak: Keycloak;
  /** A window of a new visitor. */
  window(): Promise<Page>;
  close(): Promise<void>;
}

export async function openScene(folder: string, keycloak: Keycloak, executablePath: string): Promise<Scene> {
  const front = await openPublicPort();
  const server = await startServerProcess({
    ...firstStart,
    ...loopbackAllowed,
    GATEHOUSE_DATA_DIR: mkdtempSync(join(folder, 'data-')),
    GATEHOUSE_PUBLIC_URL: front.url,
  });
  front.leadsTo(server.url);
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  const contexts: BrowserContext[] = [];
  return {
    gatehouse: front.url,
    api: server.as(processToken),
    keycloak,
    async window() {
      for (const context of contexts.splice(0)) await context.close();
      const context = await browser.newContext();
      context.setDefaultTimeout(120_000);
      contexts.push(context);
      return context.newPage();
    },
    async close() {
      await browser.close();
      await front.close();
      await server.stop();
    },
  };
}

/** An application of a realm: a page of Keycloak itself, at which people arrive once they are signed in. */
export const visitorClient = ({ keycloak }: Scene) => ({
  clientId: 'visitor',
  publicClient: true,
  redirectUris: [`${keycloak.url}/realms/master`],
});
export const arrivedThere = /\/realms\/master\?/;

const request = (url: string, realm: string, more: Record<string, string> = {}): string =>
  `${url}/realms/${realm}/protocol/openid-connect/auth?${new URLSearchParams({
    ...{ client_id: 'visitor', redirect_uri: `${url}/realms/master`, response_type: 'code', scope: 'openid' },
    ...more,
  })}`;

/** The page at which people sign in to a realm of Keycloak. */
export const signInPage = ({ keycloak }: Scene, realm: string): string => request(keycloak.url, realm);

/** Whether a user is signed in to a realm of Keycloak. */
export async function isThere(page: Page, { keycloak }: Scene, realm: string): Promise<boolean> {
  const answer = await page.request.get(request(keycloak.url, realm, { prompt: 'none' }), { maxRedirects: 0 });
  const { location = '' } = answer.headers();
  if (!/[?#&](code|error)=/.test(location)) throw new Error(`Keycloak says neither yes nor no: ${location}`);
  return /[?#&]code=/.test(location);
}

/** Signs out at Keycloak, which first asks whether one means it. */
export async function signOutThere(page: Page, { keycloak }: Scene, realm: string): Promise<void> {
  await page.goto(`${keycloak.url}/realms/${realm}/protocol/openid-connect/logout`);
  await page.locator('#kc-logout').click();
  await page.getByRole('heading', { name: 'You are logged out' }).waitFor();
}

/** Names what is not so. */
export function check(condition: boolean, words: string): void {
  if (!condition) throw new Error(`it is not so that ${words}`);
}

export const checkSoon = (condition: () => Promise<boolean>, words: string): Promise<void> =>
  until(condition, 60).catch((cause) => {
    throw new Error(`it is not so that ${words}`, { cause });
  });
