import { chmodSync, mkdtempSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const prefix = 'gatehouse-run-';

/** Where files may stay from one run to the next. */
export const lastingFolder = (): string => process.env.GATEHOUSE_TEST_CACHE ?? tmpdir();

/**
 * The temporary folder of a test run: TMPDIR for this process, its workers and all that they start. Vitest ends its workers with a signal,
 * so they cannot clean up at exit. A run that is interrupted leaves its folder to the next run.
 */
export async function openRunFolder(): Promise<() => Promise<void>> {
  const before = tmpdir();
  await removeStale(before);
  const folder = mkdtempSync(join(before, `${prefix}${process.pid}-`));
  // PostgreSQL runs as another user and has its folder in this one.
  chmodSync(folder, 0o711);
  process.env.GATEHOUSE_TEST_CACHE = before;
  process.env.TMPDIR = folder;
  return () => remove(folder);
}

async function removeStale(place: string): Promise<void> {
  for (const name of readdirSync(place)) {
    const pid = name.startsWith(prefix) ? Number.parseInt(name.slice(prefix.length), 10) : Number.NaN;
    if (Number.isInteger(pid) && !isRunning(pid)) await remove(join(place, name));
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs, as somebody else.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Programs that are just ending may still write: then removing it starts again. */
const remove = (folder: string) => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
