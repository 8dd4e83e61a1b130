import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { installDebianPackage } from './debian-package.ts';

/**
 * The path of a Chromium for `playwright-core`, installed if need be; null when there is none, and under CI an error then.
 * Call it at the top level of a test file: an installation outlasts the time limit of a hook.
 */
export async function findChromium(): Promise<string | null> {
  const found = chromiumOnPath();
  if (found) return found;
  const reason = await installDebianPackage('chromium');
  const installed = reason === null ? chromiumOnPath() : null;
  if (!installed && process.env.CI) throw new Error(`No Chromium: ${reason ?? 'the package brought none'}`);
  return installed;
}

function chromiumOnPath(): string | null {
  const folders = ['/usr/bin', ...(process.env.PATH ?? '').split(delimiter)];
  const candidates = ['chromium', 'chromium-browser', 'google-chrome'].flatMap((name) =>
    folders.map((folder) => join(folder, name)),
  );
  return candidates.find((path) => existsSync(path)) ?? null;
}
