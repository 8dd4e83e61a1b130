import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import type { Api } from '../../test/support/api.ts';
import { findChromium, launchChromium } from '../../test/support/chromium.ts';
import { freePort } from '../../test/support/free-port.ts';
import {
  type Environment,
  firstStart,
  processToken,
  startServerProcess,
} from '../../test/support/gatehouse-process.ts';
import { until } from '../../test/support/jobs.ts';
import { signInOn } from '../../test/support/sign-in-page.ts';
import { bodyFor, factsOf, setupOf, type Template } from '../../web/admin/applications/template.ts';
import { flowKey, make } from './gatehouse.ts';
import { endOf } from './peer.ts';

/** An ordinary user, in a group that may use the applications. Omar may not. */
export const dana = { username: 'dana', name: 'Dana Vo', email: 'dana@example.org' };
export const omar = { username: 'omar', name: 'Omar Bey', email: 'omar@example.org' };
export const group = 'Keepers';
const password = 'orchard beyond the hill';

/** A server of ours, the programs that were set up with the text of their templates, and people in Chromium. */
export interface TemplateScene {
  readonly gatehouse: string;
  readonly api: Api;
  /**
   * Registers a program for the group as the wizard does, without a consent step. Returns the text that administrators
   * paste.
   */
  register(template: Template, address: string): Promise<string>;
  /** Runs a program until the scene closes, once it answers at this address. */
  start(binary: string, args: readonly string[], options: SpawnOptions, address: string): Promise<void>;
  /** A window of a new visitor. */
  window(): Promise<Page>;
  /** What the open windows show, for the log of a failure. */
  describe(): Promise<string>;
  close(): Promise<void>;
}

export async function openTemplateScene(folder: string, more: Environment = {}): Promise<TemplateScene> {
  const port = await freePort();
  const gatehouse = `http://localhost:${port}`;
  const server = await startServerProcess({
    ...firstStart,
    GATEHOUSE_DATA_DIR: mkdtempSync(join(folder, 'data-')),
    PORT: String(port),
    GATEHOUSE_PUBLIC_URL: gatehouse,
    ...more,
  });
  const api = server.as(processToken);
  const keepers = await make(api, '/core/groups/', { name: group });
  for (const person of [dana, omar]) {
    const user = await make(api, '/core/users/', { ...person, groups: person === dana ? [keepers.pk] : [] });
    await api.post(`/core/users/${user.pk}/set_password/`, { password });
  }
  const flow = await flowKey(api, 'default-provider-authorization-implicit-consent');
  const browser = await launchChromium((await findChromium()) ?? '');
  const contexts: BrowserContext[] = [];
  const programs: ChildProcess[] = [];
  return {
    gatehouse,
    api,
    async register(template, address) {
      const choices = {
        ...{ name: template.name, slug: template.id, address, groups: [keepers.pk] },
        ...{ redirect: '', signedOut: '', backchannel: '', entity: '' },
      };
      const body = bodyFor(template, choices, flow);
      const created = await make(api, '/core/transactional/applications/', body, 'PUT');
      return setupOf(template, factsOf(address, template.id, created), [group]);
    },
    async start(binary, args, options, address) {
      const program = spawn(binary, args, { stdio: ['ignore', 'ignore', 'inherit'], ...options });
      programs.push(program);
      await until(async () => {
        if (program.exitCode !== null) throw new Error(`${binary} ended with ${program.exitCode}`);
        return fetch(address, { redirect: 'manual' }).then(
          ({ status }) => status < 500,
          () => false,
        );
      }, 120);
    },
    async window() {
      for (const context of contexts.splice(0)) await context.close();
      const context = await browser.newContext({ baseURL: gatehouse });
      context.setDefaultTimeout(60_000);
      contexts.push(context);
      return context.newPage();
    },
    async describe() {
      const pages = contexts.flatMap((context) => context.pages());
      const texts = pages.map(async (page) => `${page.url()} shows:\n${await page.locator('body').innerText()}`);
      return (await Promise.all(texts)).join('\n');
    },
    async close() {
      await browser.close();
      for (const program of programs) await endOf(program);
      await server.stop();
    },
  };
}

/** On the sign-in page of ours, to which a program has sent the window. */
export const signIn = (page: Page, { username }: { readonly username: string }): Promise<void> =>
  signInOn(page, username, password);

/** Omar signs in on the page that a program has opened, and is sent back to it with a refusal. */
export async function isRefused(page: Page): Promise<void> {
  const back = page.waitForRequest(/[?&]error=access_denied(?:&|$)/);
  await signIn(page, omar);
  await back;
}

/** Runs the checks of a program in a scene; whether none has failed. */
export async function inScene(
  folder: string,
  checks: (scene: TemplateScene) => Promise<void>,
  env: Environment = {},
): Promise<boolean> {
  const scene = await openTemplateScene(folder, env);
  try {
    await checks(scene);
    return true;
  } catch (error) {
    console.error(error, await scene.describe());
    return false;
  } finally {
    await scene.close();
  }
}

/** The lines of an environment file, without its comments. */
export function environmentIn(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line.includes('=') && !line.startsWith('#'));
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
}
