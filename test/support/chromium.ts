import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { installDebianPackage } from './debian-package.ts';

// Chromium without windows: it takes less than half of the processor time.
const shell = 'chromium-headless-shell';

/**
 * The path of a Chromium for `playwright-core`, installed if need be; null when there is none, and under CI an error
 * then. Call it at the top level of a test file: an installation outlasts the time limit of a hook.
 */
export async function findChromium(): Promise<string | null> {
  const found = onPath(shell);
  if (found) return found;
  const reason = await installDebianPackage(shell);
  const next = onPath(shell, 'chromium', 'chromium-browser', 'google-chrome');
  if (!next && process.env.CI) throw new Error(`No Chromium: ${reason ?? 'the package brought none'}`);
  return next;
}

const everywhere = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-dev-shm-usage'];

export const launchChromium = (executablePath: string, args: readonly string[] = []): Promise<Browser> =>
  chromium.launch({ executablePath, args: [...everywhere, ...args] });

function onPath(...names: readonly string[]): string | null {
  const folders = ['/usr/bin', ...(process.env.PATH ?? '').split(delimiter)];
  const candidates = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return candidates.find((path) => existsSync(path)) ?? null;
}
