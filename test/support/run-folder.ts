import { chmodSync, existsSync, mkdtempSync, readdirSync, statfsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const prefix = 'gatehouse-run-';

/** Where files may stay from one run to the next. */
export const lastingFolder = (): string => process.env.GATEHOUSE_TEST_CACHE ?? tmpdir();

/** Where files are in memory, and how much room there has to be. A run needs about half of it. */
const memory = { place: '/dev/shm', bytes: 4 * 2 ** 30 };

/**
 * For databases: in memory where there is room, as SQLite waits for the disk after each write, and PostgreSQL copies 20
 * MB for each test file.
 */
export const folderForDatabases = (): string => process.env.GATEHOUSE_TEST_MEMORY ?? tmpdir();

/**
 * The temporary folder of a test run: TMPDIR for this process, its workers and all that they start. Vitest ends its
 * workers with a signal, so they cannot clean up at exit. A run that is interrupted leaves its folder to the next run.
 * Where there is room, GATEHOUSE_TEST_MEMORY names a second one in memory.
 */
export async function openRunFolder(): Promise<() => Promise<void>> {
  const before = tmpdir();
  const folder = await openIn(before);
  process.env.GATEHOUSE_TEST_CACHE = before;
  process.env.TMPDIR = folder;
  if (!hasMemory()) return () => remove(folder);
  const inMemory = await openIn(memory.place);
  process.env.GATEHOUSE_TEST_MEMORY = inMemory;
  return async () => {
    await remove(folder);
    await remove(inMemory);
  };
}

async function openIn(place: string): Promise<string> {
  await removeStale(place);
  const folder = mkdtempSync(join(place, `${prefix}${process.pid}-`));
  // PostgreSQL runs as another user and has its folder in this one.
  chmodSync(folder, 0o711);
  return folder;
}

function hasMemory(): boolean {
  if (!existsSync(memory.place)) return false;
  const { bavail, bsize } = statfsSync(memory.place);
  return bavail * bsize >= memory.bytes;
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
    // EPERM: it runs, as another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Programs that are just ending may still write: then removing it starts again. */
const remove = (folder: string) => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
